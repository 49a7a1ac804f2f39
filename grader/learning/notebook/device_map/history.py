"""What happened to a module or its copy, step by step, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from grader.learning.notebook.device_map.lines import first_few
from grader.learning.notebook.device_map.picture import Leaf, Picture, from_outside

Kind = Literal["moved", "new", "otherwise changed", "gone"]


@dataclass(frozen=True)
class MapStep:
    """A picture, and how it came to be.

    Attributes:
        message: what that changed, in words.
        changes: by a tensor's path, what happened to it: `moved from cpu`, `stayed`.
    """

    message: str
    picture: Picture
    changes: dict[str, str] = field(default_factory=dict)


def step_of_move(target: str, before: Picture, after: Picture) -> MapStep:
    """The step of a move to `target`: what went, what stayed, what was there already."""
    known = {leaf.path: leaf.device for leaf in before.leaves}
    went, stayed, changes = list[Leaf](), list[Leaf](), dict[str, str]()
    for leaf in after.leaves:
        came_from = known.get(leaf.path, "")
        if leaf.device != target:
            stayed.append(leaf)
            changes[leaf.path] = "stayed"
        elif came_from != target:
            went.append(leaf)
            changes[leaf.path] = f"moved from {came_from}" if came_from else "new"
    there = _count(after.leaves) - _count(went) - _count(stayed)
    parts = [f"{_tensors(_count(went))} moved to {target}."]
    if there:
        parts.append(f"{there:,} {_were(there)} there already.")
    parts += _why_stayed(stayed)
    return MapStep(" ".join(parts), after, changes)


def step_of_change(before: Picture, after: Picture) -> MapStep:
    """The step from one look at a module to the next.

    1. A tensor is known by its path: it is new, gone, moved, otherwise changed, or as before.
    2. One sentence a kind counts its tensors. A tensor that has an earlier path too is not counted
       again.
    """
    old = {leaf.path: leaf for leaf in before.leaves}
    new = {leaf.path: leaf for leaf in after.leaves}
    differences = {path: _difference(old.get(path), leaf) for path, leaf in new.items()}
    changes = {path: words for path, (_, words) in differences.items() if words}
    kinds: dict[str, Kind] = {path: differences[path][0] for path in changes}
    kinds |= {path: "gone" for path in old if path not in new}
    repeats = {leaf.path for leaf in (*old.values(), *new.values()) if leaf.is_repeat}
    sentences = [
        f"{_tensors(len(paths))} {kind}: {first_few(map(from_outside, paths))}."
        for kind in get_args(Kind)
        if (paths := [path for path in kinds if kinds[path] == kind and path not in repeats])
    ]
    message = " ".join(sentences) or "Its modules changed, its tensors did not."
    return MapStep(message, after, changes)


def _difference(old: Leaf | None, new: Leaf) -> tuple[Kind, str]:
    """Its kind, and in words; `""` if there is none."""
    if old is None:
        return "new", "new"
    if old.device != new.device:
        return "moved", f"moved from {old.device}"
    return "otherwise changed", _otherwise(old, new)


def _otherwise(old: Leaf, new: Leaf) -> str:
    if old.kind != new.kind or old.registered != new.registered:
        return f"was a {old.kind}"
    for before, now in ((old.shape, new.shape), (old.dtype, new.dtype)):
        if before != now:
            return f"was {before}"
    return "" if old.note == new.note else f"was {old.note or 'alone'}"


def _why_stayed(stayed: Sequence[Leaf]) -> list[str]:
    unregistered = [leaf for leaf in stayed if not leaf.registered]
    others = [leaf for leaf in stayed if leaf.registered]
    sentences = []
    if unregistered:
        why = "it is not registered" if len(unregistered) == 1 else "they are not registered"
        sentences.append(f"{len(unregistered):,} stayed behind: {_places(unregistered)}; {why}.")
    if others:
        sentences.append(f"{len(others):,} stayed behind although registered: {_places(others)}.")
    return sentences


def _places(leaves: Sequence[Leaf]) -> str:
    return first_few(f"{from_outside(leaf.path)} on {leaf.device}" for leaf in leaves)


def _count(leaves: Sequence[Leaf]) -> int:
    """How many tensors these are; a second name of one does not count."""
    return sum(not leaf.is_repeat for leaf in leaves)


def _tensors(number: int) -> str:
    return f"{number:,} tensor{'' if number == 1 else 's'}" if number else "No tensor"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
