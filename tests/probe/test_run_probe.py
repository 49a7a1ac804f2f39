"""A probe in this process leaves everything as it found it, and writes down all it saw."""

import gc
import random
import signal
import warnings

import numpy as np
import pytest
import torch
from probing import BATCH, probe
from torch import nn

from grader.probe.answer import exercise_subject
from grader.probe.audited import audit_subject
from grader.probe.device import cuda_device
from grader.probe.inspection.source import defining_files
from grader.probe.run import no_full_collections, run_probe
from grader.schema import Phase
from grader.schema.recipe import Recipe
from grader.simulated_cuda import is_enabled


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        return (x - self.mean) * self.weight


class Meddler(Scale):
    """Changes everything there is to change."""

    def forward(self, x):
        torch.manual_seed(1)
        random.seed(1)
        random.random()
        torch.rand(3)
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        return super().forward(x)


class Sabotaged(Meddler):
    def forward(self, x):
        super().forward(x)
        raise KeyError("on purpose")


@pytest.mark.parametrize("cls", [Scale, Meddler, Sabotaged])
def test_the_callers_random_numbers_gradients_and_dtype_stay_as_they_were(cls):
    torch.manual_seed(3)
    random.seed(3)
    before = torch.random.get_rng_state(), random.getstate()

    probe(cls)

    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert random.getstate() == before[1]
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() == torch.float32
    assert not is_enabled()


class Halves(Scale):
    """Wants its inputs on the CPU, whatever their number."""

    def forward(self, x):
        return (x.cuda() if self.weight.is_cuda else x).cpu() * x


class DrawnByNumPy(Scale):
    def forward(self, x):
        return super().forward(x) + torch.from_numpy(np.random.standard_normal(3)).to(x)


class DrawnByPython(Scale):
    def forward(self, x):
        return super().forward(x) * random.random()


@pytest.mark.parametrize(
    ("cls", "is_random"), [(Scale, False), (DrawnByNumPy, True), (DrawnByPython, True)]
)
def test_what_numpy_and_python_draw_is_random_too(cls, is_random):
    subject = audit_subject(cls, torch.randn(4, 3), seed=1)

    with cuda_device("simulated") as label:
        assert run_probe(subject, label).random is is_random


def test_half_a_batch_stays_where_the_whole_one_does():
    recipe = Recipe({}, (BATCH,), thorough=True, inputs_stay=True)
    subject = exercise_subject(Halves, recipe, defining_files(Halves), seed=7)

    with cuda_device("simulated") as label:
        runs = run_probe(subject, label).runs

    assert Phase.HALF_BATCH in [run.phase for run in runs]
    assert [run.raised for run in runs if run.raised] == []


def test_time_that_went_into_the_start_of_the_device_leaves_no_step_out():
    subject = audit_subject(Scale, torch.randn(4, 3), seed=1)

    with cuda_device("simulated") as label:
        evidence = run_probe(subject, label)

    assert evidence.skipped == ()


def test_gradients_that_were_off_stay_off_and_training_is_probed_all_the_same():
    with torch.no_grad():
        evidence = probe(Scale)
        assert not torch.is_grad_enabled()

    assert {tensor.name: tensor.changed for tensor in evidence.training.tensors} == {
        "mean": False,
        "weight": True,
    }


def test_every_part_of_a_right_answer_is_written_down():
    evidence = probe(Scale)

    assert evidence.ending == "complete"
    assert evidence.device == "cuda:0 (simulated)"
    assert {fact.device for move in evidence.movements for fact in move.tensors} == {"cuda:0"}
    assert [move.how for move in evidence.movements] == [".cuda()", '.to("cuda")']
    assert [run.outputs[0].device for run in evidence.runs] == ["cpu", "cuda:0"]
    assert [run.raised for run in evidence.runs] == [None, None]
    assert evidence.checkpoint.raised is None
    assert evidence.checkpoint.missing == evidence.checkpoint.unexpected == ()


def test_numbers_are_drawn_anew_so_that_ones_and_zeros_hide_nothing():
    evidence = probe(Scale, filled=("mean",))
    state = {entry.name: entry.values.numbers() for entry in evidence.state}

    assert set(state) == {"weight", "mean"}
    assert all(0.5 <= number < 1.5 for numbers in state.values() for number in numbers)
    assert len({number for numbers in state.values() for number in numbers}) == 6


def test_a_buffer_keeps_its_values_unless_the_recipe_names_it():
    state = {entry.name: entry.values.numbers() for entry in probe(Scale).state}

    assert set(state["mean"]) == {0.0}
    assert len(set(state["weight"])) == 3


def test_the_cpu_and_cuda_are_given_the_same_state_and_inputs():
    on_cpu, on_cuda = (run.outputs[0].values.numbers() for run in probe(Scale).runs)

    assert np.allclose(on_cpu, on_cuda, rtol=1e-6)


class Talkative(Scale):
    def forward(self, x):
        print("shape", tuple(x.shape))
        warnings.warn("deprecated", stacklevel=2)
        return super().forward(x)


def test_prints_are_kept_and_warnings_dropped(capsys):
    evidence = probe(Talkative)

    assert evidence.printed.startswith("shape (4, 3)\n")
    assert "deprecated" not in evidence.printed
    assert capsys.readouterr() == ("", "")


class BrokenState(Scale):
    def state_dict(self, *args, **kwargs):
        raise AttributeError("no such thing")


def test_what_raises_where_nothing_should_is_a_fact_too():
    evidence = probe(BrokenState)

    assert (evidence.stage, evidence.broken.type) == ("construction", "AttributeError")
    assert evidence.broken.code == 'raise AttributeError("no such thing")'
    assert evidence.runs == ()


@pytest.fixture
def _attended():
    """Ctrl-C works, as it does not in a job that a shell started in the background."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


@pytest.mark.usefixtures("_attended")
def test_a_person_at_the_keyboard_can_still_interrupt():
    class Interrupted(Scale):
        def forward(self, x):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        probe(Interrupted)

    assert not is_enabled()


def test_full_collections_are_put_off_until_the_end():
    thresholds = gc.get_threshold()
    with no_full_collections():
        assert gc.get_threshold() == (*thresholds[:2], 1_000_000)
    assert gc.get_threshold() == thresholds
