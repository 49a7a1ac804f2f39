"""Every private corner of PyTorch that the simulated device stands on, in one file.

PyTorch lets one out-of-tree backend take the dispatch key `PrivateUse1`, and a private helper
registers that backend's device guard from Python. A backend's name can be registered once per
process and never taken back: `register` runs once, and hides what it leaves.

Tried on PyTorch 2.13.0 (CPU build) and 2.11.0 (CUDA build, no driver).
tests/simulated_cuda/test_backend.py names what broke when it changes.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import torch
from torch.utils import _device, backend_registration

# What PyTorch's C++ calls the device. Learners never see it: names are translated both ways.
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
    """The little that PyTorch's C++ asks of a backend's Python module."""

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
        """Seeding is done under the name "cuda"."""


class _Guard(torch._C._acc.DeviceGuard):
    """C++ asks for the type many times in each backward, so no Python runs to answer."""

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
    # The first backward starts a thread for each device there is, after which a forked child
    # cannot run one; our device needs none, so let the first be before it exists.
    torch.ones((), requires_grad=True).backward()  # type: ignore[no-untyped-call]
    backend_registration._setup_privateuseone_for_python_backend(
        NAME, backend_module=_DeviceModule(), device_guard=_Guard()
    )
    for space, old in zip(spaces, names, strict=True):
        for name in set(vars(space)) - old:
            delattr(space, name)
    # PyTorch would name the backend here for ever; what it said before is what it says when off.
    answer = _before["accelerator"]
    torch._C._accelerator_getAccelerator = lambda: answer


def device(index: int) -> torch.device:
    """The backend's own name of a device: `privateuseone` until `register` has renamed it."""
    return torch.device("privateuseone", index)


def fallback(function: Any) -> list[Any]:
    """Send every operator of the backend's keys to `function`, while the result is alive.

    Each registration goes over all operators there are, some 10 ms.
    """
    libraries = []
    for key in ("PrivateUse1", "SparsePrivateUse1", "SparseCsrPrivateUse1"):
        library = Library("_", "IMPL")
        library.fallback(function, key)
        libraries.append(library)
    autocast = Library("_", "IMPL")
    autocast.fallback(torch.library.fallthrough_kernel, AUTOCAST)
    # C++ that makes tensors from Python data copies with the wrappers' own key turned off, and
    # then PyTorch's composite `copy_` would hide the fallback.
    aten = Library("aten", "IMPL")
    aten.impl("copy_", lambda *args: function(torch.ops.aten.copy_.default, *args), "PrivateUse1")
    return [*libraries, autocast, aten]


def backward_in_calling_thread(on: bool) -> bool:
    """Backward in the caller's thread: the guard knows one device, and modes are per thread."""
    before = not torch._C._is_multithreading_enabled()
    torch._C._set_multithreading_enabled(not on)
    return before


def is_composite(name: str, kind: str = "CompositeExplicitAutograd") -> bool:
    """Whether an operator is written in terms of others, for every device alike."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, kind)


def run_composite(func: Any, args: Any, kwargs: Any) -> Any:
    """Run such an operator step by step, so that the step that fails can say so."""
    return func._op_dk(torch._C.DispatchKey.CompositeExplicitAutograd, *args, **kwargs)


def resize_wrapper(wrapper: torch.Tensor, host: torch.Tensor) -> None:
    """Give the wrapper the sizes and strides of its host: `set_`, as on the meta device."""
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

    __torch_function__ = plain_torch_function  # type: ignore[assignment]
    like: Any
    place: Any

    device = property(lambda self: self.place)
    grad_fn = property(lambda self: self.like.grad_fn)
    requires_grad = property(lambda self: self.like.requires_grad)


def print_as(like: Any, host: torch.Tensor, place: torch.device) -> str:
    """What `print` shows of `host`, as if it were `like` on the device `place`."""
    with no_torch_function(), torch.no_grad():
        if host.layout is not torch.strided:
            text = torch._tensor_str._str(host)  # type: ignore[no-untyped-call]
            return text.replace("size=", f"device='{place}', size=", 1)  # type: ignore[no-any-return]
        shown: Any = host.detach().as_subclass(tensor)
        shown.like, shown.place = like, place
        return torch._tensor_str._str(shown)  # type: ignore[no-any-return, no-untyped-call]


def make_sparse_wrapper(kind: Any, host: torch.Tensor, device: torch.device) -> Any:
    """PyTorch makes COO wrappers; the compressed layouts it takes for strided in C++."""
    layout = host.layout if host.layout is torch.sparse_coo else torch.strided
    return make_wrapper(kind, host.shape, dtype=host.dtype, layout=layout, device=device)


def set_data(tensor: torch.Tensor, new: torch.Tensor) -> None:
    """`tensor.data = new`, past any override of `data`."""
    torch._C.TensorBase.data.__set__(tensor, new)  # type: ignore[attr-defined]


def without_autocast() -> Any:
    """A context in which the backend's autocast rules do not apply."""
    return torch._C._ExcludeDispatchKeyGuard(
        torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)  # type: ignore[attr-defined]
    )
