"""What happened to a module or its copy, step by step, in words; and what was predicted of it.

Of a prediction, the map says nothing until the move that would tell: not what is registered, and
not what a tensor is to its module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from grader.learning.notebook.device_map.lines import first_few
from grader.learning.notebook.device_map.picture import Leaf, Picture, Row, from_outside

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
        parts.append(f"{there:,} {'was' if there == 1 else 'were'} there already.")
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


TARGET = "cuda:0"
QUESTION = "Which tensors will stay behind? Click each of them, then press .cuda()."
WITHOUT_WIDGETS = "Which of these tensors will stay behind when the module moves to cuda:0?"


def concealed(picture: Picture) -> Picture:
    """The picture without what gives the answer away."""
    return replace(picture, rows=tuple(map(_concealed, picture.rows)))


def _concealed(row: Row) -> Row:
    if isinstance(row, Leaf):
        return replace(row, registered=True, kind="", note="")
    return replace(row, registered=True, unregistered=0)


def scored_guess(guess: frozenset[str], before: Picture, step: MapStep) -> MapStep:
    """A move's step, with what the learner predicted of it in words and at each tensor.

    Args:
        guess: the paths of the tensors that were expected to stay.
        before: the picture before the move.
        step: the move's.
    """
    stayed, moved = _parted(before, step.picture)
    paths = {leaf.path for leaf in (*stayed, *moved)}
    surprises = {leaf.path for leaf in stayed} ^ (guess & paths)
    changes = {
        path: f"{change}: a surprise" if path in surprises else change
        for path, change in step.changes.items()
    }
    return replace(
        step, message=f"{_verdict(guess, stayed, moved)} {step.message}", changes=changes
    )


def has_moved(before: Picture, after: Picture) -> bool:
    """Whether any tensor is on another device than before."""
    return bool(_parted(before, after)[1])


def _parted(before: Picture, after: Picture) -> tuple[list[Leaf], list[Leaf]]:
    """The tensors that stayed where they were, and those that moved; each under one name only."""
    known = {leaf.path: leaf.device for leaf in before.leaves}
    leaves = [leaf for leaf in after.leaves if leaf.path in known and not leaf.is_repeat]
    stayed = [leaf for leaf in leaves if leaf.device == known[leaf.path]]
    return stayed, [leaf for leaf in leaves if leaf.device != known[leaf.path]]


def _verdict(guess: frozenset[str], stayed: Sequence[Leaf], moved: Sequence[Leaf]) -> str:
    missed = [leaf for leaf in stayed if leaf.path not in guess]
    wrong = [leaf for leaf in moved if leaf.path in guess]
    if not missed and not wrong:
        return "You predicted it right."
    sentences = []
    if missed:
        sentences.append(f"You did not expect {_name_list(missed)} to stay.")
    if wrong:
        they = "it" if len(wrong) == 1 else "they"
        sentences.append(f"You expected {_name_list(wrong)} to stay, but {they} moved.")
    return " ".join(sentences)


def _name_list(leaves: Sequence[Leaf]) -> str:
    return first_few(from_outside(leaf.path) for leaf in leaves)
