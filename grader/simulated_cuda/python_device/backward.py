"""Errors inside backward come out as Python exceptions, not as the end of the process.

While PyTorch's C++ unwinds from a Python exception in backward, it asks our device guard for its
type, in Python, with the exception pending: that aborts. So code that C++ calls back in backward
keeps its exception here and returns a value that C++ refuses with an error of its own; whoever
started the backward then raises the one kept. (Hooks put on a `grad_fn` by hand are not covered.)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from .tensors.tensor import inside

# What C++ refuses: from an operator, from the hook of a tensor, from the hook of a node.
NOT_A_TENSOR = object()
OF_ANOTHER_TYPE = torch.empty(0, device="meta")
TOO_FEW: tuple[Any, ...] = ()


class _Backward(threading.local):
    """The backward this thread is in: how deep, and the exception that ends it."""

    depth = 0
    error: BaseException | None = None
    words = ""


_backward = _Backward()


def keep(error: BaseException, refused: Any = NOT_A_TENSOR) -> Any:
    """Keep an exception for the caller of backward; outside of one, just raise it."""
    if not _backward.depth:
        _backward.words = str(error)
        raise error
    _backward.error = error
    return refused


def last_words() -> str:
    """What the last exception of an operator said, for C++ that loses it."""
    return _backward.words


def kept(hook: Callable[..., Any], refused: Any = OF_ANOTHER_TYPE) -> Callable[..., Any]:
    """A hook, which is the user's code, whose exceptions are kept."""

    def call(*args: Any) -> Any:
        outer, inside.torch_code = inside.torch_code, False
        try:
            return hook(*args)
        except BaseException as error:  # whatever it is, C++ must not see it
            return keep(error, refused)
        finally:
            inside.torch_code = outer

    return call


def runner(original: Callable[..., Any], mode: Callable[[], Any]) -> Callable[..., Any]:
    """PyTorch's way into its C++ engine, with the names of "cuda" understood in hooks."""

    def run(*args: Any, **kwargs: Any) -> Any:
        outer, inside.torch_code = inside.torch_code, False
        _backward.depth += 1
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
            inside.torch_code = outer

    return run


class _Node:
    """A node of the graph that keeps the exceptions of the hooks it is given."""

    def __init__(self, node: Any) -> None:
        self.node = node

    def register_hook(self, hook: Callable[..., Any]) -> Any:
        return self.node.register_hook(kept(hook, TOO_FEW))

    def register_prehook(self, hook: Callable[..., Any]) -> Any:
        return self.node.register_prehook(kept(hook, TOO_FEW))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.node, name)


def module_hooks(original: Callable[..., Any]) -> Callable[..., Any]:
    """The same for the backward hooks of modules."""

    def apply(self: Any, function: Callable[[Any], Any], args: Any) -> Any:
        return original(self, lambda node: function(_Node(node)), args)

    return apply


def saving_hooks(original: Callable[..., Any]) -> Callable[..., Any]:
    """The same for `saved_tensors_hooks`, with which checkpointing recomputes."""

    def init(self: Any, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        original(self, kept(pack_hook), kept(unpack_hook, NOT_A_TENSOR))

    return init
