"""Every way to name a device, and what tensors say of theirs."""

from typing import Any

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("cuda")

WAYS: dict[str, Any] = {
    ".cuda()": lambda x: x.cuda(),
    ".cuda(0)": lambda x: x.cuda(0),
    ".cuda(device=)": lambda x: x.cuda(device="cuda:0"),
    ".to('cuda')": lambda x: x.to("cuda"),
    ".to(0)": lambda x: x.to(0),
    ".to(device=)": lambda x: x.to(device="cuda"),
    ".to(other)": lambda x: x.to(torch.ones(1, device="cuda")),
    ".to(device, dtype)": lambda x: x.to(torch.device("cuda"), torch.float64, non_blocking=True),
    ".type(name)": lambda x: x.type("torch.cuda.FloatTensor"),
    ".type(class)": lambda x: x.type(torch.cuda.FloatTensor),
    "new_zeros": lambda x: x.new_zeros(3, device="cuda"),
    "new_tensor": lambda x: x.cuda().new_tensor([1]),
    "zeros_like": lambda x: torch.zeros_like(x, device="cuda"),
    "randn_like": lambda x: torch.randn_like(x.cuda()),
    "full": lambda x: torch.full((2,), 1.0, device="cuda"),
    "arange": lambda x: torch.arange(3, device=0),
    "tensor": lambda x: torch.tensor([1.0], device="cuda"),
    "as_tensor": lambda x: torch.as_tensor(x, device="cuda"),
    "asarray": lambda x: torch.asarray([1], device="cuda"),
    "legacy": lambda x: torch.cuda.FloatTensor([1, 2]),
    "randperm": lambda x: torch.randperm(4, device="cuda"),
    "Linear": lambda x: nn.Linear(2, 2, device="cuda").weight,
    "sparse": lambda x: torch.eye(2).to_sparse().cuda(),
}


@pytest.mark.filterwarnings("ignore:The torch.cuda:UserWarning")
@pytest.mark.parametrize("way", WAYS)
def test_a_tensor_says_it_is_on_cuda(way: str) -> None:
    tensor = WAYS[way](torch.ones(2))
    assert str(tensor.device) == "cuda:0"
    assert tensor.is_cuda
    assert tensor.get_device() == 0
    assert tensor.cpu().device.type == "cpu"


MADE_LIKE: dict[str, Any] = {
    "new_tensor": lambda x: x.new_tensor([1.0]),
    "new_empty": lambda x: x.new_empty(2),
    "new_empty_strided": lambda x: x.new_empty_strided((2,), (1,)),
    "new_zeros": lambda x: x.new_zeros(2),
    "new_ones": lambda x: x.new_ones(2),
    "new_full": lambda x: x.new_full((2,), 1.0),
    "new": lambda x: x.new(2),
    "new(data)": lambda x: x.new([1, 2]),
    "empty_like": torch.empty_like,
    "zeros_like": torch.zeros_like,
    "ones_like": torch.ones_like,
    "full_like": lambda x: torch.full_like(x, 1.0),
    "rand_like": torch.rand_like,
    "randn_like": torch.randn_like,
    "randint_like": lambda x: torch.randint_like(x, 3),
}


@pytest.mark.parametrize("way", MADE_LIKE)
def test_what_is_made_like_a_tensor_is_where_it_is(way: str) -> None:
    made = MADE_LIKE[way](torch.ones(2, dtype=torch.float64, device="cuda:1"))
    assert str(made.device) == "cuda:1"
    assert made.dtype is torch.float64


def test_new_tensor_moves_what_it_copies() -> None:
    here, there = torch.ones(1), torch.ones(1, device="cuda:1")
    with pytest.warns(UserWarning, match="copy construct"):
        assert here.new_tensor(there).device.type == "cpu"
    with pytest.warns(UserWarning, match="copy construct"):
        assert there.new_tensor(here).get_device() == 1
    assert there.new_tensor([1], device="cuda:0").get_device() == 0
    assert there.new_tensor([1], device="cpu", dtype=torch.int8).dtype is torch.int8


def test_the_current_device_is_the_one_meant() -> None:
    x = torch.ones(2)
    with torch.cuda.device(1):
        assert torch.cuda.current_device() == 1
        assert x.cuda().device == torch.device("cuda:1")
    torch.cuda.set_device("cuda:1")
    assert torch.zeros(1, device="cuda").get_device() == 1
    torch.cuda.set_device(0)
    assert x.cuda().get_device() == 0


def test_default_devices() -> None:
    with torch.device("cuda"):
        assert torch.randn(2).is_cuda
        assert nn.Linear(2, 2).weight.is_cuda
        assert torch.tensor([1]).is_cuda
    assert not torch.randn(2).is_cuda
    torch.set_default_device("cuda:1")
    try:
        assert torch.zeros(2).get_device() == 1
    finally:
        torch.set_default_device(None)


def test_a_tensor_in_place_is_itself() -> None:
    x = torch.ones(2, device="cuda")
    assert x.cuda() is x
    assert x.to("cuda") is x
    assert x.cuda(1) is not x
    assert x.type() == "torch.cuda.FloatTensor"
    assert isinstance(x, torch.cuda.FloatTensor)
    assert not isinstance(x, torch.cuda.LongTensor)


def test_in_place_metadata() -> None:
    x = torch.arange(6.0, device="cuda").view(2, 3)
    x.t_()
    assert x.shape == (3, 2)
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]
    y = torch.ones(1, 3, device="cuda").squeeze_()
    assert y.shape == (3,)
    assert y.resize_(5).shape == (5,)
    z = torch.empty(0, device="cuda").set_(x)
    z[0, 0] = 9
    assert x[0, 0] == 9


def test_what_it_will_not_do_it_says() -> None:
    with pytest.raises(NotImplementedError) as caught:
        torch.cuda.CUDAGraph()
    words = "computes on the CPU: CUDA graphs need a real CUDA device."
    assert str(caught.value).endswith(words)
