"""PyTorch defaults that a cell chose: no verdict depends on them, and they are still chosen."""

from contextlib import ExitStack

import pytest
import torch
from right_answer import CenterScale

from grader import check, simulated_cuda
from grader.course import exercise_file, find, pool, solution_file
from grader.learning.notebook import audit
from grader.learning.notebook.prediction import starter_map
from grader.learning.quiz.judging import judge

STEM = "04_parameter_or_buffer"


def set_device(device):
    def choose(stack):
        torch.set_default_device(device)
        stack.callback(torch.set_default_device, None)

    return choose


def set_dtype(stack):
    torch.set_default_dtype(torch.float64)
    stack.callback(torch.set_default_dtype, torch.float32)


def both_ways(stack):
    """In such a block, `torch.set_default_device(None)` raises AssertionError."""
    set_device("cuda:1")(stack)
    stack.enter_context(torch.device("cuda"))


CHOICES = {
    "set_default_device": set_device("cuda"),
    "set_default_device(meta)": set_device("meta"),
    "with torch.device": lambda stack: stack.enter_context(torch.device("cuda")),
    "both": both_ways,
    "set_default_dtype": set_dtype,
    "no_grad": lambda stack: stack.enter_context(torch.no_grad()),
    "inference_mode": lambda stack: stack.enter_context(torch.inference_mode()),
    "autocast": lambda stack: stack.enter_context(torch.autocast("cpu")),
    "autocast on cuda": lambda stack: stack.enter_context(torch.autocast("cuda")),
}


@pytest.fixture(params=CHOICES)
def chosen(request):
    """A cell's choice, which is to be there again after each test."""
    with simulated_cuda(devices=2), ExitStack() as stack:
        CHOICES[request.param](stack)
        before = settings()
        yield request.param
        assert settings() == before
    assert torch.get_default_device().type == "cpu"


def settings():
    return (
        torch.get_default_device(),
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.is_autocast_enabled("cuda"),
        torch._C._len_torch_function_stack(),
    )


def test_a_class_is_judged_as_ever(chosen):
    report = check("04", CenterScale)

    assert report.verdict == "passed", (report.message, report.checks)


def test_a_file_is_not_judged_by_the_kernels_default_dtype(chosen, course):
    # What its first line makes is float32 in a process that no cell has changed.
    path = exercise_file(STEM)
    path.write_text(
        solution_file(STEM)
        .read_text(encoding="utf-8")
        .replace("class ", 'assert __import__("torch").ones(1).dtype.itemsize == 4\n\n\nclass ', 1),
        encoding="utf-8",
    )

    assert check("04").verdict == "passed"


def test_an_exams_fix_is_judged_as_ever(chosen):
    module = next(module for module in pool() if module.behaviour == "raises")

    assert judge(module, module.fixed).failed_by == ""


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
def test_a_default_device_that_is_not_there_is_no_error_of_ours():
    torch.set_default_device("cuda")
    try:
        assert check("04", CenterScale).verdict == "passed"
    finally:
        torch.set_default_device(None)


def test_an_audit_finds_what_it_finds_as_ever(chosen):
    report = audit(lambda: CenterScale(3), lambda: torch.randn(2, 3))

    assert (report.verdict, report.findings, report.left_out) == ("passed", (), ())


def test_a_prediction_shows_the_starter_on_the_cpu(chosen):
    shown = starter_map(find("03"))

    assert {(leaf.device, leaf.dtype) for leaf in shown.picture.leaves} == {("cpu", "float32")}
