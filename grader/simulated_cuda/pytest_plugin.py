"""The simulated device for any test suite: an option, an ini key, a marker and a fixture.

    pytest --simulated-cuda tests           # two devices, on before any test module is imported
    simulated_cuda = 2                      # in pytest's configuration: where there is no GPU
    @pytest.mark.simulated_cuda(devices=4)  # one test

pytest finds this by its entry point and loads it at every start, so it imports torch only in use.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from . import DEVICES_VARIABLE, disable, enable, implementation, is_enabled, requested_devices
from .environment import NOTICE_VARIABLE
from .errors import SettingError

INI_KEY = "simulated_cuda"
MARKER = "simulated_cuda(devices=2): give the test so many simulated CUDA devices; 0: no GPU"
IS_ON = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--simulated-cuda[=N]`, and the key of the configuration."""
    parser.getgroup("simulated CUDA").addoption(
        "--simulated-cuda",
        nargs="?",
        const="2",
        metavar="N",
        help="make CUDA N simulated devices (2) before test modules are imported, so that tests "
        "behind `torch.cuda.is_available()` run; also in processes that the tests start",
    )
    parser.addini(INI_KEY, "as --simulated-cuda=N, on machines without a GPU")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # pytest's own wrapper imports the conftest files
def pytest_load_initial_conftests(early_config: Any, args: list[str]) -> Iterator[None]:
    """Turn the device on before any conftest file or test module is imported."""
    _tell_environment(early_config, args)
    try:
        _turn_on(early_config, requested_devices())
    except SettingError as error:
        raise pytest.UsageError(str(error)) from None
    return (yield)


def _tell_environment(config: Any, args: list[str]) -> None:
    """Set the variable as the option or else the ini key asks, for xdist's workers and children.

    A variable that is set overrides the ini key, and so does a GPU: the tests then run on that.
    """
    given, key = _option(config.known_args_namespace, args), config.getini(INI_KEY)
    if given is not None:
        _set(config, DEVICES_VARIABLE, _number(given, "--simulated-cuda="))
    elif key and not os.environ.get(DEVICES_VARIABLE) and not _has_gpu():
        _set(config, DEVICES_VARIABLE, _number(key, f"{INI_KEY} = "))


def _set(config: pytest.Config, variable: str, value: str) -> None:
    """Set a variable until the session ends: a program may call `pytest.main` and go on."""
    patch = pytest.MonkeyPatch()
    patch.setenv(variable, value)
    config.add_cleanup(patch.undo)


def _number(given: str, written: str) -> str:
    if not given.isdecimal():
        raise pytest.UsageError(f"{written}{given}: give a number of devices: {written}2.")
    return given


def _option(options: Any, args: list[str]) -> str | None:
    """The option's value. argparse takes the PATH of `--simulated-cuda PATH` for it: given back."""
    given: str | None = options.simulated_cuda
    if given is not None and not given.isdecimal() and "--simulated-cuda" in args:
        args[args.index("--simulated-cuda")] = "--simulated-cuda=2"
        options.file_or_dir.insert(0, given)
        return "2"
    return given


def _has_gpu() -> bool:
    """Whether CUDA is there, asked of NVML where it can be: CUDA's own answer forbids forks."""
    import torch

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
        return torch.cuda.is_available()


def _turn_on(config: pytest.Config, devices: int) -> None:
    if not devices:
        return
    _set(config, NOTICE_VARIABLE, "0")  # the header says it
    if is_enabled():
        return
    try:
        enable(devices)
    except Exception as error:
        raise pytest.UsageError(f"The simulated CUDA device cannot be had: {error}") from error
    config.add_cleanup(disable)


def pytest_report_header(config: pytest.Config) -> str | None:
    """What "cuda" means in these tests, if anything was asked for."""
    if not is_enabled():
        unused = config.getini(INI_KEY) and not os.environ.get(DEVICES_VARIABLE)
        return "simulated CUDA: off, as there is a GPU; --simulated-cuda is on" if unused else None
    import torch

    count = torch.cuda.device_count()
    noun = "device" if count == 1 else "devices"
    return f"simulated CUDA: {count} {noun}, {implementation()} implementation, no real GPU"


@pytest.hookimpl(wrapper=True)  # before the conditions of `skipif` are asked
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Turn the device on for a test that is marked, with its fixtures."""
    if item.get_closest_marker(INI_KEY):
        enable(_marked_devices(item))
        item.stash[IS_ON] = True
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Turn it off again, when the test's fixtures are gone."""
    try:
        return (yield)
    finally:
        if item.stash.get(IS_ON, False):
            del item.stash[IS_ON]
            disable()


def _marked_devices(item: pytest.Item) -> int:
    """How many devices the closest marker asks for; two without a number, or without a marker."""

    def marked(devices: int = 2) -> int:
        return devices

    marker = item.get_closest_marker(INI_KEY)
    return marked(*marker.args, **marker.kwargs) if marker else 2


@pytest.fixture
def simulated_cuda(request: pytest.FixtureRequest) -> Iterator[None]:
    """Make "cuda" two simulated devices, or as many as a marker says, for one test."""
    enable(_marked_devices(request.node))
    yield
    disable()
