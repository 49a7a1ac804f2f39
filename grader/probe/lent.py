"""Probes a class that a learner wrote in place of `nn.Module`, by a model that is built on it.

A probe asks a module for far more than an exercise does: `state_dict()`, modes, hooks, `.to()`. So
`nn.Module` is put behind the classes of the model, and of its children, once they are built. What
the exercise asks for it does not lend: there, `object` stands behind the learner's class.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from torch import nn

# `nn.Module` without what the learner writes. It counts as PyTorch's, as all that is lent is.
_Lent = type(
    "Module",
    (nn.Module,),
    {
        "__module__": nn.Module.__module__,
        "__setattr__": object.__setattr__,
        "parameters": None,
        "_apply": None,
    },
)


def model_on(base: type, name: str, *args: Any, **arguments: Any) -> Any:
    """An instance of the class called `name` that is derived from `base`, as an `nn.Module`.

    Args:
        base: the class that a learner wrote.
        name: of the model that the exercise builds on it; the newest counts, as in a notebook.
        args: of its constructor.
        arguments: of its constructor, by name.

    Raises:
        TypeError: `base` is derived from `nn.Module`, or no class of that name from `base`.
    """
    if issubclass(base, nn.Module):
        raise TypeError(f"{base.__name__} inherits from nn.Module, whose work it is to do itself")
    named = [cls for cls in type.__subclasses__(base) if cls.__name__ == name]
    if not named:
        raise TypeError(f"there is no class {name} that inherits from {base.__name__}")
    model = named[-1](*args, **arguments)
    _lend(model, base)
    return model


def is_lent(cls: type) -> bool:
    """Whether a class is a learner's, with `nn.Module` put behind it."""
    return issubclass(cls, _Lent)


def _lend(module: Any, base: type) -> None:
    """Put `nn.Module` behind the class of a module, and of its children, registered or not."""
    if isinstance(module, nn.Module) or not isinstance(module, base):
        return
    cls: Any = type(module)
    object.__setattr__(module, "__class__", _lending(cls))  # past the learner's
    for name, value in vars(nn.Module()).items():
        vars(module).setdefault(name, value)
    own = vars(module)
    for child in (*own["_modules"].values(), *own.values()):
        _lend(child, base)


@cache
def _lending(cls: type) -> type:
    return type(cls.__name__, (cls, _Lent), {"__module__": cls.__module__, "__doc__": cls.__doc__})
