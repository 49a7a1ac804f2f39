"""The backend that the Python device registers with PyTorch, and calls past PyTorch's Python.

PyTorch lets one out-of-tree backend take the dispatch key `PrivateUse1`, and a private helper
registers that backend's device guard from Python. A backend's name can be registered once per
process and never taken back: `register` runs once, and hides what it leaves. The private names
used here are in `torch_private`.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import torch
from torch.utils import _device, backend_registration

# The device type in PyTorch's C++. Code sees "cuda": `calls` translates the names both ways.
NAME = "simulated"

Library: Any = torch.library.Library
make_wrapper = torch.Tensor._make_wrapper_subclass
plain_torch_function = torch._C._disabled_torch_function_impl
swap_implementation = torch._C._swap_tensor_impl
no_torch_function = torch._C.DisableTorchFunction
mode_is_on = torch._C._is_torch_function_mode_enabled
factories = _device._device_constructors
# `default.CURRENT_DEVICE`: what `with torch.device(...)` or `set_default_device` chose.
default = _device
AUTOCAST = "AutocastPrivateUse1"
_before: dict[str, Any] = {}


class _DeviceModule:
    """`torch.simulated`, the module that PyTorch expects of a backend: no devices of its own."""

    __name__ = f"torch.{NAME}"

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
        """Do nothing: `torch.manual_seed` seeds the devices under the name "cuda"."""


class _Guard(torch._C._acc.DeviceGuard):
    """The device guard. `type_` is a C function, as backward calls it for every node."""

    type_ = repeat(torch._C._autograd.DeviceType.PrivateUse1).__next__  # type: ignore[assignment]


def register() -> None:
    """Register the backend, once per process, and hide the names it adds to torch."""
    if _before:
        return
    spaces: list[Any] = [
        torch,
        torch.Tensor,
        torch.nn.Module,
        torch.UntypedStorage,
        torch.TypedStorage,
        torch.nn.utils.rnn.PackedSequence,
    ]
    _before["accelerator"] = torch._C._accelerator_getAccelerator()
    names = [set(vars(space)) for space in spaces]
    # The first backward of a process starts a thread for each device, after which a forked child
    # cannot run one. Our device needs no thread, so that backward is run before it exists.
    torch.ones((), requires_grad=True).backward()  # type: ignore[no-untyped-call]
    backend_registration._setup_privateuseone_for_python_backend(
        NAME, backend_module=_DeviceModule(), device_guard=_Guard()
    )
    for space, old in zip(spaces, names, strict=True):
        for name in set(vars(space)) - old:
            delattr(space, name)
    # From now on C++ would name the backend here, even while the device is off.
    accelerator = _before["accelerator"]
    torch._C._accelerator_getAccelerator = lambda: accelerator


def device(index: int) -> torch.device:
    """The backend's own name of a device: `privateuseone` until `register` has renamed it."""
    return torch.device("privateuseone", index)


def fallback(function: Any) -> list[Any]:
    """Send every operator of the backend's keys to `function`, as long as the result is alive.

    Each registration visits all operators of PyTorch, which takes about 10 ms.
    """
    libraries = []
    for key in ("PrivateUse1", "SparsePrivateUse1", "SparseCsrPrivateUse1"):
        library = Library("_", "IMPL")
        library.fallback(function, key)
        libraries.append(library)
    autocast = Library("_", "IMPL")
    autocast.fallback(torch.library.fallthrough_kernel, AUTOCAST)
    # C++ that makes tensors from Python data excludes the wrappers' Python key and calls `copy_`,
    # whose composite kernel comes before a fallback.
    aten = Library("aten", "IMPL")
    aten.impl("copy_", lambda *args: function(torch.ops.aten.copy_.default, *args), "PrivateUse1")
    return [*libraries, autocast, aten]


def backward_in_calling_thread(on: bool) -> bool:
    """Let backward run in the calling thread or not; return whether it did before.

    Our guard knows one device, and function modes are thread-local.
    """
    before = not torch._C._is_multithreading_enabled()
    torch._C._set_multithreading_enabled(not on)
    return before


def is_composite(name: str, kind: str = "CompositeExplicitAutograd") -> bool:
    """Whether the operator has one kernel for all devices, which calls other operators."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, kind)


def run_composite(func: Any, args: Any, kwargs: Any) -> Any:
    """Run a composite's kernel: the inner operator that checks devices raises."""
    return func._op_dk(torch._C.DispatchKey.CompositeExplicitAutograd, *args, **kwargs)


def resize_wrapper(wrapper: torch.Tensor, host: torch.Tensor) -> None:
    """Give the wrapper its host's sizes, strides and offset, with the `set_` of meta tensors."""
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
    """A CPU tensor that prints as `like`: with its `grad_fn` and on `shown_on`."""

    __torch_function__ = plain_torch_function  # type: ignore[assignment]
    like: Any
    shown_on: Any

    device = property(lambda self: self.shown_on)
    grad_fn = property(lambda self: self.like.grad_fn)
    requires_grad = property(lambda self: self.like.requires_grad)


def print_as(like: Any, host: torch.Tensor, device: torch.device) -> str:
    """The text of `host`, as if it were `like` on `device`."""
    with no_torch_function(), torch.no_grad():
        if host.layout is not torch.strided:
            text = torch._tensor_str._str(host)  # type: ignore[no-untyped-call]
            return text.replace("size=", f"device='{device}', size=", 1)  # type: ignore[no-any-return]
        shown: Any = host.detach().as_subclass(tensor)
        shown.like, shown.shown_on = like, device
        return torch._tensor_str._str(shown)  # type: ignore[no-any-return, no-untyped-call]


def make_sparse_wrapper(kind: Any, host: torch.Tensor, device: torch.device) -> Any:
    """A wrapper of a sparse host; C++ has wrappers of COO, so compressed layouts are strided."""
    layout = host.layout if host.layout is torch.sparse_coo else torch.strided
    return make_wrapper(kind, host.shape, dtype=host.dtype, layout=layout, device=device)


def set_data(tensor: torch.Tensor, new: torch.Tensor) -> None:
    """`tensor.data = new`, past any override of `data`."""
    torch._C.TensorBase.data.__set__(tensor, new)  # type: ignore[attr-defined]


def without_autocast() -> Any:
    """A context manager inside which the backend's autocast kernels are skipped."""
    return torch._C._ExcludeDispatchKeyGuard(
        torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)  # type: ignore[attr-defined]
    )
