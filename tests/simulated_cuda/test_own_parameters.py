"""A class of one's own for Parameters survives what it survives on the CPU and on CUDA.

`Module._apply` keeps the Parameter object and replaces its data, so class and attributes stay.
`copy.deepcopy` keeps the class and not the attributes: PyTorch's own `Parameter.__deepcopy__`.
"""

import copy

import pytest
import torch
from in_use import IS_NATIVE
from torch import nn

on_cuda_too = pytest.mark.skipif(
    not IS_NATIVE, reason="a tensor on the Python device is a CudaTensor, whatever it was"
)


class Scaled(nn.Parameter):
    """A Parameter that knows its learning rate."""

    def rate(self):
        return getattr(self, "scale", 1.0) * 0.1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = Scaled(torch.ones(3))
        self.frozen = Scaled(torch.ones(3), requires_grad=False)
        self.weight.scale = 2.0

    def forward(self, x):
        return x * self.weight * self.frozen


MOVES = {
    "cuda": lambda net: net.cuda(),
    "to": lambda net: net.to("cuda:1"),
    "half": lambda net: net.cuda().half(),
}


@on_cuda_too
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


@on_cuda_too
def test_a_copy_keeps_the_class(cuda):
    for net in (copy.deepcopy(Net().cuda()), copy.deepcopy(Net()).cuda()):
        assert (type(net.weight), type(net.frozen)) == (Scaled, Scaled)
        assert net.weight.is_cuda
        assert not hasattr(net.weight, "scale")  # nor has it on the CPU


@on_cuda_too
def test_it_can_be_made_there(cuda):
    weight = Scaled(torch.ones(2, device="cuda"))

    assert type(weight) is Scaled
    assert type(copy.deepcopy(weight)) is Scaled


def test_a_way_there_and_back_keeps_them(cuda):
    net = Net()
    weight = net.weight

    net.cuda().cpu()

    assert net.weight is weight
    assert (type(net.weight), type(net.frozen)) == (Scaled, Scaled)
    assert (net.weight.rate(), vars(net.weight)) == (0.2, {"scale": 2.0})


def test_loading_a_state_keeps_them(cuda):
    net = Net()
    net.load_state_dict(Net().cuda().state_dict())

    assert type(net.weight) is Scaled
    assert net.weight.rate() == 0.2


def test_it_is_trained(cuda):
    net = Net().cuda()

    net(torch.ones(3, device="cuda")).sum().backward()
    torch.optim.SGD([net.weight], lr=net.weight.rate() if IS_NATIVE else 0.2).step()

    assert net.weight.tolist() == pytest.approx([0.8, 0.8, 0.8])
