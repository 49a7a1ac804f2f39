"""Errors inside backward come out as Python exceptions, not as the end of the process.

While PyTorch's C++ unwinds from a Python exception in backward, it asks our device guard for its
type, in Python, with the exception pending: that aborts. So code that C++ calls back in backward
defers its exception: it stores it here and returns a value that C++ refuses with an error of its
own. `runner`, where the backward started, then raises the stored one. Hooks that a user puts on a
`grad_fn` are not covered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from . import backend
from .tensors.tensor import inside

# What C++ refuses: from an operator, from the hook of a tensor, from the hook of a node.
NOT_A_TENSOR = object()
OF_ANOTHER_TYPE = torch.empty(0, device="meta")
TOO_FEW: tuple[Any, ...] = ()


class _Backward(threading.local):
    """The backward of this thread: how deeply nested, and the exception that ends it."""

    depth = 0
    error: BaseException | None = None
    message = ""


_backward = _Backward()


def defer(error: BaseException, refused: Any = NOT_A_TENSOR) -> Any:
    """Inside backward: store `error` for `runner` to raise, and return `refused`, which stops C++.

    Outside backward: raise `error`.
    """
    if not _backward.depth:
        _backward.message = str(error)
        raise error
    _backward.error = error
    return refused


def last_message() -> str:
    """The message of the last exception of an operator, which TorchScript's interpreter loses."""
    return _backward.message


def deferring(hook: Callable[..., Any], refused: Any = OF_ANOTHER_TYPE) -> Callable[..., Any]:
    """A hook of the user's that defers its exceptions; C++ refuses its result if there was one."""

    def call(*args: Any) -> Any:
        outer, inside.torch_code = inside.torch_code, False
        try:
            return hook(*args)
        except BaseException as error:  # of any class: C++ must not see it
            return defer(error, refused)
        finally:
            inside.torch_code = outer

    return call


def runner(original: Callable[..., Any], mode: Callable[[], Any]) -> Callable[..., Any]:
    """`_engine_run_backward`, which raises the deferred exception; `mode` is on inside of hooks."""

    def run(*args: Any, **kwargs: Any) -> Any:
        outer, inside.torch_code = inside.torch_code, False
        _backward.depth += 1
        before = backend.backward_in_calling_thread(True)  # an inference mode turns it off
        try:
            with mode():
                return original(*args, **kwargs)
        except Exception:
            error, _backward.error = _backward.error, None
            if error is None:
                raise
            raise error from None
        finally:
            _backward.depth -= 1
            backend.backward_in_calling_thread(before)
            inside.torch_code = outer

    return run


class _Node:
    """A node of the graph that makes the hooks it is given defer their exceptions."""

    def __init__(self, node: Any) -> None:
        self.node = node

    def register_hook(self, hook: Callable[..., Any]) -> Any:
        return self.node.register_hook(deferring(hook, TOO_FEW))

    def register_prehook(self, hook: Callable[..., Any]) -> Any:
        return self.node.register_prehook(deferring(hook, TOO_FEW))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.node, name)


def module_hooks(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BackwardHook._apply_on_tensors`, for the backward hooks of modules."""

    def apply(self: Any, function: Callable[[Any], Any], args: Any) -> Any:
        return original(self, lambda node: function(_Node(node)), args)

    return apply


def saving_hooks(original: Callable[..., Any]) -> Callable[..., Any]:
    """`saved_tensors_hooks.__init__`; checkpointing recomputes in such a hook."""

    def init(self: Any, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        original(self, deferring(pack_hook), deferring(unpack_hook, NOT_A_TENSOR))

    return init
