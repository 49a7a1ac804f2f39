"""Tensors of lazy modules: no shape yet, but a device and a dtype that they will be made with."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.parameter import UninitializedTensorMixin  # type: ignore[attr-defined]

from ..devices import CPU, raw
from .tensor import swap


class _OnCuda:
    """What a lazy tensor becomes when its module moves to CUDA; its data stays an empty one."""

    place: torch.device

    @property
    def device(self) -> torch.device:
        return torch.device("cuda", self.place.index)

    @property
    def is_cuda(self) -> bool:
        return True

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        place = self.place if device is None else device
        made = torch.empty(shape, device=place, dtype=self.data.dtype if dtype is None else dtype)
        if isinstance(self, nn.Parameter):
            made = nn.Parameter(made, self.requires_grad)
        self.__class__ = self.cls_to_become
        del self.place
        swap(self, made)

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        copy = memo[id(self)] = _kind(self)(self.requires_grad)
        _settle(copy, stand_in(self))
        return copy

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return _kind(self), (self.requires_grad,)


# Called as PyTorch's own, since their names are what is printed.
_ON_CUDA: dict[type, Any] = {
    kind: type(kind.__name__, (_OnCuda, kind), {})
    for kind in (nn.UninitializedParameter, nn.UninitializedBuffer)
}


def new(cls: Any, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> Any:
    """`UninitializedParameter(device="cuda")`, and the same for a buffer."""
    wanted = torch.empty(0, device=device, dtype=dtype)
    data = torch.empty(0, device=CPU, dtype=wanted.dtype)
    lazy = torch.Tensor._make_subclass(cls, data, requires_grad)
    _settle(lazy, wanted)
    return lazy


def new_parameter(
    cls: Any, requires_grad: bool = True, device: Any = None, dtype: Any = None
) -> Any:
    """A Parameter requires a gradient unless it is told not to."""
    return new(cls, requires_grad, device, dtype)


def is_lazy(tensor: Any) -> bool:
    """Whether it waits for the first call to get its shape."""
    return isinstance(tensor, UninitializedTensorMixin)


def stand_in(tensor: Any) -> torch.Tensor:
    """An empty tensor with its device and dtype, to be moved in its stead."""
    return torch.empty(0, device=getattr(tensor, "place", CPU), dtype=tensor.data.dtype)


def moved_like(tensor: Any, moved: torch.Tensor) -> Any:
    """What moving it gives, when `moved` is what moving its stand-in gave.

    A module puts a new buffer in the old one's place, and swaps what is in a Parameter.
    """
    if isinstance(tensor, nn.Parameter):
        return moved
    buffer = nn.UninitializedBuffer()
    _settle(buffer, moved)
    return buffer


def swap_parameter(parameter: Any, moved: Any) -> None:
    """As `swap`, for a Parameter of any module."""
    if is_lazy(parameter):
        _settle(parameter, moved)
    else:
        swap(parameter, moved)


def _settle(lazy: Any, moved: Any) -> None:
    """Give it the device and the dtype of `moved`."""
    kind = _kind(lazy)
    vars(lazy).pop("place", None)
    lazy.__class__ = kind
    lazy.data = torch.empty(0, dtype=moved.dtype)
    if moved.device.type != "cpu":
        lazy.__class__ = _ON_CUDA[kind]
        lazy.place = raw(moved.device)


def _kind(lazy: Any) -> Any:
    parameter = isinstance(lazy, nn.UninitializedParameter)
    return nn.UninitializedParameter if parameter else nn.UninitializedBuffer
