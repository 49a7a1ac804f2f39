"""Where a module, a tensor or an output says of itself what is not so.

PyTorch lets a class override almost anything, and exercises teach some of that: `_apply`, hooks,
`get_extra_state`. None of those answers a question. What does answer may be overridden too, as long
as it gives what PyTorch's own would, or less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from operator import call
from typing import Any

import torch
from torch import nn

from grader.inspection.library import is_learners, is_library
from grader.inspection.plain import dict_of
from grader.inspection.values import leaves
from grader.inspection.walk import entries, is_a, registered_modules, registered_once, table
from grader.probe.running import Run
from grader.simulated_cuda import tensor_classes

TABLES = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")
LISTS: dict[str, Callable[[Any], Iterable[Any]]] = {
    "parameters": lambda module: module.parameters(),
    "named_parameters": lambda module: (each for _, each in module.named_parameters()),
    "buffers": lambda module: module.buffers(),
    "named_buffers": lambda module: (each for _, each in module.named_buffers()),
}
ANSWERS_FOR_AN_OBJECT = frozenset(("__class__", "__getattribute__", *TABLES))
ANSWERS_FOR_A_CLASS = frozenset(
    ("__instancecheck__", "__subclasscheck__", "__eq__", "__hash__", "__getattribute__", "mro")
)
OWN_TO_A_CLASS = frozenset(
    (
        "__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__",
        "__annotations__", "__init__", "__new__", "__repr__", "__str__", "__format__",
        "__firstlineno__", "__static_attributes__", "__init_subclass__", "__class_getitem__",
    )
)  # fmt: skip
OF_THE_SIMULATION = frozenset(("host", "index", "_is_param", "_pinned"))
_genuine_state_dict = nn.Module.state_dict


def false_claim_of_module(module: nn.Module, run: Run = call) -> str:
    """What it says that is not so, in words; `""` if nothing.

    Args:
        module: the learner's.
        run: runs the learner's code.
    """
    modules = [each for each, _, _ in registered_modules(module, "self", "")]
    for each in modules:
        if is_learners(type(each)) and (claim := next(_claims(each, run), "")):
            return claim
    return next(filter(None, map(_claim_of_tensor, _tensors(modules))), "")


def _tensors(modules: Iterable[nn.Module]) -> Iterator[torch.Tensor]:
    for module in modules:
        for group in ("_parameters", "_buffers"):
            yield from (each for _, each in entries(module, group) if each is not None)


def false_claim_of_value(value: Any, run: Run = call) -> str:
    """What anything in an output says of itself that is not so, in words; `""` if nothing."""
    return next(filter(None, (_claim_of_leaf(leaf, run) for _, leaf in leaves(value, ""))), "")


def _claims(module: nn.Module, run: Run) -> Iterator[str]:
    cls = type(module)
    yield from _claims_of_metaclass(cls)
    if _may_answer_for_itself(module):
        yield from _claims_of_attributes(module, run)
    if _equals_anything(module, run):
        yield f"`{cls.__name__}.__eq__` says that it equals anything"
    yield from _false_lists(module, cls.__name__, run)


def _may_answer_for_itself(module: nn.Module) -> bool:
    """Whether Python finds its class and its tables elsewhere than in `object` and its `__dict__`.

    To ask the module itself is to run the learner's code, which takes a switch of threads.
    """
    bases = (base for base in type(module).__mro__ if base is not object)
    is_found_first = any(not ANSWERS_FOR_AN_OBJECT.isdisjoint(vars(base)) for base in bases)
    return is_found_first or not dict_of(module).keys() >= {*TABLES}


def _claims_of_attributes(module: nn.Module, run: Run) -> Iterator[str]:
    cls = type(module)
    if run(lambda: module.__class__) is not cls:
        yield f"`{cls.__name__}` says that it is another class"
    for each in TABLES:
        shown, kept = run(partial(getattr, module, each, None)), table(module, each)
        if shown is not kept and (shown is not None or kept):  # without super().__init__(): neither
            yield f"`{cls.__name__}.{each}` is not what is registered"


def _claims_of_metaclass(cls: type) -> Iterator[str]:
    metaclass: type = type(cls)
    for base in metaclass.__mro__:
        for name in (
            sorted(ANSWERS_FOR_A_CLASS.intersection(vars(base))) if is_learners(base) else ()
        ):
            code = getattr(vars(base)[name], "__code__", None)
            if code is None or not is_library(code):
                yield f"the metaclass `{base.__name__}` overrides `{name}`"


def _false_lists(module: nn.Module, name: str, run: Run) -> Iterator[str]:
    """Lists that hold what is not registered: of tensors, and of the state_dict's keys."""
    overridden = _overridden(module)
    if not overridden:
        return
    registered = {id(each.tensor) for each in registered_once(module)}
    for method in LISTS:
        if method not in overridden:
            continue
        listed = run(lambda method=method: list(LISTS[method](module)))
        if any(id(each) not in registered for each in listed):
            yield f"`{name}.{method}` gives what is not registered"
    if "state_dict" in overridden:
        claimed = set(run(lambda: list(module.state_dict())))
        extra = claimed - set(run(partial(_genuine_state_dict, module)))
        if extra:
            yield f"`{name}.state_dict` claims `{min(map(str, extra))}`, which is not saved"


def _overridden(module: nn.Module) -> set[str]:
    """What the learner's classes, or the object itself, have in place of PyTorch's lists."""
    own = [vars(base) for base in type(module).__mro__ if is_learners(base)]
    return {
        name for name in (*LISTS, "state_dict") if any(name in n for n in (*own, dict_of(module)))
    }


def _claim_of_leaf(leaf: Any, run: Run) -> str:
    if is_a(leaf, torch.Tensor):
        return _claim_of_tensor(leaf)
    if not is_a(leaf, nn.Module) and run(lambda: isinstance(leaf, torch.Tensor | nn.Module)):
        return f"a `{type(leaf).__name__}` says that it is another class"
    if is_learners(type(leaf)) and _equals_anything(leaf, run):
        return f"`{type(leaf).__name__}.__eq__` says that it equals anything"
    return ""


def _claim_of_tensor(tensor: torch.Tensor) -> str:
    if not is_a(tensor, torch.Tensor):
        return f"a `{type(tensor).__name__}` is registered in place of a tensor"
    names = _names_of(torch.Tensor, *tensor_classes())
    for base in filter(is_learners, type(tensor).__mro__):
        overridden = names.intersection(vars(base)) - OWN_TO_A_CLASS
        if overridden:
            return f"`{base.__name__}`, a kind of tensor, overrides `{min(overridden)}`"
    held = names.intersection(vars(tensor)) - OF_THE_SIMULATION
    return f"a tensor's own `{min(held)}` was replaced" if held else ""


@cache
def _names_of(*classes: type) -> frozenset[str]:
    return frozenset().union(*map(dir, classes))


def _equals_anything(value: object, run: Run) -> bool:
    if type(value).__eq__ is object.__eq__:
        return False
    try:
        return bool(run(lambda: bool(value == object())))
    except Exception:
        return False
