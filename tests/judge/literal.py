"""Evidence written by hand: what a probe would have seen of an answer to exercise 04."""

import dataclasses
from typing import Any, TypeVar

from msgspec import Struct, structs

from grader.course.rubrics import load_rubric
from grader.schema import (
    Checkpoint,
    Evidence,
    Output,
    Placed,
    Raised,
    Run,
    Site,
    Stage,
    Structure,
    TensorFact,
    Trained,
    Training,
    Values,
)

Record = TypeVar("Record")


def replace(record: Record, **changes: object) -> Record:
    """`copy.replace` of Python 3.13: of evidence, or of a dataclass such as a rubric."""
    of_its_kind = structs.replace if isinstance(record, Struct) else dataclasses.replace
    return of_its_kind(record, **changes)


RUBRIC = load_rubric("04_parameter_or_buffer")
SIMULATED = "cuda:0 (simulated)"


def fact(attribute: str, **changes: object) -> TensorFact:
    """A tensor of shape (5,), registered under its name unless `changes` say otherwise."""
    identity = sum(attribute.encode())
    given = TensorFact(f"self.{attribute}", attribute, shape=(5,), identity=identity, line=20)
    return replace(given, **changes)


ONES, ZEROS = Values.of([1], ()), Values.of([0], ())
WEIGHT = fact("weight", role="parameter", is_parameter=True, requires_grad=True, uniform=ONES)
MEAN = fact("running_mean", role="buffer", uniform=ZEROS)


def named(text: str) -> Site:
    """An expression whose device this text names."""
    return Site("", (1, 0, 1, 0), named=text)


def output(device: str = "cpu", numbers: tuple[float, ...] = (1.0, 2.0), **changes: object):
    """One output tensor."""
    given = Output(
        "output", "Tensor", device, "float32", (len(numbers),), values=Values.of(numbers)
    )
    return replace(given, **changes)


EXPECTED = (output(),)


def evidence(*tensors: TensorFact, **changes: object) -> Evidence:
    """A whole probe of a module that holds `tensors`, by default those of a right answer."""
    facts = tensors or (WEIGHT, MEAN)
    keys = tuple(fact.name for fact in facts if fact.role != "plain" and fact.persistent)
    moved = tuple(
        replace(fact, device="cpu" if fact.role == "plain" else "cuda:0") for fact in facts
    )
    trained = tuple(
        Trained(fact.name, fact.role, fact.requires_grad, fact.requires_grad, fact.requires_grad)
        for fact in facts
        if fact.role != "plain"
    )
    whole = Evidence(
        SIMULATED,
        "2.13.0",
        seed=7,
        stage=Stage.CHECKPOINT,
        structure=Structure(facts, keys),
        movements=(Placed(".cuda()", None, moved), Placed('.to("cuda")', None, moved)),
        runs=(Run("cpu", None, EXPECTED), Run("cuda", None, (output("cuda:0"),))),
        training=Training(None, trained),
        checkpoint=Checkpoint(before=EXPECTED, after=EXPECTED),
    )
    return replace(whole, **changes)


def audit(*runs: Run, **changes: object) -> dict[str, Any]:
    """What an audit of the same module adds to that evidence."""
    return {"is_audited": True, "runs": (*evidence().runs, *runs), **changes}


MIXED = Raised(
    "RuntimeError",
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
    "cpu!",
    line=30,
    code="return (x - self.running_mean) * self.weight",
    operation="torch.Tensor.sub",
)
