"""Catches calls of modules while other code runs, with copies of the module and its inputs.

`nn.Module.__call__` is replaced for as long as a catcher is on. A call of interest is copied before
it runs, since it may change the module and its inputs in place, and given away after it has
succeeded.
"""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from types import FrameType
from typing import Any
from unittest.mock import NonCallableMock
from weakref import ref

import numpy as np
import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from grader.probe import Inputs, dict_of, is_a, registered_modules, registered_once, twin

MOST_BYTES = 500_000_000  # in a module's registered tensors, or in its inputs
# Inputs that hold no tensor: the audit cannot move what an object holds.
HARMLESS = (
    str, bytes, int, float, complex, type(None), Enum, slice, type(Ellipsis), range, type,
    torch.dtype, torch.device, torch.Size, torch.layout, torch.Tensor, np.generic, np.ndarray,
)  # fmt: skip


class NotCopiedError(Exception):
    """A call cannot be copied; the message says why."""


@dataclass(frozen=True)
class Caught:
    """A call as it was before it ran: copies that nobody else holds."""

    module: nn.Module
    inputs: Inputs


class Catcher:
    """Replaces `nn.Module.__call__`, and catches the first call of each module.

    Args:
        wants: whether a call is of interest; it is asked in each call that is not within another
            one of interest, so it must be quick.
        give: gets the copy of a call that succeeded.
        refuse: gets a module whose call could not be copied, and the reason.
    """

    def __init__(
        self,
        wants: Callable[[nn.Module], bool],
        give: Callable[[Caught], None],
        refuse: Callable[[nn.Module, str], None],
    ) -> None:
        self._wants, self._give, self._refuse = wants, give, refuse
        self._thread = threading.local()
        # By `id`, which another module may have once this one is gone.
        self._seen: dict[int, ref[nn.Module]] = {}

    def forget(self) -> None:
        """Catch another call of modules that were caught already."""
        self._seen.clear()

    @contextmanager
    def on(self) -> Iterator[None]:
        """Catch calls in the block, in every thread."""
        original, catcher = nn.Module.__call__, self

        def called(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True  # of pytest: the frame is none of the test's
            if torch.compiler.is_compiling() or not catcher._is_of_interest(module):
                return original(module, *args, **kwargs)
            caught = catcher._copied(module, args, kwargs)
            catcher._thread.is_inside = True
            try:
                returned = original(module, *args, **kwargs)
            finally:
                catcher._thread.is_inside = False
            if caught:
                catcher._give(caught)
            return returned

        nn.Module.__call__ = called  # type: ignore[method-assign]
        try:
            yield
        finally:
            nn.Module.__call__ = original  # type: ignore[method-assign]

    def _is_of_interest(self, module: nn.Module) -> bool:
        return (
            not getattr(self._thread, "is_inside", False)
            and self._wants(module)
            and not _is_transformed()
            and not self._was_seen(module)
            and not _is_within_constructor(sys._getframe(2))
        )

    def _was_seen(self, module: nn.Module) -> bool:
        seen = self._seen.get(id(module))
        return seen is not None and seen() is module

    def _copied(
        self, module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Caught | None:
        self._seen[id(module)] = ref(module)
        try:
            with torch.random.fork_rng(devices=[]), torch.enable_grad():
                return Caught(_copy_of(module), copied_inputs(args, kwargs))
        except NotCopiedError as error:
            self._refuse(module, str(error))
        except Exception as error:  # `__deepcopy__` may raise anything
            first = str(error).strip().partition("\n")[0]
            self._refuse(module, f"copying it raised {type(error).__name__}: {first}")
        return None


def copied_inputs(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Inputs:
    """Copies of a call's arguments, with tensors cut off from the graph.

    Raises:
        NotCopiedError: an argument is an object that may hold tensors, or they are too large.
    """
    leaves = tree_leaves((args, dict(kwargs)))
    for leaf in leaves:
        is_known = isinstance(leaf, HARMLESS) or callable(leaf)
        if not is_known or isinstance(leaf, nn.Module):
            kind = type(leaf).__name__
            raise NotCopiedError(f"an input is a {kind}, whose tensors the audit cannot move")
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    _require_small(tensors, "its inputs are")
    copies: dict[int, torch.Tensor] = {id(tensor): _detached_copy(tensor) for tensor in tensors}
    copied = Inputs(args, kwargs).each(lambda tensor: copies[id(tensor)])
    with suppress(Exception):  # such as a generator: the call itself shares it then
        return copy.deepcopy(copied, {id(tensor): tensor for tensor in copies.values()})
    return copied


def _copy_of(module: nn.Module) -> nn.Module:
    if mocked := next(_mocks(module), ""):
        raise NotCopiedError(f"a test put a mock in the place of `{mocked}`")
    _require_small([entry.tensor for entry in registered_once(module)], "it is")
    return twin(module)


def _mocks(module: nn.Module) -> Iterator[str]:
    """The attributes that `unittest.mock` stands for: what they give is the test's, not theirs."""
    for owner, path, _ in registered_modules(module):
        for name, value in dict_of(owner).items():
            if is_a(value, NonCallableMock):
                yield f"{path}.{name}"


def _detached_copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


def _require_small(tensors: list[torch.Tensor], what: str) -> None:
    size = sum(tensor.nbytes for tensor in tensors if tensor.layout is torch.strided)
    if size > MOST_BYTES:
        raise NotCopiedError(
            f"{what} too large to copy ({size / 1e6:.0f} MB, {MOST_BYTES / 1e6:.0f} MB is the most)"
        )


def _is_within_constructor(frame: FrameType | None) -> bool:
    """Whether a module is being built, which calls its parts to learn their sizes, say."""
    while frame is not None:
        is_constructor = frame.f_code.co_name == "__init__"
        if is_constructor and isinstance(frame.f_locals.get("self"), nn.Module):
            return True
        frame = frame.f_back
    return False


def _is_transformed() -> bool:
    """Whether tensors stand for others, as within `vmap`, `torch.fx` or a test's own mode."""
    return (
        torch._C._len_torch_dispatch_stack() > 0
        or torch._C._len_torch_function_stack() > 0
        or torch._C._functorch.peek_interpreter_stack() is not None
        or torch._C._get_tracing_state() is not None
    )
