"""Whatever a learner's code does to its process, the grader lives on and says what it did."""

import os
import sys

import pytest
import torch

from grader.probe.containment.limits import Limits
from grader.probe.containment.supervisor import RefusedError, probe_in_child
from grader.probe.tasks import Exercise
from grader.schema.recipe import Input, Recipe

NET = """\
import os, sys
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        {init}

    def forward(self, x):
        {forward}
        return x * self.weight


{after}
"""
RECIPE = Recipe({"features": 3}, (Input((4, 3)),))


@pytest.fixture
def ended(tmp_path):
    """Writes a file that does something at a certain place, and probes it."""

    def run(init="pass", forward="pass", after="", device="simulated", **options):
        path = tmp_path / "answer.py"
        path.write_text(NET.format(init=init, forward=forward, after=after), encoding="utf-8")
        task = Exercise(path, "Net", 7, device, RECIPE)
        return probe_in_child(task, Limits(**options))

    return run


def test_a_right_answer_is_probed_to_the_end(ended):
    evidence = ended()

    assert (evidence.ending, evidence.stage) == ("complete", "first calls")
    assert evidence.structure is not None
    assert evidence.device == "cuda:0 (simulated)"
    assert evidence.torch == torch.__version__


def test_the_learners_process_is_another_one(ended):
    assert ended(forward="print(os.getpid())").printed.split()[0] != str(os.getpid())


def test_the_same_seed_gives_the_same_facts(ended):
    assert ended(init="self.noise = torch.rand(2)") == ended(init="self.noise = torch.rand(2)")


def test_a_file_that_never_ends_is_out_of_time_before_any_stage(ended):
    evidence = ended(after="while True: pass", seconds=0.5)

    assert (evidence.ending, evidence.stage) == ("timeout", "import")


def test_what_was_seen_before_the_time_was_up_is_kept(ended):
    evidence = ended(forward="while True: pass", seconds=4)

    assert (evidence.ending, evidence.stage) == ("timeout", "execution")
    assert evidence.structure is not None
    assert len(evidence.movements) == 2


def test_no_except_in_a_loop_keeps_the_process_alive(ended):
    loop = (
        "\nimport signal\n"
        "for number in (signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)\n"
        "while True:\n    try:\n        input()\n    except BaseException:\n        pass\n"
    )

    assert ended(after=loop, seconds=0.5).ending == "timeout"


@pytest.mark.parametrize(
    ("position", "call", "stage"),
    [
        ("after", "os._exit(0)", "import"),
        ("init", "os._exit(1)", "construction"),
        ("init", "os.abort()", "construction"),
        ("forward", "os.kill(os.getpid(), 9)", "execution"),
        ("forward", "__import__('signal').raise_signal(9)", "execution"),
    ],
)
def test_a_process_that_ended_itself_has_crashed_in_that_stage(ended, position, call, stage):
    evidence = ended(**{position: call})

    assert (evidence.ending, evidence.stage) == ("crashed", stage)


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("sys.exit(0)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("[0] * 10**16", "MemoryError"),
        ("raise ExceptionGroup('both', [ValueError(), KeyError()])", "ExceptionGroup"),
    ],
)
def test_what_leaves_a_constructor_is_an_exception_like_any_other(ended, statement, name):
    evidence = ended(init=statement)

    assert (evidence.ending, evidence.construction.type) == ("complete", name)
    assert evidence.construction.line == 10


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("sys.exit(1)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("return self(x)", "RecursionError"),
    ],
)
def test_what_leaves_forward_is_an_exception_like_any_other(ended, statement, name):
    evidence = ended(forward=statement)

    assert evidence.ending == "complete"
    assert [run.raised.type for run in evidence.runs] == [name, name]
    assert [run.raised.line for run in evidence.runs] == [13, 13]


@pytest.mark.parametrize("statement", ["sys.exit(0)", "raise KeyboardInterrupt", "Net()"])
def test_what_leaves_the_file_leaves_no_class_behind(ended, statement):
    evidence = ended(after=statement)

    assert evidence.undefined.line == 17
    assert evidence.undefined.code == statement
    assert evidence.construction is None


FLOOD = "print('x' * 1_000_000)"


@pytest.mark.parametrize("position", ["after", "init", "forward"])
def test_a_flood_of_prints_ends_the_probe_and_its_beginning_is_kept(ended, position):
    stubborn = f"while True: {FLOOD}"

    evidence = ended(**{position: stubborn})

    assert evidence.ending == "output_limit"
    assert set(evidence.printed) == {"x"}
    assert len(evidence.printed) == 2_000


def test_prints_of_an_ordinary_size_do_no_harm(ended):
    assert ended(forward="print(x)").ending == "complete"


def test_what_is_written_past_pythons_streams_stays_out_of_the_evidence(ended, capfd):
    evidence = ended(forward="os.write(1, b'noise')")

    assert evidence.ending == "complete"
    assert evidence.printed == ""
    capfd.readouterr()


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
def test_a_device_that_is_not_there_is_refused_without_a_word_on_the_answer(ended):
    with pytest.raises(RefusedError, match="--device simulated"):
        ended(after="1 / 0", device="cuda")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child begins with fresh modules")
def test_what_the_learners_code_does_to_modules_stays_in_its_process(ended):
    evidence = ended(after="torch.Tensor.__mul__ = None; nn.Linear = None")

    assert evidence.ending == "tampered"
    assert torch.nn.Linear is not None
    assert torch.equal(torch.ones(2) * 2, torch.full((2,), 2.0))


# A CUDA build says so in a child of a process that has asked CUDA for anything.
CUDA_IS_LOST = "torch._C._cuda_isInBadFork"


def test_where_a_fork_lost_cuda_and_there_is_no_gpu_it_is_simulated(ended, monkeypatch):
    monkeypatch.setattr(CUDA_IS_LOST, lambda: True, raising=False)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)

    assert ended(device="auto").device == "cuda:0 (simulated)"


def test_where_a_fork_lost_autograd_the_file_is_probed_in_a_new_process(ended, monkeypatch):
    def lost(self):
        raise RuntimeError("Unable to handle autograd's threading in combination with fork")

    monkeypatch.setattr("torch.Tensor.backward", lost)  # a new process does not have that

    evidence = ended(init="self.here = __name__")

    assert (evidence.ending, evidence.undefined, evidence.broken) == ("complete", None, None)
    assert evidence.device == "cuda:0 (simulated)"
