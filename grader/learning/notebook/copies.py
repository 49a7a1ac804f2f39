"""Counts copies to the GPU, for notebook 07."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_MOVES = (torch.Tensor.cuda, torch.Tensor.to)


class CountCopies(TorchFunctionMode):
    """While entered, counts the `.cuda()` and `.to()` calls that copy a CPU tensor to a GPU."""

    def __init__(self) -> None:
        super().__init__()
        self.copies = 0

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Call `function`, and look at what it returned."""
        result = function(*args, **(kwargs or {}))
        if function in _MOVES and not args[0].is_cuda and result.is_cuda:
            self.copies += 1
        return result
