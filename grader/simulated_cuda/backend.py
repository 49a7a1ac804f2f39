"""Every private corner of PyTorch that the simulated device stands on, in one file.

Tried on PyTorch 2.13.0. PyTorch lets one out-of-tree backend take the dispatch key `PrivateUse1`;
a private helper registers its device guard from Python. A name can be registered once per process
and never taken back, so `register` runs once and `disable()` only makes it unreachable.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import backend_registration

# What PyTorch's C++ calls the device. Learners never see it: names are translated both ways.
NAME = "simulated"

make_wrapper = torch.Tensor._make_wrapper_subclass
no_torch_function = torch._C.DisableTorchFunction
plain_torch_function = torch._C._disabled_torch_function_impl

_before: dict[str, Any] = {}


class _DeviceModule:
    """The little that PyTorch's C++ asks of a backend's Python module."""

    def __init__(self) -> None:
        self.__name__ = f"torch.{NAME}"

    def is_initialized(self) -> bool:
        return True

    def is_available(self) -> bool:
        return False

    def current_device(self) -> int:
        return 0

    def device_count(self) -> int:
        return 0

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None:
        """Seeding is done under the name "cuda"."""

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.float16, torch.bfloat16]


def register() -> None:
    """Register the backend, once per process, and hide the names it adds to torch."""
    if _before:
        return
    _before["accelerator"] = torch._C._accelerator_getAccelerator()
    names = {space: set(vars(space)) for space in _namespaces()}
    backend_registration._setup_privateuseone_for_python_backend(
        NAME, backend_module=_DeviceModule()
    )
    _before["names"] = {
        space: {name: vars(space)[name] for name in set(vars(space)) - old}
        for space, old in names.items()
    }
    forget_names()
    # PyTorch would name the backend here for ever; what it said before is what it says when off.
    answer = _before["accelerator"]
    torch._C._accelerator_getAccelerator = lambda: answer


def _namespaces() -> list[Any]:
    return [torch, torch.Tensor, torch.nn.Module, torch.UntypedStorage,
            torch.TypedStorage, torch.nn.utils.rnn.PackedSequence]


def forget_names() -> None:
    """Drop `torch.simulated`, `Tensor.is_simulated` and the like."""
    for space, names in _before["names"].items():
        for name in names:
            if name in vars(space):
                delattr(space, name)


def device(index: int) -> torch.device:
    return torch.device(NAME, index)


def fallback(function: Any) -> Any:
    """Send every operator of the backend's key to `function`, while the result is alive."""
    library = torch.library.Library("_", "IMPL")
    library.fallback(function, "PrivateUse1")
    return library


def set_backward_in_calling_thread(on: bool) -> bool:
    """Backward in the caller's thread: the guard knows one device, and modes are per thread."""
    before: bool = torch._C._is_multithreading_enabled()
    torch._C._set_multithreading_enabled(not on)
    return before


def resize_wrapper(wrapper: torch.Tensor, host: torch.Tensor) -> None:
    """Give the wrapper the sizes and strides of its host: `set_` as on the meta device."""
    with torch.utils._mode_utils.no_dispatch():
        before = torch._C._meta_in_tls_dispatch_include()
        torch._C._set_meta_in_tls_dispatch_include(True)
        try:
            torch.ops.aten.set_.source_Storage_storage_offset(
                wrapper,
                torch._C.TensorBase.untyped_storage(wrapper),
                host.storage_offset(),
                host.shape,
                host.stride(),
            )
        finally:
            torch._C._set_meta_in_tls_dispatch_include(before)


class tensor(torch.Tensor):  # noqa: N801  (PyTorch prints the name of the class)
    """A CPU tensor that the printer takes for another: its device and autograd are `like`'s."""

    __torch_function__ = plain_torch_function
    like: Any
    place: Any

    device = property(lambda self: self.place)  # type: ignore[assignment]
    grad_fn = property(lambda self: self.like.grad_fn)  # type: ignore[assignment]
    requires_grad = property(lambda self: self.like.requires_grad)  # type: ignore[assignment]


def print_as(like: Any, host: torch.Tensor, place: torch.device) -> str:
    """What `print` shows of `host`, as if it were `like` on the device `place`."""
    with no_torch_function(), torch.no_grad():
        shown: Any = host.detach().as_subclass(tensor)
        shown.like, shown.place = like, place
        return torch._tensor_str._str(shown)
