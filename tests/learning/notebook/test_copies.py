"""Copies to the GPU, counted as notebook 07 counts them."""

import pytest
import torch

from grader import simulated_cuda
from grader.learning.notebook.copies import CountCopies


@pytest.fixture(autouse=True)
def cuda():
    with simulated_cuda(devices=2):
        yield


def test_only_copies_from_the_cpu_to_a_gpu_are_counted():
    x = torch.ones(3)
    with CountCopies() as count:
        on_gpu = x.to("cuda")
        on_gpu.to("cuda:1")
        on_gpu.cpu()
        x.to(torch.float64)

    assert count.copies == 1
