"""No module of `torch.nn` is accused of anything, as PyTorch's own list of them builds it."""

import sys
import types
import unittest
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit
from grader.probe.inspection.inputs import Inputs

# PyTorch's list asks for this package, of which it uses a base class only.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))  # type: ignore[arg-type]

PARTS = 8


def listed() -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        # The import would forbid every later test of this process, and what it forks, to set a
        # flag such as `torch.backends.cudnn.benchmark`.
        patch.setattr(torch.backends, "disable_global_flags", lambda: None)
        from torch.testing._internal.common_modules import module_db

    return list(module_db)


def single_precision(module: nn.Module) -> nn.Module:
    """Some arguments are float64 whatever dtype is asked for; PyTorch's own tests convert them."""
    doubles = [buffer for buffer in module.buffers() if buffer.dtype == torch.float64]
    return module.float() if doubles else module


def built(info: Any) -> Iterator[tuple[Any, Inputs]]:
    """Each way in which PyTorch tests a module: what makes it, and what to call it with."""
    samples = info.module_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=False, training=True
    )
    for sample in samples:
        arguments, given = sample.constructor_input, sample.forward_input
        if given is not None:
            yield (
                lambda a=arguments: single_precision(info.module_cls(*a.args, **a.kwargs)),
                Inputs(given.args, given.kwargs),
            )


def faults(info: Any, most: int) -> list[Any]:
    found = []
    for _, (make, inputs) in zip(range(most), built(info), strict=False):
        report = audit(make, inputs)
        errors = [finding for finding in report.findings if finding.severity == "error"]
        if report.verdict != "passed" or errors:
            found.append((info.name, report.verdict, report.message, errors))
    return found


@pytest.mark.search
@pytest.mark.parametrize("part", range(PARTS))
def test_every_module_passes(part):
    assert len(listed()) > 90
    assert [fault for info in listed()[part::PARTS] for fault in faults(info, most=2)] == []
