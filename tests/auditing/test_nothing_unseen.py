"""An audit is never CLEAN where it did not look, and what fails only on CUDA is always an error."""

import inspect
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from plain import Plain, batch

from grader.auditing import audit, audit_file
from grader.probe.run import run_probe
from grader.probe.steps import calls_on_cuda, construction, cpu_baseline, training
from grader.render.parts import headline

# Raises in a file that is not the learner's.
FAILING = Mock(side_effect=NotImplementedError("ask me nothing"))


@pytest.mark.parametrize(
    ("module", "function", "stage"),
    [
        (construction, "_structure", "construction"),
        (calls_on_cuda, "last_gpu", "calls on one device after another"),
        (cpu_baseline, "_with_used", "first calls, on the CPU"),
        (calls_on_cuda, "first_half", "first calls on CUDA"),
    ],
)
def test_a_fault_of_ours_where_it_matters_is_a_refusal(
    module: Any, function: str, stage: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, function, FAILING)

    report = audit(Plain, batch())

    assert (report.verdict, report.exit_code) == ("cannot_grade", 2)
    assert f"During the {stage}: NotImplementedError: ask me nothing" in report.message
    assert "There are no inputs" not in report.message


def test_a_fault_of_ours_elsewhere_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(training, "_unregistered", FAILING)

    report = audit(Plain, batch())

    assert (report.verdict, report.exit_code) == ("passed", 3)
    assert headline(report) == "NOTHING FOUND, 1 step left out"
    assert report.left_out == ("training and a checkpoint: NotImplementedError: ask me nothing",)


class Slow(Plain):
    def forward(self, x):
        time.sleep(0.1)
        return self.linear(x)


def test_what_there_was_no_time_for_shows_in_headline_and_exit_code(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("grader.probe.run_probe", partial(run_probe, patience=0.3))

    report = audit(Slow, batch())

    assert report.exit_code == 3
    assert "left out" in headline(report)


def test_more_time_leaves_out_less(tmp_path: Path):
    head = "import time\nimport torch\nfrom torch import nn\n"
    source = head + inspect.getsource(Plain) + inspect.getsource(Slow).replace("0.1", "0.25")
    source += "def example_input():\n    return torch.randn(6, 4)\n"
    (tmp_path / "net.py").write_text(source, encoding="utf-8")

    hurried = audit_file(tmp_path / "net.py", "Slow", time_limit=8)
    patient = audit_file(tmp_path / "net.py", "Slow", time_limit=80)

    assert (hurried.exit_code, patient.exit_code) == (3, 0)


def test_without_inputs_nothing_is_called_clean():
    report = audit(Plain)

    assert (report.exit_code, headline(report)) == (0, "NOTHING FOUND, never called")


class Irreps(tuple):
    """As `e3nn.o3.Irreps`, a tuple that refuses to say how long it is."""

    __slots__ = ()

    def __len__(self):
        raise NotImplementedError

    def __bool__(self):
        raise NotImplementedError

    __iter__ = __getitem__ = __eq__ = __len__
    __hash__ = tuple.__hash__


IRREPS = Irreps((1, 2))


class Equivariant(Plain):
    def __init__(self):
        super().__init__()
        self.irreps = IRREPS
        self.mask = torch.ones(4)

    def forward(self, x):
        return self.linear(x) * self.mask


def test_a_tuple_that_cannot_be_asked_hides_nothing():
    (found,) = audit(Equivariant, batch()).findings

    assert (found.code, found.where) == ("member-tensor", "self.mask")


class Wrapping(Equivariant):
    """Raises something else, and says from what."""

    def forward(self, x):
        try:
            return super().forward(x)
        except RuntimeError as error:
            raise ValueError("bad input") from error


class Hushing(Equivariant):
    """Raises something else, and says not to look at the cause."""

    def forward(self, x):
        try:
            return super().forward(x)
        except RuntimeError:
            raise ValueError("bad input") from None


class Delaying(Equivariant):
    """Forgets what was raised, and fails of it later."""

    def forward(self, x):
        result = None
        with suppress(RuntimeError):
            result = super().forward(x)
        return result.sum(dim=0)


@torch.jit.script
def scaled(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return x * mask


class Scripted(Equivariant):
    """Operators of TorchScript are out of sight; their exception is not."""

    def forward(self, x):
        try:
            return scaled(self.linear(x), self.mask)
        except RuntimeError as error:
            raise ValueError("bad input") from error


def test_what_an_unseen_operator_says_behind_another_exception_is_an_error():
    (found,) = [
        finding for finding in audit(Scripted, batch()).findings if finding.severity == "error"
    ]

    assert found.code == "device-mismatch"
    assert "Expected all tensors to be on the same device" in found.message


@pytest.mark.parametrize("make", [Wrapping, Hushing, Delaying])
def test_an_operation_that_was_refused_is_found_behind_another_exception(make: type):
    (found,) = audit(make, batch()).findings

    assert (found.code, found.where, found.severity) == ("member-tensor", "self.mask", "error")
    assert "super().forward" not in found.message
    assert "`mul`" in found.message


class Handling(Equivariant):
    """Tries one way, and takes another where it fails: all is well."""

    def forward(self, x):
        try:
            return super().forward(x)
        except RuntimeError:
            return self.linear(x) * self.mask.to(x.device)


def test_what_the_module_handles_is_no_error():
    report = audit(Handling, batch())

    assert report.findings == ()
    assert "`self.mask`" in report.notes[0]


class FailsOnTheMove(Plain):
    def _apply(self, fn, recurse=True):
        raise KeyError("cannot move")


class FailsOnceMoved(Plain):
    """Fails on a device that it was moved to after a call, and nowhere else."""

    def forward(self, x):
        if getattr(self, "device", x.device) != x.device:
            raise KeyError("moved")
        self.device = x.device
        return self.linear(x)


class FailsInTrainMode(Plain):
    def forward(self, x):
        if self.training and x.is_cuda:
            raise KeyError("no training")
        return self.linear(x)


@pytest.mark.parametrize("make", [FailsOnTheMove, FailsOnceMoved, FailsInTrainMode])
@pytest.mark.parametrize("inputs", [None, batch()], ids=["structure", "called"])
def test_a_call_or_a_move_that_fails_for_no_known_reason_is_never_clean(make: type, inputs: Any):
    report = audit(make, inputs)

    if inputs is None and make is not FailsOnTheMove:
        assert "never called" in headline(report)
    else:
        assert (report.verdict, report.exit_code) == ("cannot_grade", 2)
        assert "KeyError" in report.message


class NeedsEval(Plain):
    def forward(self, x):
        if self.training:
            raise RuntimeError("call eval() first")
        return self.linear(x)


def test_a_module_that_refuses_to_train_was_not_looked_at_to_the_end():
    report = audit(NeedsEval, batch())

    assert (report.verdict, report.exit_code, report.findings) == ("passed", 3, ())
    (step,) = report.left_out
    assert step.startswith("training and a checkpoint: in train mode, on the CPU, it raised Runt")
    assert step.endswith("call eval() first")


class HooksItsGradient(Plain):
    """A hook returns what the autograd engine refuses; the engine names no line."""

    def forward(self, x):
        hidden = self.linear(x)
        if hidden.requires_grad:
            hidden.register_hook(lambda g: g if g.is_cuda else g.cuda())
        return hidden


def test_devices_that_a_training_step_on_the_cpu_mixes_are_an_error():
    report = audit(HooksItsGradient, batch())

    (found,) = report.findings
    assert (report.verdict, found.code) == ("failed", "device-mismatch")
    assert "A training step on cpu raises RuntimeError: hook" in found.message


class Choosy(Plain):
    """Takes a device, and knows no CUDA."""

    def __init__(self, device="cpu"):
        super().__init__()
        self.linear.to({"cpu": "cpu"}[device])


def test_a_construction_on_cuda_that_fails_is_left_out():
    report = audit(Choosy, batch())

    assert (report.verdict, report.exit_code) == ("passed", 3)
    assert report.left_out[0].startswith("construction on CUDA: it raised KeyError in line ")


class Unloadable(Plain):
    def load_state_dict(self, *args, **kwargs):
        raise RuntimeError("from a service only")


def test_a_checkpoint_that_cannot_be_loaded_was_not_compared():
    report = audit(Unloadable, batch())

    assert (report.verdict, report.exit_code, report.findings) == ("passed", 3, ())
    assert report.left_out[0].startswith("comparison with a checkpoint: loading its own into a new")
    assert report.left_out[0].endswith("from a service only")


class LoadsQuietly(Plain):
    """Overrides a method of loading, and returns nothing, as gpytorch's priors do."""

    def load_state_dict(self, *args, **kwargs):
        super().load_state_dict(*args, **kwargs)


def test_a_checkpoint_is_compared_though_loading_returns_nothing():
    assert headline(audit(LoadsQuietly, batch())) == headline(audit(Plain, batch()))
