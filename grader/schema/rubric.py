"""What an exercise asks: how its class is built, what it must hold, and what that is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from grader.schema.recipe import Recipe

RUBRIC = "variant.json"  # in a variant's home

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


def layer(name: str, *shape: int) -> tuple[Expected, Expected]:
    """The weight of that shape and the bias of a linear or convolutional layer."""
    weight = Expected(f"{name}.weight", shape, "parameter")
    return weight, Expected(f"{name}.bias", shape[:1], "parameter")


@dataclass(frozen=True)
class Rubric:
    """How an exercise is built, fed and scored; its hints.

    Attributes:
        finding: the code of the finding that the starter must show, or `check NAME` where no
            finding fits.
        faults: where the errors of the starter are, if it has several that can be fixed one by one.
        optional: True for a notebook's second exercise, and for those of optional notebooks.
        random_outputs: the paths of outputs that are noise: only their device and shape count.
        names_matter: False where a right answer may name its tensors as it likes.
        differentiable: False where nobody trains through the outputs, as in an evaluation.
        points: the checks that are scored, and for how much.
        hints: from a nudge to nearly the code.
        reason: why our solution is right; a learner who passed reads it after "Our answer:".
        also_right: what else is accepted, and when it would be the better choice.
        advice: by the code of a finding, what to do where the task rules out the usual fix.
        home: the folder with the starter and the solution of an assignment's variant; `""` for the
            course's own exercises. The copy for learners has no solution there.
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
    optional: bool = False
    faults: tuple[str, ...] = ()
    random_outputs: tuple[str, ...] = ()
    also_right: tuple[str, ...] = ()
    advice: dict[str, str] = field(default_factory=dict)
    home: str = ""

    @property
    def number(self) -> str:
        """What its stem begins with: `05`, or `05b` for a notebook's second exercise."""
        return self.stem.split("_")[0]

    def saves(self, path: str) -> bool:
        """Whether a checkpoint should hold the tensor at `path`; True where it does not say."""
        says = self.names_matter and "state_dict" in self.points
        return not says or any(f"self.{tensor.name}" == path for tensor in self.tensors)
