from collections.abc import Iterator

import pytest
from in_use import IS_NATIVE

from grader.simulated_cuda import simulated_cuda

# One process has one implementation, so make runs this folder once for each.
collect_ignore = ["python_device" if IS_NATIVE else "native"]


@pytest.fixture
def cuda() -> Iterator[None]:
    """Two simulated devices, whatever the machine has."""
    with simulated_cuda(devices=2):
        yield
