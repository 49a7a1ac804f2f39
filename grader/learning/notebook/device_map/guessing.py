"""A prediction on the map: which tensors will stay behind when the module moves?

Until the move, the map says nothing that would tell: not what is registered, and not what a tensor
is to its module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.learning.notebook.device_map.history import MapStep
from grader.learning.notebook.device_map.lines import first_few
from grader.learning.notebook.device_map.picture import Branch, Leaf, Picture, Row, from_outside

TARGET = "cuda:0"
QUESTION = "Which tensors will stay behind? Click each of them, then press .cuda()."
WITHOUT_WIDGETS = "Which of these tensors will stay behind when the module moves to cuda:0?"


@dataclass(frozen=True)
class Guess:
    """The paths of the tensors that the learner expects to stay."""

    picked: frozenset[str] = frozenset()

    def toggled(self, path: str) -> Guess:
        """The guess with one tensor more, or without it if it was in."""
        return Guess(self.picked ^ {path})


def concealed(picture: Picture) -> Picture:
    """The picture without what gives the answer away."""
    return replace(picture, rows=tuple(map(_concealed, picture.rows)))


def _concealed(row: Row) -> Row:
    if isinstance(row, Leaf):
        return replace(row, registered=True, kind="", note="")
    return replace(row, registered=True, unregistered=0)


def scored_guess(guess: Guess, before: Picture, step: MapStep) -> MapStep:
    """A move's step, with what the learner predicted of it in words and at each tensor."""
    stayed, moved = _parted(before, step.picture)
    paths = {leaf.path for leaf in (*stayed, *moved)}
    surprises = {leaf.path for leaf in stayed} ^ (guess.picked & paths)
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


def _verdict(guess: Guess, stayed: Sequence[Leaf], moved: Sequence[Leaf]) -> str:
    missed = [leaf for leaf in stayed if leaf.path not in guess.picked]
    wrong = [leaf for leaf in moved if leaf.path in guess.picked]
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


def is_tensor(picture: Picture, path: str) -> bool:
    """Whether there is a tensor at that path, to be picked."""
    return any(row.path == path for row in picture.rows if not isinstance(row, Branch))
