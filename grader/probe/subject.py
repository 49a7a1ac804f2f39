"""What a probe is about: a module, how it is made and fed, and what an exercise wants of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.probe.inspection.inputs import Inputs
from grader.schema import Recipe

NOTHING = Recipe(arguments={}, inputs=())  # what an audit wants beyond what it asks of any module


@dataclass(frozen=True, eq=False)
class Subject:
    """A module to probe.

    Attributes:
        make: constructs the module.
        feed: gives the inputs of every call, on the CPU; None if nobody knows how to call it.
        written: file and name of the learner's classes; no name of a file that may have more.
        seed: set before each construction and each call.
        recipe: what an exercise wants; None in an audit.
        is_copied: whether an instance is a copy of a live module, the same whatever the seed.
        construct: gives what constructs it with other arguments, in an exercise.
        make_where_it_belongs: gives what a function makes, or a module that was live and on CUDA,
            on the devices where the caller gets it. None of a class, which is made to be moved.
    """

    make: Callable[..., Any]
    feed: Callable[[], Inputs] | None
    written: frozenset[tuple[str, str]]
    seed: int
    recipe: Recipe | None = None
    construct: Callable[[dict[str, Any]], Callable[[], Any]] | None = None
    make_where_it_belongs: Callable[[], Any] | None = None
    is_copied: bool = False

    def made_with(self, arguments: dict[str, Any]) -> Callable[[], Any]:
        """What constructs it with some arguments of an exercise changed."""
        assert self.construct
        assert self.recipe
        return self.construct(self.recipe.arguments | arguments)

    @property
    def wants(self) -> Recipe:
        """What an exercise wants; nothing, in an audit."""
        return self.recipe or NOTHING
