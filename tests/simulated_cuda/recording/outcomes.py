"""Turn results and exceptions into facts: strings, numbers, booleans, lists."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils import _pytree as pytree

# What a message says besides its own words: PyTorch's list of backends, values, tracebacks.
REST = re.compile(
    r"(Could not run '[^']+' with arguments from the '\w+' backend\.).*"
    r"|(\nPosition: \d+)\nValue: .*"
    r"|(?:Original )?Traceback .*\n(?=\w+(?:Error|Exception): )",
    re.DOTALL,
)


def message(error: BaseException) -> str:
    """`Type: text`, in full but for lists of backends, values, tracebacks and addresses."""
    text = REST.sub(r"\1\2", str(error).strip())
    return f"{type(error).__name__}: {re.sub('0x[0-9a-f]{6,}', '0x...', text)}"


def devices(call: Callable[[], Any]) -> str:
    """`ok (devices of the results)`, or the exception."""
    try:
        result = call()
    except Exception as error:
        return message(error)
    tensors = [x for x in pytree.tree_leaves(result) if isinstance(x, torch.Tensor)]
    return f"ok ({', '.join(sorted({str(x.device) for x in tensors}))})"


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returned, described, or the exception."""
    try:
        return describe(call())
    except Exception as error:
        return message(error)


def describe(value: Any) -> Any:
    """A value as JSON. A tensor is described without its values; a function is called."""
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if isinstance(value, torch.device | torch.dtype | torch.layout):
        return str(value)
    if callable(value):
        return outcome(value)
    raise TypeError(f"A fact is {type(value)}. Return text, numbers, tensors or lists of them.")


def tensor(value: torch.Tensor) -> str:
    """Dtype, shape and device of a tensor, and what autograd knows of it."""
    text = f"{str(value.dtype)[6:]} {tuple(value.shape)} on {value.device}"
    if type(value) is not torch.Tensor:
        text += f", {type(value).__name__}"
    if value.grad_fn is not None:
        return f"{text}, {value.grad_fn.name()}"
    return f"{text}, requires grad" if value.requires_grad else text


def warned(call: Callable[[], Any]) -> list[str]:
    """The category and text of each warning of a call, and the exception if it raised."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        result = outcome(lambda: (call(), None)[1])
    warnings_given = [f"{one.category.__name__}: {_first(one)}" for one in heard]
    return warnings_given + ([result] if isinstance(result, str) and "Error: " in result else [])


def _first(warning: warnings.WarningMessage) -> str:
    """The first line, without the line of C++ that PyTorch adds."""
    return str(warning.message).splitlines()[0].split(" (Triggered internally")[0]
