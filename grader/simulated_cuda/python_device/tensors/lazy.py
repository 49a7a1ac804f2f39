"""Tensors of lazy modules: they have no shape yet, but a device and a dtype to be made with."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.parameter import UninitializedTensorMixin  # type: ignore[attr-defined]

from ..devices import CPU, raw
from .tensor import swap


class _OnCuda:
    """The class of a lazy tensor whose module moved to CUDA. Its data stays an empty CPU tensor.

    Attributes:
        backend_device: on which `materialize` makes the tensor.
    """

    backend_device: torch.device

    @property
    def device(self) -> torch.device:
        return torch.device("cuda", self.backend_device.index)

    @property
    def is_cuda(self) -> bool:
        return True

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        target = self.backend_device if device is None else device
        made = torch.empty(shape, device=target, dtype=self.data.dtype if dtype is None else dtype)
        if isinstance(self, nn.Parameter):
            made = nn.Parameter(made, self.requires_grad)
        self.__class__ = self.cls_to_become
        del self.backend_device
        swap(self, made)

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        copy = memo[id(self)] = _kind(self)(self.requires_grad)
        _settle(copy, stand_in(self))
        return copy

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return _kind(self), (self.requires_grad,)


# Named like PyTorch's classes, whose names are printed.
_ON_CUDA: dict[type, Any] = {
    kind: type(kind.__name__, (_OnCuda, kind), {})
    for kind in (nn.UninitializedParameter, nn.UninitializedBuffer)
}


def new(cls: Any, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> Any:
    """`UninitializedBuffer.__new__`, for any device."""
    like = torch.empty(0, device=device, dtype=dtype)
    data = torch.empty(0, device=CPU, dtype=like.dtype)
    lazy = torch.Tensor._make_subclass(cls, data, requires_grad)
    _settle(lazy, like)
    return lazy


def new_parameter(
    cls: Any, requires_grad: bool = True, device: Any = None, dtype: Any = None
) -> Any:
    """`UninitializedParameter.__new__`, for any device."""
    return new(cls, requires_grad, device, dtype)


def is_lazy(tensor: Any) -> bool:
    """Whether the tensor gets its shape in the first call of its module."""
    return isinstance(tensor, UninitializedTensorMixin)


def stand_in(tensor: Any) -> torch.Tensor:
    """An empty tensor with the device and dtype of a lazy one, to be moved in its place."""
    return torch.empty(0, device=getattr(tensor, "backend_device", CPU), dtype=tensor.data.dtype)


def moved_like(tensor: Any, moved: torch.Tensor) -> Any:
    """The result of moving a lazy tensor; `moved` is the result of moving its stand-in.

    `Module._apply` assigns a new buffer, but swaps Parameters (`swap_parameter`).
    """
    if isinstance(tensor, nn.Parameter):
        return moved
    buffer = nn.UninitializedBuffer()
    _settle(buffer, moved)
    return buffer


def swap_parameter(parameter: Any, moved: Any) -> None:
    """`torch.utils.swap_tensors`, with which `Module._apply` moves Parameters."""
    if is_lazy(parameter):
        _settle(parameter, moved)
    else:
        swap(parameter, moved)


def _settle(lazy: Any, moved: Any) -> None:
    """Give a lazy tensor the device and the dtype of `moved`."""
    kind = _kind(lazy)
    vars(lazy).pop("backend_device", None)
    lazy.__class__ = kind
    lazy.data = torch.empty(0, dtype=moved.dtype)
    if moved.device.type != "cpu":
        lazy.__class__ = _ON_CUDA[kind]
        lazy.backend_device = raw(moved.device)


def _kind(lazy: Any) -> Any:
    parameter = isinstance(lazy, nn.UninitializedParameter)
    return nn.UninitializedParameter if parameter else nn.UninitializedBuffer
