"""The pictures of the notebooks, each a function that draws it below the cell."""

from grader.course.figures.attributes import registers
from grader.course.figures.modules import replicas
from grader.course.figures.moves import (
    copies_by_place,
    made_in_forward,
    three_memories,
    to_returns_or_moves,
)
from grader.course.figures.training import lost_waves, path_of_the_gradient

__all__ = [
    "copies_by_place",
    "lost_waves",
    "made_in_forward",
    "path_of_the_gradient",
    "registers",
    "replicas",
    "three_memories",
    "to_returns_or_moves",
]
