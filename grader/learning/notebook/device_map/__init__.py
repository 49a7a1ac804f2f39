"""`device_map(module)`: where the tensors of a module are, as a picture.

`picture` looks at a module, through the probe's own walk, and gives plain data. `lines` arranges it
for the static forms, text and `html`. `history` says what a step changed, and what was predicted of
it; `session` moves a copy, and looks at the module again after each cell. `view` is the widget.
"""

from __future__ import annotations

from torch import nn

from grader.learning.notebook.device_map.session import DeviceMap, follow
from grader.learning.notebook.display import is_dropped, running_shell

__all__ = ["DeviceMap", "device_map"]


def device_map(module: nn.Module, predict: bool = False) -> DeviceMap:
    """Show where the tensors of a module are, and move a copy of it to see which go along.

    In a notebook it is interactive, and it follows the module from cell to cell. Elsewhere it is
    printed.

    Args:
        module: the module. It is never changed, and not kept alive.
        predict: ask first which tensors will stay behind. The map then tells what is registered
            only when a copy was moved, or a cell has moved the module.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(module, nn.Module):
        raise TypeError(_no_module(module))
    shown = DeviceMap(module, predict)
    shell = running_shell()
    if shell is None:
        print(shown)
    else:
        follow(shown, shell)
        if is_dropped():
            shown._ipython_display_()
    return shown


def _no_module(given: object) -> str:
    if isinstance(given, type) and issubclass(given, nn.Module):
        return (
            f"device_map shows a module, and {given.__name__} is a class. Make a module of it "
            f"first: device_map({given.__name__}(...))"
        )
    return f"device_map shows an nn.Module, and this is a {type(given).__name__}."
