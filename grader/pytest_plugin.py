"""For the tests of any project: a simulated CUDA device, and whether a module moves to it.

pytest finds this by its entry point and loads it at every start, so it imports torch only in use.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest


class MoveWarning(UserWarning):
    """An audit found something to explain or to fix."""


@pytest.fixture
def simulated_cuda() -> Iterator[None]:
    """Make "cuda" two simulated devices for the length of one test, whatever the machine has."""
    from grader.simulated_cuda import simulated_cuda

    with simulated_cuda(devices=2):
        yield


@pytest.fixture(name="assert_moves")
def _assert_moves() -> Callable[..., None]:
    """The function of that name, for tests that would rather not import it."""
    return assert_moves


def assert_moves(module_or_factory: Any, inputs: Any = None) -> None:
    """Assert that an audit finds no error, on the GPU if there is one, else on a simulated one.

    Args:
        module_or_factory: an `nn.Module`, which is never changed, or what makes one.
        inputs: what to call it with, on the CPU: a tensor, a tuple of arguments, or a dict of
            keyword arguments. Without them, only its structure is looked at.

    Raises:
        AssertionError: there are error findings, or it could not be audited; with the report.
    """
    __tracebackhide__ = True
    from grader.auditing import audit
    from grader.render.text import to_text

    report = audit(module_or_factory, inputs)
    if report.exit_code:
        raise AssertionError(to_text(report))
    if report.findings:
        warnings.warn(to_text(report), MoveWarning, stacklevel=2)
