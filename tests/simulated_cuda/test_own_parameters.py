"""A class of one's own for Parameters survives what it survives on the CPU and on CUDA.

`Module._apply` keeps the Parameter object and replaces its data, so class and attributes stay.
`copy.deepcopy` keeps the class and not the attributes: PyTorch's own `Parameter.__deepcopy__`.
"""

import pytest
import torch
from in_use import IS_NATIVE
from scaled import Net, Scaled


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
