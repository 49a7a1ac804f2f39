"""Finds modules, tensors and outputs that give false answers about themselves.

Threat: a class that overrides `__class__`, its tables or `__eq__` makes a probe that asks it see
types or equal values that are not there.

PyTorch lets a class override almost anything, and exercises teach some of that: `_apply`, hooks,
`get_extra_state`. Those answer no question, and are free. So are `parameters`, `state_dict` and
their kin: what is registered is read from the tables, whatever they say, so a learner who adds to
them what was forgotten is wrong, and told so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from operator import call
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.library import is_learners, is_library
from grader.probe.inspection.plain import dict_of
from grader.probe.inspection.registered import (
    entries,
    is_a,
    registered_modules,
    table,
)
from grader.probe.inspection.values import leaves
from grader.probe.running import Runner
from grader.simulated_cuda import tensor_classes

TABLES = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")
ANSWERS_FOR_AN_OBJECT = frozenset(("__class__", "__getattribute__", *TABLES))
ANSWERS_FOR_A_CLASS = frozenset(
    ("__instancecheck__", "__subclasscheck__", "__eq__", "__hash__", "__getattribute__", "mro")
)
# Names that Python sets in every class, or that cannot change what a tensor answers.
OWN_TO_A_CLASS = frozenset(
    (
        "__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__",
        "__annotations__", "__init__", "__new__", "__repr__", "__str__", "__format__",
        "__firstlineno__", "__static_attributes__", "__init_subclass__", "__class_getitem__",
    )
)  # fmt: skip
OF_THE_SIMULATION = frozenset(("host", "index", "_is_param", "_pinned"))


def spoofed_by_module(module: nn.Module, run: Runner = call) -> str:
    """The first false answer of a module, those in it, or their tensors, in words; `""` if none.

    Args:
        module: the learner's.
        run: runs the learner's code.
    """
    modules = [owner for owner, _, _ in registered_modules(module, "self", "")]
    for owner in modules:
        if is_learners(type(owner)) and (false_answer := next(_false_answers(owner, run), "")):
            return false_answer
    return next(filter(None, map(_false_answer_of_tensor, _tensors(modules))), "")


def _tensors(modules: Iterable[nn.Module]) -> Iterator[torch.Tensor]:
    for module in modules:
        for group in ("_parameters", "_buffers"):
            yield from (tensor for _, tensor in entries(module, group) if tensor is not None)


def spoofed_by_value(value: Any, run: Runner = call) -> str:
    """The first false answer of a leaf of an output, in words; `""` if none."""
    return next(
        filter(None, (_false_answer_of_leaf(leaf, run) for _, leaf in leaves(value, ""))), ""
    )


def _false_answers(module: nn.Module, run: Runner) -> Iterator[str]:
    cls = type(module)
    yield from _metaclass_overrides(cls)
    if _may_answer_for_itself(module):
        yield from _false_attributes(module, run)
    if _equals_anything(module, run):
        yield f"`{cls.__name__}.__eq__` says that it equals anything"


def _may_answer_for_itself(module: nn.Module) -> bool:
    """Whether a class overrides `__class__` or attribute look-up, or shadows PyTorch's tables.

    Only then is the module itself asked: that runs the learner's code, in the other thread.
    """
    bases = (base for base in type(module).__mro__ if base is not object)
    is_found_first = any(not ANSWERS_FOR_AN_OBJECT.isdisjoint(vars(base)) for base in bases)
    return is_found_first or not dict_of(module).keys() >= {*TABLES}


def _false_attributes(module: nn.Module, run: Runner) -> Iterator[str]:
    cls = type(module)
    if run(lambda: module.__class__) is not cls:
        yield f"`{cls.__name__}` says that it is another class"
    for name in TABLES:
        answer, actual = run(partial(getattr, module, name, None)), table(module, name)
        # Without `super().__init__()` there is neither an answer nor a table.
        if answer is not actual and (answer is not None or actual):
            yield f"`{cls.__name__}.{name}` is not what is registered"


def _metaclass_overrides(cls: type) -> Iterator[str]:
    metaclass: type = type(cls)
    for base in metaclass.__mro__:
        for name in (
            sorted(ANSWERS_FOR_A_CLASS.intersection(vars(base))) if is_learners(base) else ()
        ):
            code = getattr(vars(base)[name], "__code__", None)
            if code is None or not is_library(code):
                yield f"the metaclass `{base.__name__}` overrides `{name}`"


def _false_answer_of_leaf(leaf: Any, run: Runner) -> str:
    if is_a(leaf, torch.Tensor):
        return _false_answer_of_tensor(leaf)
    if not is_a(leaf, nn.Module) and run(lambda: isinstance(leaf, torch.Tensor | nn.Module)):
        return f"a `{type(leaf).__name__}` says that it is another class"
    if is_learners(type(leaf)) and _equals_anything(leaf, run):
        return f"`{type(leaf).__name__}.__eq__` says that it equals anything"
    return ""


def _false_answer_of_tensor(tensor: torch.Tensor) -> str:
    if not is_a(tensor, torch.Tensor):
        return f"a `{type(tensor).__name__}` is registered in place of a tensor"
    names = _names_of(torch.Tensor, *tensor_classes())
    for base in filter(is_learners, type(tensor).__mro__):
        overridden = names.intersection(vars(base)) - OWN_TO_A_CLASS
        if overridden:
            return f"`{base.__name__}`, a kind of tensor, overrides `{min(overridden)}`"
    replaced = names.intersection(vars(tensor)) - OF_THE_SIMULATION
    return f"a tensor's own `{min(replaced)}` was replaced" if replaced else ""


@cache
def _names_of(*classes: type) -> frozenset[str]:
    return frozenset().union(*map(dir, classes))


def _equals_anything(value: object, run: Runner) -> bool:
    if type(value).__eq__ is object.__eq__:
        return False
    try:
        return bool(run(lambda: bool(value == object())))
    except Exception:
        return False
