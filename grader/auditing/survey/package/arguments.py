"""Tells a constructor's arguments from its annotations, and from names that mean a size."""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
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
        r"inplanes|planes|d_model|channels?|features?|depth|heads|n[fc]|n[gd]f|chan|ch|inp|oup|"
        r"in_ch|out_ch|c_?in|c_?out|width|stride|dilation|groups|ndim",
        "",  # an integer: its size follows from the name
    ),
    (
        r"beta|alpha|gamma|scale|\w*dropout|p|eps|epsilon|temperature|sigma|momentum|rate|margin",
        "0.5",
    ),
    (r"padding", "0"),
    (r"norm_layer", "torch.nn.BatchNorm2d"),
    (r"\w*net|fn|f|g|module|layer|model|backbone|block", f"torch.nn.Linear({SIZE}, {SIZE})"),
    (r"layers|blocks|modules", f"torch.nn.ModuleList([torch.nn.Linear({SIZE}, {SIZE})])"),
)
# Parameters that get a configuration, and classes that are one.
CONFIGURED, CONFIGURATIONS = r"(model_)?(config|cfg|conf)|args|hparams", r"(Config|Args|Params)$"
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def needed_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that a call must give; none where the signature is hidden."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p for p in parameters if p.default is p.empty and p.kind not in VARIADIC]


def arguments_of(cls: type, within: tuple[type, ...] = ()) -> tuple[str, list[str]]:
    """What to write between the constructor's parentheses.

    Args:
        cls: the class.
        within: it, and the classes of whose arguments it is one.

    Returns:
        The arguments as Python source, and the names of those that nothing tells.
    """
    hints = hints_of(cls)
    arguments: list[str] = []
    untold: list[str] = []
    for parameter in needed_parameters(cls):
        name = parameter.name
        if name == DEVICE:  # the audit gives it
            continue
        hint = hints.get(name, parameter.empty)
        if hint is parameter.empty and re.fullmatch(CONFIGURED, name):
            hint = _configuration_beside(cls)
        value = value_for(name, hint, within or (cls,))
        if value is None:
            untold.append(name)
        else:
            keyword = "" if parameter.kind is parameter.POSITIONAL_ONLY else f"{name}="
            arguments.append(f"{keyword}{value}")
    return ", ".join(arguments), untold


def _configuration_beside(cls: type) -> Any:
    """The class of configurations in the module of `cls`, if there is just one."""
    names = vars(sys.modules.get(cls.__module__, inspect)).values()
    found = {value for value in names if isinstance(value, type) and _is_configuration(value)}
    return found.pop() if len(found) == 1 else inspect.Parameter.empty


def value_for(name: str, hint: Any, within: tuple[type, ...] = ()) -> str | None:
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
    10. A module, a dataclass or a configuration: one that is built by these rules, or a subclass.

    `within` are the classes whose arguments are being told: none of them can be its own argument.
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
        members = (argument for argument in arguments if argument is not type(None))
        values = (value_for(name, member, within) for member in members)
        first = next((value for value in values if value is not None), None)
        return "None" if first is None and type(None) in arguments else first
    if origin is tuple:
        inner = arguments[:1] * 2 if arguments[1:] == (...,) else arguments
        return _several(name, inner, "({},)", within)
    if origin in (list, Sequence, Iterable, Collection):
        return _several(name, arguments[:1] * 2, "[{}]", within)
    if origin in (type, Callable) or hint is Callable:
        return "torch.nn.ReLU" if origin is type else "torch.relu"
    return _of_class(hint, within) if isinstance(hint, type) else None


def _of_class(hint: type, within: tuple[type, ...]) -> str | None:
    if issubclass(hint, Enum):
        return f"{imported(hint)}.{next(iter(hint)).name}"
    if not issubclass(hint, nn.Module) and not _is_configuration(hint):
        return None
    classes = (cls for cls in (hint, *hint.__subclasses__()) if cls not in within)
    return next(filter(None, (_built(cls, within) for cls in classes)), None)


def _is_configuration(cls: type) -> bool:
    return is_dataclass(cls) or re.search(CONFIGURATIONS, cls.__name__) is not None


def _built(cls: type, within: tuple[type, ...]) -> str | None:
    """The call that builds it; None where it is abstract or an argument is not told."""
    if inspect.isabstract(cls):
        return None
    arguments, untold = arguments_of(cls, (*within, cls))
    return None if untold else f"{imported(cls)}({arguments})"


def imported(cls: type) -> str:
    """The class as Python source that imports it."""
    return f"__import__({cls.__module__!r}, fromlist=['_']).{cls.__qualname__}"


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


def _several(name: str, hints: Sequence[Any], form: str, within: tuple[type, ...]) -> str | None:
    values = [value_for(name, hint, within) for hint in hints]
    if not values or None in values:
        return None
    return form.format(", ".join(value for value in values if value))


def hints_of(cls: type) -> dict[str, Any]:
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
