"""Calls with inputs of other sizes, on CUDA."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn

from grader.probe.answer import later_inputs, recipe_inputs
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session
from grader.schema import Input, Raised, Recipe

FAR = 1_100  # a size that tables of usual lengths do not have
FARTHEST = 6_000


def resized_on_cuda(session: Session) -> tuple[Raised | None, int]:
    """What a later call on CUDA raises, with inputs of another size, where the recipe has some.

    A module may then have to rebuild what it kept from the first call, on CUDA as well. Where a
    size may grow, there is a call of a size that nothing in the module has; that size is given too.
    """
    later = later_inputs(session.wants, session.subject.seed)
    if later is None:
        return None, 0
    module = session.new().module
    _, raised = session.attempt(lambda: module.cuda().eval(), module)
    place = "cpu" if session.wants.inputs_stay else "cuda"
    for inputs in (session.fed_to(place), later.to(place)):
        if raised is None:
            raised = session.call(module, inputs).raised
    if raised or session.wants.grows is None:
        return raised, 0
    size = _unknown_size(module)
    grown = replace(session.wants, inputs=_grown(session.wants, size))
    with torch.no_grad():
        raised = session.call(module, recipe_inputs(grown, session.subject.seed).to(place)).raised
    return raised, size


def _unknown_size(module: nn.Module) -> int:
    """More than any tensor of the module has in a dimension."""
    largest = max((max(found.tensor.shape, default=0) for found in Walk(module).reached), default=0)
    return max(FAR, min(largest + 1, FARTHEST))


def _grown(recipe: Recipe, size: int) -> tuple[Input, ...]:
    """One example whose growing dimension has that size."""
    first, *others = recipe.inputs
    shape = [1, *first.shape[1:]]
    shape[recipe.grows or 0] = size
    return (replace(first, shape=tuple(shape)), *others)
