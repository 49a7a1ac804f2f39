"""Copies to the GPU, counted as notebook 07 counts them."""

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

from grader import simulated_cuda
from grader.learning.notebook.copies import PLACES, CountCopies, one_pass


@pytest.fixture(autouse=True)
def cuda():
    with simulated_cuda(devices=2):
        yield


@pytest.mark.parametrize(
    ("position", "copies", "target"),
    [
        ("dataset", 2 * 6, "cuda"),
        ("collate function", 2 * 3, "cuda"),
        ("training loop", 2 * 3, "cuda"),
        ("forward", 3, "cpu"),
    ],
)
def test_a_pass_over_six_objects_in_three_batches(position, copies, target):
    objects = TensorDataset(torch.randn(6, 4), torch.zeros(6))

    assert one_pass(position, objects, nn.Linear(4, 1).cuda(), batch_size=2) == (copies, target)


def test_every_place_is_tried():
    assert len(PLACES) == 4


def test_only_copies_from_the_cpu_to_a_gpu_are_counted():
    x = torch.ones(3)
    with CountCopies() as count:
        on_gpu = x.to("cuda")
        on_gpu.to("cuda:1")
        on_gpu.cpu()
        x.to(torch.float64)

    assert count.copies == 1
