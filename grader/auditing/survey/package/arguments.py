"""Tells a constructor's arguments from its annotations, and from names that mean a size."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Literal, get_args, get_origin

import torch
from torch import nn

from grader.probe import DEVICE

# Sizes by what a name says, the first that matches; a small one builds and runs faster.
SIZES: tuple[tuple[str, int], ...] = (
    (r"head", 2),
    (r"kernel|window", 3),
    (r"group|stride|dilation|expan|mult|ratio|factor", 1),
    (r"layer|depth|block|stage|repeat|step|(^|_)num_(?!feat|classes|chann|tokens|emb)|^n_", 2),
    (r"class|label|target", 4),
    (r"vocab|tokens|embeddings", 16),
    (r"image|height|width|img", 32),
    (r"len|seq", 16),
)
SIZE = 8
# What a parameter without an annotation is, by its whole name, the first that matches.
USUAL: tuple[tuple[str, str], ...] = (
    (r"sample_rate|sr|fs", "16000"),
    (r"shape", f"({SIZE},)"),
    (
        r"(n|num|max|dim|in|out|hidden|embed\w*|input|output|model|latent)_\w+|\w+_(size|dims?|len|"
        r"channels|features|heads|layers|blocks|units|classes|planes|tokens|filters|bins)|dims?|"
        r"inplanes|planes|d_model|channels?|features?|depth|heads|n[fc]|n[gd]f|ch|inp|oup|"
        r"in_ch|out_ch|c_?in|c_?out|width",
        "",  # an integer: its size follows from the name
    ),
    (
        r"beta|alpha|gamma|scale|dropout|p|eps|epsilon|temperature|sigma|momentum|rate|margin",
        "0.5",
    ),
    (r"net|fn|module|layer|model|backbone|block", f"torch.nn.Linear({SIZE}, {SIZE})"),
)
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def needed_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that a call must give; none where the signature is hidden."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p for p in parameters if p.default is p.empty and p.kind not in VARIADIC]


def arguments_of(cls: type[nn.Module]) -> tuple[str, list[str]]:
    """What to write between the constructor's parentheses.

    Returns:
        The arguments as Python source, and the names of those that nothing tells.
    """
    hints = _hints(cls)
    arguments: list[str] = []
    untold: list[str] = []
    for parameter in needed_parameters(cls):
        name = parameter.name
        if name == DEVICE:  # the audit gives it
            continue
        value = value_for(name, hints.get(name, parameter.empty))
        if value is None:
            untold.append(name)
        else:
            keyword = "" if parameter.kind is parameter.POSITIONAL_ONLY else f"{name}="
            arguments.append(f"{keyword}{value}")
    return ", ".join(arguments), untold


def missing_arguments(error: TypeError) -> str | None:
    """The keyword arguments that a base class misses, which got `**kwargs`; None if untold."""
    if "missing" not in str(error) or "required" not in str(error):
        return None
    names = re.findall(r"'(\w+)'", str(error))
    values = [value_for(name, inspect.Parameter.empty) for name in names]
    if not names or None in values:
        return None
    return ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))


def value_for(name: str, hint: Any) -> str | None:
    """A value for a parameter, as Python source; None where name and annotation tell nothing.

    The first of these that holds decides:

    1. There is no annotation: the usual value of a parameter by that name, see `USUAL`.
    2. A plain type, `torch.dtype`, `torch.device` or `nn.Module`: see `_PLAIN`.
    3. An `int`: a size that fits the name, see `SIZES`.
    4. A `Literal`: its first value.
    5. A union: the first member that has a value; `None` only if no other has.
    6. A tuple: a value for each member, two for `tuple[X, ...]`.
    7. A list or another iterable: two values of its member.
    8. `type[…]`, such as that of an activation: `torch.nn.ReLU`. A callable: `torch.relu`.
    9. An enum: its first member, imported by name, since the class's file may not have it.
    """
    if hint is inspect.Parameter.empty:
        found = (value for pattern, value in USUAL if re.fullmatch(pattern, name))
        value = next(found, None)
        return str(_size(name)) if value == "" else value
    if hint in _PLAIN:
        return _PLAIN[hint]
    if hint is int:
        return str(_size(name))
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return repr(arguments[0])
    if origin in (typing.Union, types.UnionType):
        values = (value_for(name, argument) for argument in arguments if argument is not type(None))
        first = next((value for value in values if value is not None), None)
        return "None" if first is None and type(None) in arguments else first
    if origin is tuple:
        inner = arguments[:1] * 2 if arguments[1:] == (...,) else arguments
        return _several(name, inner, "({},)")
    if origin in (list, Sequence, Iterable, Collection):
        return _several(name, arguments[:1] * 2, "[{}]")
    if origin in (type, Callable) or hint is Callable:
        return "torch.nn.ReLU" if origin is type else "torch.relu"
    if isinstance(hint, type) and issubclass(hint, Enum):
        member = next(iter(hint)).name
        return f"__import__({hint.__module__!r}, fromlist=['_']).{hint.__name__}.{member}"
    return None


_PLAIN: Mapping[Any, str] = {
    bool: "False",
    float: "0.5",
    torch.dtype: "torch.float32",
    torch.device: "'cpu'",
    nn.Module: f"torch.nn.Linear({SIZE}, {SIZE})",
    type(None): "None",
}


def _size(name: str) -> int:
    return next((size for pattern, size in SIZES if re.search(pattern, name.lower())), SIZE)


def _several(name: str, hints: Sequence[Any], form: str) -> str | None:
    values = [value_for(name, hint) for hint in hints]
    if not values or None in values:
        return None
    return form.format(", ".join(value for value in values if value))


def _hints(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls.__init__)  # type: ignore[misc]
    except Exception:  # a name that only type checkers import
        return {
            name: annotation
            for name, annotation in getattr(cls.__init__, "__annotations__", {}).items()  # type: ignore[misc]
            if not isinstance(annotation, str)
        } | _attributes_by_plain_name(cls)


def _attributes_by_plain_name(cls: type) -> dict[str, Any]:
    """Annotations that stand there as the text of a built-in type."""
    known = {"int": int, "float": float, "bool": bool}
    annotations = getattr(cls.__init__, "__annotations__", {})  # type: ignore[misc]
    return {name: known[text] for name, text in annotations.items() if text in known}
