from collections.abc import Iterator

import pytest

from grader.simulated_cuda import simulated_cuda


@pytest.fixture
def cuda() -> Iterator[None]:
    """Two simulated devices, whatever the machine has."""
    with simulated_cuda(devices=2):
        yield
