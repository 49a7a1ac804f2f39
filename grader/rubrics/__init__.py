"""What each exercise asks: one file per exercise, named by its stem, holding one `RUBRIC`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from grader.recipe import Recipe

CheckName = Literal[
    "parameters", "buffers", "state_dict", "placement", "forward", "training", "checkpoint"
]
ExpectedRole = Literal["parameter", "buffer", "constant", "saved"]


@dataclass(frozen=True)
class Expected:
    """A tensor the module must register.

    Attributes:
        shape: None where any shape that works will do.
        role: `constant` may be a buffer or a frozen Parameter; `saved` too, or a number that the
            module's own methods put into its checkpoint; the others are meant literally.
        why: why it has that role, said to a learner who gave it another.
        dtypes: any of these will do.
        start: the one value that all of it has at first, None where the exercise names none.
    """

    name: str
    shape: tuple[int, ...] | None
    role: ExpectedRole
    why: str = ""
    dtypes: tuple[str, ...] = ("float32",)
    start: float | None = None


@dataclass(frozen=True)
class Rubric:
    """How an exercise is built, fed and scored; its hints.

    Attributes:
        finding: the code of the finding that the starter must show, or `check NAME` where no
            finding fits.
        random_outputs: the paths of outputs that are noise: only their device and shape count.
        names_matter: False where a right answer may name its tensors as it likes.
        differentiable: False where nobody trains through the outputs, as in an evaluation.
        points: the checks that are scored, and for how much.
        hints: from a nudge to nearly the code.
        reason: why the solution is right.
        also_right: what else is accepted, and when it would be the better choice.
    """

    stem: str
    title: str
    class_name: str
    finding: str
    recipe: Recipe
    tensors: tuple[Expected, ...]
    points: dict[CheckName, int]
    hints: tuple[str, ...]
    reason: str
    names_matter: bool = True
    differentiable: bool = True
    random_outputs: tuple[str, ...] = ()
    also_right: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """What its stem begins with: `05`, or `05b` for a notebook's second exercise."""
        return self.stem.split("_")[0]

    def saves(self, path: str) -> bool:
        """Whether a checkpoint should hold the tensor at `path`; True where it does not say."""
        says = self.names_matter and "state_dict" in self.points
        return not says or any(f"self.{tensor.name}" == path for tensor in self.tensors)


def load_rubric(stem: str) -> Rubric:
    """The rubric of one exercise.

    Raises:
        ModuleNotFoundError: there is no such exercise.
    """
    rubric = import_module(f"grader.rubrics.{stem}").RUBRIC
    assert isinstance(rubric, Rubric)
    return rubric
