"""Lazy modules: what has no shape yet has a device and a dtype all the same."""

import copy
import io

import pytest
import torch
from torch import nn

from grader import simulated_cuda

MOVES = {
    "cuda": (lambda m: m.cuda(), "cuda:0", torch.float32),
    "cuda(1)": (lambda m: m.cuda(1), "cuda:1", torch.float32),
    "half": (lambda m: m.half(), "cpu", torch.float16),
    "cuda.half": (lambda m: m.cuda().half(), "cuda:0", torch.float16),
    "cuda.cpu": (lambda m: m.cuda().cpu(), "cpu", torch.float32),
    "to(device, dtype)": (lambda m: m.to("cuda:1", torch.float64), "cuda:1", torch.float64),
}


@pytest.fixture(autouse=True)
def cuda():
    with simulated_cuda(devices=2):
        yield


def places(module):
    state = [*module.parameters(), *(b for b in module.buffers() if b.is_floating_point())]
    return {(str(tensor.device), tensor.dtype) for tensor in state}


@pytest.mark.parametrize("move", MOVES)
def test_a_lazy_module_is_where_it_was_moved_to_before_and_after_its_first_call(move):
    moved, device, dtype = MOVES[move]
    module = moved(nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d()))

    before = places(module)
    out = module(torch.ones(2, 3, device=device, dtype=dtype))

    assert before == places(module) == {(device, dtype)}
    assert (str(out.device), out.dtype) == (device, dtype)


def test_a_copy_is_where_the_lazy_module_is():
    # Not a batch norm: PyTorch cannot copy a buffer without a shape, on any device.
    module = copy.deepcopy(nn.LazyLinear(4).cuda(1).double())

    assert places(module) == {("cuda:1", torch.float64)}
    module(torch.ones(2, 3, device="cuda:1", dtype=torch.float64))
    assert places(module) == {("cuda:1", torch.float64)}


def test_a_lazy_module_is_made_on_the_device_it_asks_for():
    module = nn.LazyLinear(4, device="cuda:1")

    assert places(module) == {("cuda:1", torch.float32)}
    assert module(torch.ones(2, 3, device="cuda:1")).device == module.weight.device


def test_a_lazy_module_that_stayed_behind_raises_in_its_first_call():
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        nn.LazyLinear(4)(torch.ones(2, 3, device="cuda"))


def test_an_optimizer_made_before_the_first_call_trains_what_the_call_makes():
    module = nn.LazyLinear(1).cuda()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    module(torch.ones(2, 3, device="cuda")).sum().backward()
    before = module.weight.detach().clone()

    optimizer.step()

    assert not torch.equal(module.weight, before)


def test_it_is_printed_and_saved_under_pytorch_s_own_name():
    module = nn.LazyLinear(4).cuda()
    file = io.BytesIO()

    torch.save(module.state_dict(), file)

    assert repr(module.weight) == "<UninitializedParameter>"
    assert b"simulated_cuda" not in file.getvalue()
