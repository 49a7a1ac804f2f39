"""For the tests of any project: a simulated CUDA device, and whether a module moves to it.

    pytest --simulated-cuda tests       # two devices, on before any test module is imported
    pytest --simulated-cuda=4 tests
    pytest --audit-modules tests        # audits each class of module that the tests call

pytest finds this by its entry point and loads it at every start, so it imports torch only in use.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


class MoveWarning(UserWarning):
    """An audit found something to explain or to fix."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--simulated-cuda[=N]` and `--audit-modules` with its options."""
    parser.getgroup("simulated CUDA").addoption(
        "--simulated-cuda",
        nargs="?",
        const="2",
        metavar="N",
        help="make CUDA N simulated devices (2) before test modules are imported, so that tests "
        "behind `torch.cuda.is_available()` run; also in processes that the tests start",
    )
    audit = parser.getgroup("module audit")
    audit.addoption(
        "--audit-modules",
        action="store_true",
        help="audit each class of module that the tests call, between the tests; error findings "
        "make an otherwise successful session exit with 1",
    )
    audit.addoption(
        "--audit-budget",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="with --audit-modules: how long all audits of a process may take (300)",
    )
    audit.addoption(
        "--audit-report",
        type=Path,
        metavar="FILE",
        help="with --audit-modules: write the report as JSON too, or as a page if FILE is .html",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the hooks of `--audit-modules`, where it is given."""
    if config.getoption("audit_modules"):
        from grader.auditing import ModuleAudit

        options = config.option
        is_worker = hasattr(config, "workerinput")  # of pytest-xdist
        plugin = ModuleAudit(options.audit_budget, options.audit_report, is_worker)
        config.pluginmanager.register(plugin, "module-audit")


@pytest.hookimpl(wrapper=True, tryfirst=True)  # pytest's own wrapper imports the conftest files
def pytest_load_initial_conftests(early_config: Any, args: list[str]) -> Iterator[None]:
    """Turn the device on before any conftest file or test module is imported."""
    if _number_of_devices(early_config.known_args_namespace, args):
        _turn_on(early_config)
    return (yield)


def _number_of_devices(options: Any, args: list[str]) -> int:
    """What `--simulated-cuda` or the environment asks for; the environment says so afterwards.

    argparse takes the PATH of `--simulated-cuda PATH` for the option's value: it is given back.
    """
    from grader.simulated_cuda import DEVICES_VARIABLE, requested_devices

    given: str | None = options.simulated_cuda
    if given is not None and not given.isdecimal() and "--simulated-cuda" in args:
        args[args.index("--simulated-cuda")] = "--simulated-cuda=2"
        options.file_or_dir.insert(0, given)
        given = "2"
    if given is not None:
        if not given.isdecimal():
            message = f"--simulated-cuda={given}: give a number of devices: --simulated-cuda=2."
            raise pytest.UsageError(message)
        os.environ[DEVICES_VARIABLE] = given  # for xdist's workers, spawned children, ...
    try:
        return requested_devices()
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _turn_on(config: pytest.Config) -> None:
    from grader.simulated_cuda import disable, enable, is_enabled, requested_devices

    if is_enabled():
        return
    try:
        enable(requested_devices())
    except Exception as error:
        raise pytest.UsageError(f"The simulated CUDA device cannot be had: {error}") from error
    config.add_cleanup(disable)


def pytest_report_header() -> str | None:
    if not os.environ.get("SIMULATED_CUDA"):
        return None
    from grader.simulated_cuda import implementation, is_enabled

    if not is_enabled():
        return None
    import torch

    count = torch.cuda.device_count()
    noun = "device" if count == 1 else "devices"
    return f"simulated CUDA: {count} {noun}, {implementation()} implementation, no real GPU"


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
        AssertionError: there are error findings, or it could not be audited in full; with the
            report.
    """
    __tracebackhide__ = True
    from grader.auditing import audit
    from grader.render import to_text

    report = audit(module_or_factory, inputs)
    if report.exit_code:
        raise AssertionError(to_text(report))
    if report.findings:
        warnings.warn(to_text(report), MoveWarning, stacklevel=2)
