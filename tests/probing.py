"""Probes a class that a test wrote, in this process."""

from typing import Any

import torch

from grader.probe.answer import exercise_subject
from grader.probe.device import cuda_device
from grader.probe.inspection.source import defining_files
from grader.probe.run import run_probe
from grader.probe.sequence import steps_for
from grader.schema import Evidence, Structure, TensorFact
from grader.schema.recipe import Input, Recipe

BATCH = Input((4, 3))


def probe(
    cls: type,
    *inputs: Input,
    most_steps: int | None = None,
    filled: tuple[str, ...] = (),
    seed: int = 7,
    **arguments: Any,
) -> Evidence:
    """All the facts about a class, on simulated CUDA."""
    recipe = Recipe(arguments, inputs or (BATCH,), filled=filled)
    subject = exercise_subject(cls, recipe, defining_files(cls), seed)
    with cuda_device("simulated") as label:
        return run_probe(subject, label, steps_for(subject)[:most_steps])


def structure(cls: type, **arguments: Any) -> Structure:
    """What a class holds as constructed."""
    found = probe(cls, most_steps=1, **arguments).structure
    assert found is not None
    return found


def facts(cls: type) -> dict[str, TensorFact]:
    """Its tensors by path."""
    return {fact.path: fact for fact in structure(cls).tensors}


def zeros() -> torch.Tensor:
    return torch.zeros(3)
