"""Calls in the other places that a recipe names."""

import pytest
import torch
from torch import nn

from grader.probe.answer import exercise_subject
from grader.probe.device import cuda_device, simulated_gpus
from grader.probe.inspection.source import defining_files
from grader.probe.run import run_probe
from grader.probe.sequence import Step, steps_for
from grader.probe.steps.other_placements import WITHOUT_GPU
from grader.probe.subject import Subject
from grader.schema import Placement, Stage
from grader.schema.recipe import Input, Place, Recipe

BATCH = Input((4, 3))
STAGES = (Stage.CONSTRUCTION, Stage.EXECUTION)


def steps(subject: Subject) -> tuple[Step, ...]:
    return tuple(step for step in steps_for(subject) if step.stage in STAGES)


def elsewhere(cls: type, *where: Place, **arguments: object) -> tuple[Placement, ...]:
    """The calls in that place; without one, those that every exercise has."""
    recipe = Recipe(arguments, (BATCH,), elsewhere=where)
    subject = exercise_subject(cls, recipe, defining_files(cls), seed=7)
    with cuda_device("simulated") as label:
        calls = run_probe(subject, label, steps(subject)).elsewhere
    return tuple(call for call in calls if not where or call.how != WITHOUT_GPU)


class OnAGpu(nn.Module):
    def __init__(self, gpu: int) -> None:
        super().__init__()
        self.device = f"cuda:{gpu}" if gpu < torch.cuda.device_count() else "cpu"

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.to(self.device)


class Table(nn.Module):
    """A table that no checkpoint holds, a weight that one does."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("table", torch.arange(3.0), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight + self.table


class TableReset(Table):
    def reset_parameters(self) -> None:
        self.table.copy_(torch.arange(3.0, device=self.table.device))


class NamesCuda(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        ones = torch.ones(3)
        return x + (ones.cuda(x.device) if x.is_cuda else ones)


@pytest.mark.parametrize("hidden", [False, True], ids=["GPUs seen", "GPUs hidden"])
def test_it_is_built_for_each_gpu_and_for_one_that_the_machine_lacks(hidden, monkeypatch):
    if hidden:  # as `grader check` hides them
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    calls = elsewhere(OnAGpu, "gpu", gpu=0)

    assert [call.how for call in calls] == [
        "built with `gpu=0`",
        "built with `gpu=1`",
        "built with `gpu=2` on a machine with 2",
        "built with `gpu=2` on a machine with 3",
    ]
    devices = ["cuda:0", "cuda:1", "cpu", "cuda:2"]
    assert [call.run.device for call in calls] == devices
    assert [call.run.outputs[0].device for call in calls] == devices


def test_code_that_knows_how_many_gpus_there_are_is_on_the_wrong_device():
    class OnOneOfTwo(OnAGpu):
        def __init__(self, gpu: int) -> None:
            super().__init__(gpu)
            self.device = f"cuda:{gpu}" if gpu < 2 else "cpu"

    *known, last = elsewhere(OnOneOfTwo, "gpu", gpu=0)

    assert [call.run.outputs[0].device for call in known] == ["cuda:0", "cuda:1", "cpu"]
    assert (last.run.device, last.run.outputs[0].device) == ("cuda:2", "cpu")


def test_a_table_of_the_constructor_is_not_there_after_the_meta_device():
    calls = elsewhere(Table, "meta")  # one for each kind of garbage

    assert [call.unwritten for call in calls] == [("table",), (), ()]
    assert len({call.run.outputs[0].values for call in calls}) == 3


def test_what_is_reset_and_what_is_loaded_is_there():
    for call in elsewhere(TableReset, "meta"):
        assert call.run.raised is None
        assert call.unwritten == ()
        assert call.run.outputs[0].device == "cuda:0"


def test_code_that_names_cuda_raises_on_a_device_of_another_name():
    (call,) = elsewhere(NamesCuda, "unknown")

    assert call.run.raised is not None
    assert "meta" in call.run.raised.message


@pytest.mark.parametrize(
    "asks",
    [
        "torch.cuda.synchronize()",
        "torch.cuda.get_device_name(0)",
        "torch.accelerator.synchronize()",
        "x.pin_memory()",
        "x.cuda()",
    ],
)
def test_a_call_that_asks_for_a_gpu_raises_on_a_machine_without_one(asks):
    class Asks(Table):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            eval(asks)
            return super().forward(x)

    (call,) = elsewhere(Asks)

    assert (call.how, call.run.device) == (WITHOUT_GPU, "cpu")
    assert call.run.raised is not None
    assert call.run.raised.message.splitlines()[0] == "No CUDA GPUs are available"


def test_there_are_gpus_again_after_the_machine_without_one():
    class Noisy(Table):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x + torch.randn_like(x))

    (call,) = elsewhere(Noisy)

    assert call.run.raised is None
    with cuda_device("simulated"):
        torch.cuda.init()
        with simulated_gpus(0):
            assert not torch.cuda.is_initialized()
        assert torch.cuda.is_initialized()
