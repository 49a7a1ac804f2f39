"""The function mode: every call of PyTorch passes here, and "cuda" becomes the backend's name."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device

from . import backend, runtime
from .tensor import RAW, inside


def raw(device: Any) -> Any:
    """The backend's own name of a device; other devices stay as they are."""
    if isinstance(device, int) and not isinstance(device, bool):
        return RAW[runtime.ordinal(device)]
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device) and device.type == "cuda":
        return RAW[runtime.ordinal(device.index)]
    return device


def _raw_if_device(value: Any) -> Any:
    return raw(value) if isinstance(value, (str, torch.device, int)) else value


class CudaNames(TorchFunctionMode):
    """While it is on, "cuda" in any call means the simulated device."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if kwargs.get("device") is not None:
            kwargs["device"] = raw(kwargs["device"])
        elif _device.CURRENT_DEVICE is not None and func in _device._device_constructors():
            kwargs["device"] = raw(_device.CURRENT_DEVICE)
        special = CALLS.get(func)
        try:
            if special is not None:
                return special(self, func, args, kwargs)
            if type(func) is not FunctionType:
                return func(*args, **kwargs)
            before, inside.torch_code = inside.torch_code, True
            try:
                return func(*args, **kwargs)
            finally:
                inside.torch_code = before
        except RuntimeError as error:
            translate(error)
            raise


def translate(error: BaseException) -> None:
    """In a message that PyTorch's C++ wrote, the device is called cuda again."""
    if error.args and isinstance(error.args[0], str) and backend.NAME in error.args[0]:
        error.args = (error.args[0].replace(backend.NAME, "cuda"), *error.args[1:])


def _to(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    return func(*[_raw_if_device(a) for a in args], **kwargs)


def _cuda(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, *rest = args
    device = kwargs.pop("device", rest[0] if rest else None)
    device = raw("cuda" if device is None else device)
    kwargs = {k: v for k, v in kwargs.items() if k != "device"}
    return torch.Tensor.to(tensor, device, **kwargs)


def _tensor(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    device = kwargs.pop("device", None)
    if device is None or device.type != backend.NAME:
        return func(*args, device=device, **kwargs)
    grad = kwargs.pop("requires_grad", False)
    with torch.no_grad():
        made = func(*args, device="cpu", **kwargs).to(device)
    return made.requires_grad_() if grad else made


def _as_tensor(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    names = dict(zip(("data", "dtype", "device"), args, strict=False)) | kwargs
    device = raw(names.pop("device", None))
    made = func(**names)
    return made if device is None else made.to(device)


def _backward(mode: Any, func: Any, args: Any, kwargs: Any) -> None:
    names = ("self", "gradient", "retain_graph", "create_graph", "inputs")
    given = dict(zip(names, args, strict=False)) | kwargs
    tensor = given.pop("self")
    with mode:
        torch.autograd.backward(
            tensor,
            given.get("gradient"),
            given.get("retain_graph"),
            given.get("create_graph", False),
            inputs=given.get("inputs"),
        )


CALLS: dict[Any, Any] = {
    torch.Tensor.to: _to,
    torch.Tensor.cuda: _cuda,
    torch.tensor: _tensor,
    torch.as_tensor: _as_tensor,
    torch.Tensor.backward: _backward,
}
