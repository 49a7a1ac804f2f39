"""An answer to an exercise, built and fed as its recipe says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from grader.probe.driven import model_on
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.source import POSITIONAL
from grader.probe.inspection.values import draw
from grader.probe.subject import Subject
from grader.schema import Recipe

EMPTY = inspect.Parameter.empty


def exercise_subject(cls: Any, recipe: Recipe, written: set[tuple[str, str]], seed: int) -> Subject:
    """The class, built and fed as the recipe says."""
    made = constructor(cls, recipe)
    return Subject(
        make=construct(made, recipe.arguments),
        feed=lambda: recipe_inputs(recipe, seed),
        written=frozenset(written),
        seed=seed,
        recipe=recipe,
        construct=partial(construct, made),
    )


def constructor(cls: Any, recipe: Recipe) -> Any:
    """What makes the module: the class, or a model that is built on it."""
    return partial(model_on, cls) if recipe.model else cls


def construct(cls: Any, arguments: dict[str, Any]) -> Callable[[], Any]:
    """The call that constructs a learner's class.

    The arguments are passed by name. Where the class takes as many positional arguments and calls
    one of them otherwise, they are passed by position: the name is no part of the exercise.
    """
    if _goes_by_position(cls, arguments):
        return partial(cls, *arguments.values())
    return partial(cls, **arguments)


def _goes_by_position(cls: Any, arguments: dict[str, Any]) -> bool:
    try:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    except Exception:  # it has no signature, or code of its own tells it
        return False
    taken = [parameter.name for parameter in parameters if parameter.kind in POSITIONAL]
    needed = [
        parameter.name
        for parameter in parameters
        if parameter.kind in POSITIONAL and parameter.default is EMPTY
    ]
    by_name = {
        parameter.name
        for parameter in parameters
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    }
    has_other_kinds = len(taken) != len(parameters)
    if has_other_kinds or len(needed) > len(arguments) or set(arguments) <= by_name:
        return False
    # In the order of the exercise: no name that is known stands in another place.
    names = taken[: len(arguments)]
    in_place = all(
        name not in arguments or name == expected
        for name, expected in zip(names, arguments, strict=False)
    )
    return in_place and len(arguments) in (len(taken), len(needed))


def recipe_inputs(recipe: Recipe, seed: int, others: dict[str, Any] | None = None) -> Inputs:
    """Fresh CPU inputs, handed over as the recipe says, for an instance with other arguments."""
    drawn = draw(recipe.inputs, seed, recipe.arguments | (others or {}))
    return Inputs((drawn,) if recipe.nested else drawn)


def later_inputs(recipe: Recipe, seed: int, others: dict[str, Any] | None = None) -> Inputs | None:
    """Fresh CPU inputs of another size, where the recipe has some."""
    later = replace(recipe, inputs=recipe.later)
    return recipe_inputs(later, seed, others) if recipe.later else None
