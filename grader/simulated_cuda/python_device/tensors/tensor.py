"""The tensor that says it lives on cuda:0, and the CPU tensor inside it that has the values."""

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
    """A wrapper: sizes, strides and autograd are its own, the values are its host's."""

    host: torch.Tensor
    index: int  # type: ignore[assignment]

    __torch_function__ = backend.plain_torch_function  # type: ignore[assignment]
    # __torch_dispatch__ is set by dispatch.py, which needs this class.

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        """CUDA's name, or the backend's while PyTorch's own code asks."""
        return (RAW if inside.torch_code else CUDA)[self.index]

    @property
    def is_cuda(self) -> bool:  # type: ignore[override]
        """Always."""
        return True

    @property
    def layout(self) -> torch.layout:  # type: ignore[override]
        """The host's; C++ takes some sparse wrappers for strided."""
        return self.host.layout

    @property
    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """As the layout says."""
        return self.host.is_sparse_csr

    @property
    def data(self) -> torch.Tensor:
        """The values, without a graph."""
        return self.detach()

    @data.setter
    def data(self, new: torch.Tensor) -> None:
        """The tensor stays, what it holds changes."""
        with backend.no_torch_function():
            if isinstance(new, CudaTensor):
                backend.set_data(self, new)
                self.host, self.index = new.host, new.index
            else:
                move_data(self, new)

    def get_device(self) -> int:
        """The number of the device."""
        return self.index

    def data_ptr(self) -> int:
        """Where the values are: in the host."""
        return self.host.data_ptr()

    def untyped_storage(self) -> torch.UntypedStorage:
        """The host's storage, which says it is on CUDA."""
        return saving.storage_of(self)  # type: ignore[no-any-return]

    def type(self, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        """`torch.cuda.FloatTensor`, or a tensor of another type."""
        if dtype is None:
            return self.host.type().replace("torch.", "torch.cuda.")
        return torch.Tensor.type(self, dtype, non_blocking, **kwargs)

    def record_stream(self, stream: Any) -> None:
        """Streams have nothing to wait for."""

    def numpy(self, *, force: bool = False) -> Any:
        """NumPy reads CPU memory only."""
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
        """Python numbers."""
        return self.host.tolist()

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        text = backend.print_as(self, self.host, CUDA[self.index])
        return f"Parameter containing:\n{text}" if isinstance(self, torch.nn.Parameter) else text

    def __format__(self, spec: str) -> str:
        return self.item().__format__(spec) if self.dim() == 0 else object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:  # PyTorch's own says why that cannot be
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
    """Move a Parameter as CUDA does: the object stays, what it is changes.

    PyTorch's own `swap_tensors` refuses if a weak reference or a graph holds the parameter, where
    a move to CUDA goes through; and it would leave the hooks behind.
    """
    hooks = parameter._backward_hooks, parameter._post_accumulate_grad_hooks
    kind = vars(parameter).get("_class_on_cpu", type(parameter))
    said = {k: v for k, v in vars(parameter).items() if k not in _OF_A_WRAPPER}
    parameter.__class__, moved.__class__ = moved.__class__, parameter.__class__
    parameter.__dict__, moved.__dict__ = {**said, **vars(moved)}, vars(parameter)
    backend.swap_implementation(parameter, moved)
    if issubclass(kind, torch.nn.Parameter) and kind is not torch.nn.Parameter:
        _keep_class(parameter, kind)
    if hooks[0] is not None:
        parameter._backward_hooks = hooks[0]
    if hooks[1] is not None:
        parameter._post_accumulate_grad_hooks = hooks[1]


def _keep_class(parameter: Any, kind: type) -> None:
    """On the CPU, make it one of a learner's class for Parameters; else note that for the way back.

    On the simulated device its class is CudaTensor: dispatch knows tensors by that.
    """
    if isinstance(parameter, CudaTensor):
        parameter._class_on_cpu = kind  # type: ignore[attr-defined]
    elif type(parameter) is torch.nn.Parameter:
        parameter.__class__ = kind


def move_data(tensor: Any, new: torch.Tensor) -> None:
    """`tensor.data = new` where one is on the CPU: C++ allows it between dense tensors on CUDA."""
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
    else:  # so that its gradient finds the way back
        moved = tensor.to((RAW if new.is_cuda else [CPU])[max(new.get_device(), 0)])
        moved.data = new
    swap(tensor, moved)
    if grad is not None and grad.shape == tensor.shape:
        tensor.grad = grad.to(RAW[tensor.index] if tensor.is_cuda else CPU)
