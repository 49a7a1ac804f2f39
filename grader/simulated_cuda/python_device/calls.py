"""The function mode: in every call of PyTorch, "cuda" becomes the backend's name."""

from __future__ import annotations

from functools import partial
from types import FunctionType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from . import backend, backward
from .backend import default as _device
from .devices import ordinal, raw
from .operators import randomness
from .tensors import lazy
from .tensors.tensor import CudaTensor, inside, move_data

_PROPERTY: Any = type(vars(torch._C.TensorBase)["grad"].__get__)
_SET_DATA: Any = vars(torch._C.TensorBase)["data"].__set__


class CudaNames(TorchFunctionMode):
    """While this mode is on, "cuda" in any call means the simulated device."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        try:
            if type(func) is _PROPERTY:
                if len(args) == 2 and func == _SET_DATA and type(args[1]) is CudaTensor:
                    return move_data(*args)
                return func(*args)
            kwargs = kwargs or {}
            if kwargs or _device.CURRENT_DEVICE is not None:
                _translate(func, args, kwargs)
            special = CALLS.get(func)
            if special is not None:
                return special(self, func, args, kwargs)
            if type(func) is not FunctionType:
                if kwargs and kwargs.pop("pin_memory", False):
                    return _pinned(func(*args, **kwargs))
                return func(*args, **kwargs)
            before, inside.torch_code = inside.torch_code, True
            try:
                return func(*args, **kwargs)
            finally:
                inside.torch_code = before
        except Exception as error:
            translate(error)
            raise


def _translate(func: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Rewrite the keyword arguments, in place, with the backend's names of devices."""
    if kwargs.get("device") is not None:
        kwargs["device"] = raw(kwargs["device"])
    elif _device.CURRENT_DEVICE is not None and func in backend.factories():
        kwargs["device"] = raw(_device.CURRENT_DEVICE)
    if kwargs.get("generator") is not None:
        _check_generator(args, kwargs)


def translate(error: BaseException) -> None:
    """Write cuda for the backend's name in a message of PyTorch's C++."""
    if error.args and isinstance(error.args[0], str) and backend.NAME in error.args[0]:
        error.args = (error.args[0].replace(backend.NAME, "cuda"), *error.args[1:])


def _check_generator(args: Any, kwargs: Any) -> None:
    first = args[0] if args else None
    if "device" not in kwargs and isinstance(first, torch.Tensor):
        index = first.index if isinstance(first, CudaTensor) else -1
    else:
        index = 0 if getattr(kwargs.get("device"), "type", "cpu") == backend.NAME else -1
    randomness.check(kwargs["generator"], index)


def _to(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, *rest = args
    if rest and isinstance(rest[0], (str, torch.device, int)):
        rest[0] = raw(rest[0])
    elif "other" in kwargs or (rest and isinstance(rest[0], CudaTensor)):
        other = kwargs.pop("other", None)
        other = rest.pop(0) if other is None else other
        rest[:0] = [raw(other.device), other.dtype]
    return func(tensor, *rest, **kwargs)


def _cuda(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, *rest = args
    device = kwargs.pop("device", None)
    for name, value in zip(("device", "non_blocking"), rest, strict=False):
        if name == "device":
            device = value
        else:
            kwargs[name] = value
    kwargs.pop("async", None)
    return torch.Tensor.to(tensor, raw("cuda" if device is None else device), **kwargs)


def _as_written(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    return func(*args, **kwargs)


def _also_lazy(call: Any) -> Any:
    """A handler that also moves lazy tensors, which have no shape: their stand-in is moved."""

    def move(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
        tensor = args[0]
        if not lazy.is_lazy(tensor):
            return call(mode, func, args, kwargs)
        moved = call(mode, func, (lazy.stand_in(tensor), *args[1:]), kwargs)
        return lazy.moved_like(tensor, moved)

    return move


def _tensor(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """`torch.tensor`: C++ fills the memory, so make the tensor on the CPU and move it."""
    device = kwargs.pop("device", None)
    if device is None and len(args) > 0 and isinstance(args[0], CudaTensor):
        device = raw(args[0].device)
    if device is None or device.type != backend.NAME:
        return func(*args, device=device, **kwargs)
    grad = kwargs.pop("requires_grad", False)
    kwargs.pop("pin_memory", None)
    with torch.no_grad():
        made = func(*args, device="cpu", **kwargs).to(device)
    return made.requires_grad_() if grad else made


def _new_tensor(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """`Tensor.new_tensor`: its device and dtype are those of the tensor it is called on."""
    tensor, *rest = args
    data = rest[0] if rest else kwargs.pop("data")
    if kwargs.get("device") is None:
        kwargs["device"] = raw(tensor.device)
    if kwargs.get("dtype") is None:
        kwargs["dtype"] = tensor.dtype
    return _tensor(mode, torch.tensor, (data,), kwargs)


def _new(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """`Tensor.new`, deprecated: C++ would make the tensor on the first device."""
    tensor, *rest = args
    if not isinstance(tensor, CudaTensor) or any(isinstance(v, torch.Tensor) for v in rest):
        return func(*args, **kwargs)
    return func(tensor.host, *rest).to(raw(tensor.device))


def _as_tensor(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    given = dict(zip(("data", "dtype", "device"), args, strict=False)) | kwargs
    device = raw(given.pop("device", None))
    data = given.pop("data", given.pop("obj", None))
    if isinstance(data, CudaTensor):
        made = data if given.get("dtype") is None else data.to(given["dtype"])
    else:
        made = torch.as_tensor(data, dtype=given.get("dtype"))
    return made if device is None else made.to(device)


def _type(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """`Tensor.type("torch.cuda.FloatTensor")` moves the tensor, too."""
    tensor, *rest = args
    kind = rest[0] if rest else kwargs.get("dtype")
    if kind is None:
        return func(tensor)
    if isinstance(kind, torch.dtype):
        return torch.Tensor.to(tensor, kind)
    name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
    target = raw("cuda") if name.startswith("torch.cuda.") else "cpu"
    dtype = torch.empty(0).type(name.replace("torch.cuda.", "torch.")).dtype
    return torch.Tensor.to(tensor, target, dtype)


def _register_hook(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, hook = args
    return func(tensor, backward.deferring(hook), **kwargs)


def _pinned(tensor: Any) -> Any:
    ordinal()  # only a machine with a GPU pins memory
    tensor._pinned = True
    return tensor


def _pin_memory(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    tensor = args[0]
    if isinstance(tensor, CudaTensor):
        raise RuntimeError(f"cannot pin '{tensor.type()}' only dense CPU tensors can be pinned")
    return tensor if getattr(tensor, "_pinned", False) else _pinned(tensor.clone())


def _is_pinned(mode: Any, func: Any, args: Any, kwargs: Any) -> bool:
    return getattr(args[0], "_pinned", False)


def _without_out(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    """Functions with `out=` that C++ does not fill for wrappers: copy the result into it."""
    out = kwargs.pop("out", None)
    result = func(*args, **kwargs)
    return result if out is None else out.resize_(result.shape).copy_(result)


def _numpy(mode: Any, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, *rest = args
    method = tensor.numpy if isinstance(tensor, CudaTensor) else partial(func, tensor)
    return method(*rest, **kwargs)


# Handlers of functions that need more than other names of devices.
CALLS: dict[Any, Any] = {
    torch.Tensor.numpy: _numpy,
    torch.linalg.matrix_rank: _without_out,
    torch.matmul: _without_out,
    torch.Tensor.to: _also_lazy(_to),
    torch.Tensor.cuda: _also_lazy(_cuda),
    torch.Tensor.cpu: _also_lazy(_as_written),
    torch.Tensor.half: _also_lazy(_as_written),
    torch.Tensor.float: _also_lazy(_as_written),
    torch.Tensor.double: _also_lazy(_as_written),
    torch.tensor: _tensor,
    torch.Tensor.new_tensor: _new_tensor,
    torch.Tensor.new: _new,
    torch.as_tensor: _as_tensor,
    torch.asarray: _as_tensor,
    torch.Tensor.type: _type,
    torch.Tensor.register_hook: _register_hook,
    torch.Tensor.register_post_accumulate_grad_hook: _register_hook,
    torch.Tensor.pin_memory: _pin_memory,
    torch.Tensor.is_pinned: _is_pinned,
}
