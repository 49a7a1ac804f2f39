"""It fails where CUDA fails, with CUDA's exception and CUDA's words; and only there."""

from typing import Any

import numpy as np
import pytest
import torch
from in_use import IS_NATIVE
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

pytestmark = pytest.mark.usefixtures("cuda")

SAME = "Expected all tensors to be on the same device, but "


def got(argument: str, method: str, here: str = "cpu", there: str = "cuda:0") -> str:
    return (
        f"{SAME}got {argument} is on {here}, different from other tensors on {there} "
        f"(when checking argument in method wrapper_CUDA_{method})"
    )


def two(one: str = "cuda:0", other: str = "cpu") -> str:
    return f"{SAME}found at least two devices, {one} and {other}!"


def c(*shape: int) -> Tensor:
    return torch.ones(shape)


def g(*shape: int) -> Tensor:
    return torch.ones(shape, device="cuda")


# One of each kind of words, and what the Python device checks by code of its own. The recordings
# have these, and the words of every operator and module.
CASES: dict[str, tuple[Any, str]] = {
    "a Parameter": (lambda: nn.Linear(3, 3)(g(1, 3)), got("mat1", "addmm", "cuda:0", "cpu")),
    "an input": (lambda: nn.Linear(3, 3).cuda()(c(1, 3)), got("mat1", "addmm")),
    "targets": (
        lambda: F.cross_entropy(g(2, 3), torch.tensor([0, 1])),
        got("target", "nll_loss_forward"),
    ),
    "batch norm": (
        lambda: nn.BatchNorm1d(3)(g(2, 3)),
        # cuDNN's only for more than two dimensions; the Python device knows no difference.
        got("weight", "_native_batch_norm" if IS_NATIVE else "_cudnn_batch_norm"),
    ),
    "add": (lambda: g(3) + c(3), two()),
    "two devices": (lambda: g(3) + g(3).cuda(1), two("cuda:0", "cuda:1")),
    "a cuda number on the cpu": (lambda: c(3) + g(), two()),
    "values": (lambda: g(3).__setitem__(torch.tensor([0, 1]), c(2)), two()),
    "index": (
        lambda: c(3)[torch.tensor([0], device="cuda")],
        "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
    ),
    "larger conv of a CPU input": (
        lambda: F.conv2d(c(16, 16, 32, 32), g(16, 16, 3, 3)),
        "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the "
        "same or input should be a MKLDNN tensor and weight is a dense tensor",
    ),
    "rnn hidden": (
        lambda: nn.GRU(3, 4).cuda()(g(5, 2, 3), c(1, 2, 4)),
        "Input and hidden tensors are not at the same device, found input tensor at cuda:0 and "
        "hidden tensor at cpu",
    ),
    "cuda generator": (
        lambda: c(2).uniform_(generator=torch.Generator(device="cuda")),
        "Expected a 'cpu' device type for generator but found 'cuda'",
    ),
    "masked_fill": (
        lambda: g(3).masked_fill_(c(3) > 0, 1),
        "expected self and mask to be on the same device, but got mask on cpu and self on cuda:0",
    ),
    "conv": (
        lambda: F.conv2d(g(1, 1, 3, 3), c(1, 1, 3, 3)),
        "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the "
        "same",
    ),
    "embedding of numbers": (
        lambda: F.embedding(g(2), g(3, 3)),
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
        "Long, Int; but got torch.cuda.FloatTensor instead (while checking arguments for "
        "embedding)",
    ),
    "accumulating index_put": (
        lambda: torch.ops.aten._index_put_impl_(g(3), [c(2).long()], c(2), True, False),
        "expected device cuda:0 but got device cpu for value tensor",
    ),
    "foreach": (
        lambda: torch._foreach_addcmul([g(2)], [torch.tensor(1.0)], [torch.tensor(1.0)]),
        "Trying to pass too many CPU scalars to non-CPU kernel!",
    ),
    "lengths": (
        lambda: nn.utils.rnn.pack_padded_sequence(g(5, 2, 3), torch.tensor([5, 3]).cuda()),
        "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
    ),
    "pin": (
        lambda: g(2).pin_memory(),
        "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned",
    ),
    "set_": (
        lambda: g(2).set_(c(2)),
        'Attempted to set the storage of a tensor on device "cuda:0" to a storage on different '
        'device "cpu".  This is no longer allowed; the devices must match.',
    ),
    "data": (
        lambda: setattr(g(2), "data", torch.empty(2, device="meta")),
        "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
        "incompatible tensor type.",
    ),
    "negative": (lambda: c(1).cuda(-1), "Device index must not be negative"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_words_are_cudas(case: str) -> None:
    call, words = CASES[case]
    with pytest.raises(RuntimeError) as caught:
        call()
    assert str(caught.value) == words


# PyTorch's `Tensor.__array__` has no `copy`, which NumPy 2 would pass.
@pytest.mark.filterwarnings(
    "ignore:__array__ implementation doesn't accept a copy:DeprecationWarning"
)
@pytest.mark.parametrize("call", [np.array, np.asarray, np.sin, Tensor.numpy])
def test_numpy_reads_cpu_memory_only(call: Any) -> None:
    with pytest.raises(TypeError) as caught:
        call(g(2))
    assert str(caught.value) == (
        "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
        "host memory first."
    )
    assert g(2).cpu().numpy().tolist() == [1, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: c(1).cuda(5),
        lambda: torch.zeros(1, device="cuda:9"),
        lambda: torch.cuda.set_device(7),
    ],
)
def test_a_device_that_is_not_there(call: Any) -> None:
    with pytest.raises(torch.AcceleratorError, match="CUDA error: invalid device ordinal"):
        call()


def test_what_cuda_allows_is_allowed() -> None:
    x = g(3)
    x[0] = torch.tensor(5.0)
    x[1:] = c(2)
    x.copy_(c(3))
    x[torch.tensor([0, 1])] = torch.tensor(3.0)
    assert x[torch.tensor([True, False, False])].is_cuda
    assert x[[0, 2]].tolist() == [3, 1]
    for number in (torch.tensor(2.0), 2.0):
        assert (x + number).tolist() == [5, 5, 3]
        assert (number * x).is_cuda
    assert torch.where(x > 2, x, torch.tensor(0.0)).tolist() == [3, 3, 0]
    assert x.masked_fill(x > 2, torch.tensor(0.0)).tolist() == [0, 0, 1]
    assert c(3).copy_(x).tolist() == [3, 3, 1]
    assert x.tolist() == [3, 3, 1]


def test_rows_of_a_foreach_are_checked_one_by_one() -> None:
    tensors = [g(2), torch.tensor(2.0)]
    results = torch._foreach_addcmul(tensors, tensors, tensors)
    assert [result.tolist() for result in results] == [[2, 2], 6]


def test_two_cpu_numbers_are_too_many() -> None:
    with pytest.raises(RuntimeError, match="Trying to pass too many CPU scalars"):
        torch.addcmul(g(3), c(), c())


def test_messages_of_modules_name_the_type() -> None:
    with pytest.raises(TypeError, match=r"cannot assign 'torch.cuda.FloatTensor' object to param"):
        nn.Module().register_parameter("p", g(2))  # type: ignore[arg-type]
