from collections.abc import Iterator

import pytest

from grader.simulated_cuda import implementation, simulated_cuda

IS_NATIVE = implementation() == "native"
# One process has one implementation, so make runs this folder once for each.
collect_ignore = ["python_device" if IS_NATIVE else "native"]


@pytest.fixture
def cuda() -> Iterator[None]:
    """Two simulated devices, whatever the machine has."""
    with simulated_cuda(devices=2):
        yield
