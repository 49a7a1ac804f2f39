"""The goals of speed, as data: what is measured, the goal, and the floor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """A ratio that is to be small.

    Attributes:
        name: of the figure in a stored run.
        what: a line for a table.
        most: the goal.
        floor: what a user pays with nothing of ours, in the same unit: a number, or the name of a
            figure where that is measured as well.
    """

    name: str
    what: str
    most: float
    floor: float | str


GOALS = (
    Goal(
        "step of an MLP",
        "simulated device: step of an MLP (batch 32, 64-64-10, SGD)",
        1.2, 1.0,
    ),
    Goal(
        "step of a Transformer",
        "simulated device: step of a Transformer encoder (2 layers of 256, batch 16)",
        1.1, 1.0,
    ),
    Goal(
        "step of convolutions",
        "simulated device: step of four 3 x 3 convolutions at 64 x 64",
        1.1, 1.0,
    ),
    Goal("a batch of one", "batch: of one submission", 1.3, 1.0),
    Goal(
        "a plain answer",
        "batch: each further submission, at level `full`",
        0.02, "its probe in a warm process",
    ),
    Goal("grader list", "`grader list`", 0.2, "python"),
    Goal("grader check 03", "`grader check 03`", 0.15, 1.0),
    Goal(
        "grader watch",
        "`grader watch`: from a save to the verdict",
        0.15, "its probe in a warm process",
    ),
    Goal(
        "check in a notebook",
        "`check` in a notebook",
        0.15, "its probe in a warm process",
    ),
    Goal(
        "audit of PyTorch's modules",
        "audit: median of nine of PyTorch's modules",
        12, "calls of PyTorch's modules",
    ),
    Goal(
        "audit of published modules",
        "audit: median of modules of published packages",
        12, "calls of published modules",
    ),
    Goal(
        "pytest --nbval notebooks",
        "`pytest --nbval notebooks`",
        1.3, 1.0,
    ),
)  # fmt: skip
