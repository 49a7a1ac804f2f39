"""On the device a Parameter keeps its class, as on CUDA: what the device in Python cannot give.

There each tensor is a `CudaTensor`, whatever it was.
"""

import copy

import pytest
import torch
from scaled import Net, Scaled

MOVES = {
    "cuda": lambda net: net.cuda(),
    "to": lambda net: net.to("cuda:1"),
    "half": lambda net: net.cuda().half(),
}


@pytest.mark.parametrize("how", MOVES)
def test_a_move_keeps_object_class_and_attributes(cuda, how):
    net = Net()
    weight = net.weight

    MOVES[how](net)

    assert net.weight is weight
    assert net.weight.is_cuda
    assert (type(net.weight), type(net.frozen)) == (Scaled, Scaled)
    assert (net.weight.rate(), net.weight.requires_grad) == (0.2, True)
    assert not net.frozen.requires_grad


def test_a_copy_keeps_the_class(cuda):
    for net in (copy.deepcopy(Net().cuda()), copy.deepcopy(Net()).cuda()):
        assert (type(net.weight), type(net.frozen)) == (Scaled, Scaled)
        assert net.weight.is_cuda
        assert not hasattr(net.weight, "scale")  # nor has it on the CPU


def test_it_can_be_made_there(cuda):
    weight = Scaled(torch.ones(2, device="cuda"))

    assert type(weight) is Scaled
    assert type(copy.deepcopy(weight)) is Scaled
