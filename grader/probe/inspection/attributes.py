"""What the attributes of a module were, to begin a call as an earlier one began."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from grader.probe.inspection.plain import dict_of_module
from grader.probe.inspection.registered import is_a, registered_modules


class Attributes:
    """The attributes of a module and its children, as they are now.

    A call that raised may have left a tensor in one that it would have cleared at its end. The next
    call would take that for a cache.
    """

    def __init__(self, module: nn.Module) -> None:
        owners = (dict_of_module(child) for child, _, _ in registered_modules(module))
        self._before: list[tuple[dict[str, Any], dict[str, Any]]] = [(o, dict(o)) for o in owners]

    def take_back_tensors(self) -> None:
        """Bind each attribute that holds a tensor to what it held before, or unbind it."""
        for now, before in self._before:
            for name, value in list(now.items()):
                if is_a(value, torch.Tensor) and before.get(name) is not value:
                    if name in before:
                        now[name] = before[name]
                    else:
                        del now[name]
