"""The tensor that reports a CUDA device, with the CPU tensor inside it that has the values."""

from __future__ import annotations

import threading
from typing import Any

import torch

from .. import backend
from ..devices import CPU, CUDA, RAW
from . import saving

STRIDED = torch.strided
_OF_A_WRAPPER = frozenset(("host", "index", "_is_param", "_class_on_cpu"))
make_wrapper = backend.make_wrapper


class _Inside(threading.local):
    """Whether this thread is inside the body of one of PyTorch's own Python functions.

    There the function mode is off, so the `device=x.device` of such a body must already be
    the name that PyTorch's C++ knows.
    """

    torch_code = False


inside = _Inside()


class CudaTensor(torch.Tensor):
    """A wrapper: it has sizes, strides and autograd, but no memory.

    Attributes:
        host: the CPU tensor with the values.
        index: of the CUDA device that it reports.
    """

    host: torch.Tensor
    index: int  # type: ignore[assignment]

    __torch_function__ = backend.plain_torch_function  # type: ignore[assignment]
    # __torch_dispatch__ is set by dispatch.py, which needs this class.

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        """The CUDA device; inside PyTorch's own Python code the backend's, which C++ knows."""
        return (RAW if inside.torch_code else CUDA)[self.index]

    @property
    def is_cuda(self) -> bool:  # type: ignore[override]
        """True: the tensor reports a CUDA device."""
        return True

    @property
    def layout(self) -> torch.layout:  # type: ignore[override]
        """The host's: wrappers of compressed sparse tensors are strided in C++."""
        return self.host.layout

    @property
    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """Whether the host is CSR; C++ would say no."""
        return self.host.is_sparse_csr

    @property
    def data(self) -> torch.Tensor:
        """A detached tensor with the same memory."""
        return self.detach()

    @data.setter
    def data(self, new: torch.Tensor) -> None:
        """Rebind to `new`'s memory and device; hooks and references to the object stay."""
        with backend.no_torch_function():
            if isinstance(new, CudaTensor):
                backend.set_data(self, new)
                self.host, self.index = new.host, new.index
            else:
                move_data(self, new)

    def get_device(self) -> int:
        """The index of the device."""
        return self.index

    def data_ptr(self) -> int:
        """The address of the host's first value."""
        return self.host.data_ptr()

    def untyped_storage(self) -> torch.UntypedStorage:
        """The host's storage, as one that reports the CUDA device."""
        return saving.storage_of(self)  # type: ignore[no-any-return]

    def type(self, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        """The type's name, `torch.cuda.FloatTensor`, or this tensor in the type `dtype`."""
        if dtype is None:
            return self.host.type().replace("torch.", "torch.cuda.")
        return torch.Tensor.type(self, dtype, non_blocking, **kwargs)

    def record_stream(self, stream: Any) -> None:
        """Do nothing: no stream is still using the memory when a call returns."""

    def numpy(self, *, force: bool = False) -> Any:
        """A copy as an array with `force`.

        Raises:
            RuntimeError, TypeError: without `force`, in CUDA's words.
        """
        if force:
            return self.detach().cpu().numpy()
        if self.requires_grad:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. "
                "Use tensor.detach().numpy() instead."
            )
        raise TypeError(
            f"can't convert {CUDA[self.index]} device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.numpy()

    def tolist(self) -> Any:
        """The values as Python numbers, in nested lists."""
        return self.host.tolist()

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        text = backend.print_as(self, self.host, CUDA[self.index])
        return f"Parameter containing:\n{text}" if isinstance(self, torch.nn.Parameter) else text

    def __format__(self, spec: str) -> str:
        return self.item().__format__(spec) if self.dim() == 0 else object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:  # PyTorch's raises
            return super().__deepcopy__(memo)  # type: ignore[no-untyped-call]
        copy: Any = self.detach().clone(memory_format=torch.preserve_format)
        copy.requires_grad_(self.requires_grad)
        if isinstance(self, torch.nn.Parameter):
            copy._is_param = True
        elif self.grad is not None:
            copy.grad = self.grad.__deepcopy__(memo)  # type: ignore[no-untyped-call]
        memo[id(self)] = copy
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        return saving.reduce(self)


def wrap(host: torch.Tensor, index: int) -> CudaTensor:
    """A new tensor on cuda:`index` whose values are `host`'s."""
    if host.layout is STRIDED:
        wrapper: CudaTensor = make_wrapper(
            CudaTensor,
            host.shape,
            host.stride(),
            host.storage_offset(),
            None,
            host.dtype,
            STRIDED,
            RAW[index],
        )
    else:
        wrapper = backend.make_sparse_wrapper(CudaTensor, host, RAW[index])
    wrapper.host = host
    wrapper.index = index
    return wrapper


def swap(parameter: Any, moved: Any) -> None:
    """Move a Parameter as CUDA does: rebind the Python object to `moved`, and keep it.

    PyTorch's `swap_tensors` refuses where a weak reference or a graph holds the parameter, and a
    move to CUDA does not; it also leaves the hooks with the old tensor.
    """
    hooks = parameter._backward_hooks, parameter._post_accumulate_grad_hooks
    kind = vars(parameter).get("_class_on_cpu", type(parameter))
    own = {k: v for k, v in vars(parameter).items() if k not in _OF_A_WRAPPER}
    parameter.__class__, moved.__class__ = moved.__class__, parameter.__class__
    parameter.__dict__, moved.__dict__ = {**own, **vars(moved)}, vars(parameter)
    backend.swap_implementation(parameter, moved)
    if issubclass(kind, torch.nn.Parameter) and kind is not torch.nn.Parameter:
        _keep_class(parameter, kind)
    if hooks[0] is not None:
        parameter._backward_hooks = hooks[0]
    if hooks[1] is not None:
        parameter._post_accumulate_grad_hooks = hooks[1]


def _keep_class(parameter: Any, kind: type) -> None:
    """Keep a user's subclass of Parameter across moves.

    On the device the class must be CudaTensor, by which `dispatch` recognises tensors, so `kind` is
    stored for the move back to the CPU.
    """
    if isinstance(parameter, CudaTensor):
        parameter._class_on_cpu = kind  # type: ignore[attr-defined]
    elif type(parameter) is torch.nn.Parameter:
        parameter.__class__ = kind


def move_data(tensor: Any, new: torch.Tensor) -> None:
    """`tensor.data = new` where one of them is on the CPU.

    Raises:
        RuntimeError: one is not dense; in the words of `VariableHooks::set_data`.
    """
    if any(t.layout is not STRIDED or t.is_meta for t in (tensor, new)):
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
            "incompatible tensor type."
        )
    grad = tensor.grad if tensor.is_leaf else None
    if isinstance(tensor, torch.nn.Parameter):
        moved: torch.Tensor = torch.nn.Parameter(new.detach(), tensor.requires_grad)
    elif tensor.is_leaf:
        moved = new.detach().requires_grad_(tensor.requires_grad)
    else:  # `to` gives the gradient a way back to the tensor's graph
        moved = tensor.to((RAW if new.is_cuda else [CPU])[max(new.get_device(), 0)])
        moved.data = new
    swap(tensor, moved)
    if grad is not None and grad.shape == tensor.shape:
        tensor.grad = grad.to(RAW[tensor.index] if tensor.is_cuda else CPU)
