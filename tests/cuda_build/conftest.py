"""Tests on PyTorch's CUDA build, over the stand-in or a GPU: `make test-cuda-build` runs them."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest
import torch

ASK = "import torch; print(torch.cuda.get_device_name(0) if torch.cuda.is_available() else '')"


@cache
def cuda_device_name() -> str:
    """The first device's name, "" if there is none; asked in a process of its own.

    The question would keep the children that the tests' own process forks from using CUDA.
    """
    if torch.version.cuda is None:
        return ""
    ran = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("cuda_build")]
    if marked and not cuda_device_name():
        why = "needs PyTorch's CUDA build and a device: make cuda-build && make test-cuda-build"
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="session")
def device_name() -> str:
    return cuda_device_name()
