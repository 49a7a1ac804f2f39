"""What a move keeps and what it replaces, as on CUDA."""

import weakref

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("cuda")


def test_parameters_keep_their_identity_and_buffers_do_not() -> None:
    net = nn.BatchNorm1d(3)
    weight, mean = net.weight, net.running_mean
    for move in (net.cuda, lambda: net.cuda(1), net.half, net.cpu):
        move()
        assert net.weight is weight
        assert isinstance(weight, nn.Parameter)
    assert net.running_mean is not mean
    assert type(weight) is nn.Parameter


def test_ties_survive() -> None:
    table, out = nn.Embedding(4, 3), nn.Linear(3, 4, bias=False)
    out.weight = table.weight
    nn.ModuleList([table, out]).cuda()
    assert out.weight is table.weight
    assert out.weight.is_cuda


def test_a_gradient_moves_along() -> None:
    net = nn.Linear(2, 2)
    net.weight.sum().backward()
    net.cuda()
    assert net.weight.grad is not None
    assert net.weight.grad.is_cuda


def test_an_optimizer_built_before_the_move_goes_on() -> None:
    net = nn.Linear(2, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    before = net.cuda().weight.detach().clone()
    net(torch.ones(1, 2, device="cuda")).sum().backward()
    optimizer.step()
    assert not torch.equal(net.weight, before)


def test_eager_state_stays_behind() -> None:
    net = nn.Linear(2, 2)
    optimizer = torch.optim.Adagrad(net.parameters())
    net.cuda()(torch.ones(1, 2, device="cuda")).sum().backward()
    with pytest.raises(RuntimeError, match="cuda:0 and cpu"):
        optimizer.step()


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


def test_a_moved_leaf_is_no_leaf() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.cuda()
    y.sum().backward()
    assert not y.is_leaf
    assert x.grad is not None
    assert x.grad.device.type == "cpu"
