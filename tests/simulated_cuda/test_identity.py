"""What a move keeps and what it replaces, as on CUDA."""

import weakref
from typing import Any

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("cuda")


def test_an_optimizer_built_before_the_move_goes_on() -> None:
    net = nn.Linear(2, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    before = net.cuda().weight.detach().clone()
    net(torch.ones(1, 2, device="cuda")).sum().backward()
    optimizer.step()
    assert not torch.equal(net.weight, before)


def test_what_holds_a_parameter_does_not_hold_up_its_move() -> None:
    net = nn.Linear(2, 2)
    hold, graph = weakref.ref(net.weight), net.weight * 2
    net.cuda()
    assert hold() is net.weight
    assert net.weight.is_cuda
    assert not graph.is_cuda


def test_hooks_move_along() -> None:
    net, seen = nn.Linear(2, 2), []
    net.weight.register_hook(lambda grad: seen.append(grad.device))
    net.cuda()(torch.ones(1, 2, device="cuda")).sum().backward()
    assert seen == [torch.device("cuda:0")]


def test_what_was_said_of_a_parameter_stays_said() -> None:
    net = nn.Linear(2, 2)
    net.weight.shared = True  # type: ignore[assignment]
    for move in (net.cuda, net.cpu):
        assert move().weight.shared is True
    assert vars(net.weight) == {"shared": True}


@pytest.mark.parametrize("kind", [nn.Parameter, nn.Buffer, torch.clone])
def test_data_may_move_between_devices(kind: Any) -> None:
    tensor = kind(torch.ones(2))
    was, grad = type(tensor), isinstance(tensor, nn.Parameter)
    optimizer = torch.optim.SGD([tensor], lr=1.0)
    for device in ("cuda:0", "cuda:1", "cpu"):
        tensor.data = tensor.data.to(device)
        assert str(tensor.device) == device
        assert isinstance(tensor, kind if grad else torch.Tensor)
        assert (tensor.requires_grad, tensor.is_leaf) == (grad, True)
        if grad:
            optimizer.zero_grad()
            (tensor * 1.0).sum().backward()
            optimizer.step()
    assert type(tensor) is was
    assert tensor.tolist() == ([-2, -2] if grad else [1, 1])


def test_data_takes_its_gradient_along_and_may_have_another_shape() -> None:
    weight = nn.Parameter(torch.ones(2))
    weight.sum().backward()
    weight.data = weight.data.cuda()
    assert weight.grad is not None
    weight.grad.data = weight.grad.data.cuda()
    assert weight.grad.is_cuda
    tensor = torch.ones(2)
    tensor.data = torch.zeros(2, 3, device="cuda:1")
    assert (tensor.shape, tensor.get_device()) == ((2, 3), 1)
    made = torch.ones(2, requires_grad=True) * 2
    made.data = made.data.cuda()
    assert made.grad_fn is not None
    assert made.is_cuda
