"""When one call, or one instance, of an audit answers several of its questions.

An audit asks what a module does when it is moved after its first call, moved before it, trained and
reloaded. Of a module that calls and moves leave as it was built, one instance can be asked all; of
two instances that hold the same, one call stands for the other's.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from functools import partial
from types import FunctionType, GetSetDescriptorType, MethodType
from typing import Any
from weakref import ref

import torch
from torch import nn

from grader.probe.calls import has_to_be_traced
from grader.probe.inspection.plain import dict_of, is_parameter, plain
from grader.probe.inspection.registered import registered_modules, registered_tensors
from grader.probe.inspection.values import is_dense
from grader.probe.subject import Subject
from grader.schema import Evidence, Movement, Phase, Run, TensorFact, nearly_equal


def survives_moves(evidence: Evidence) -> bool:
    """Whether a move to CUDA and back leaves the module as its constructor did.

    1. Its structure could be looked at.
    2. PyTorch's own methods move it: no class of its own overrides `to` or `_apply`.
    3. Nothing in it was too large to look into.
    4. No two tensors share memory; a move would part them.
    5. Each is a leaf: a move breaks a graph.
    6. Each is on the CPU: "back" means there.
    7. A buffer has one name. PyTorch gives a Parameter other data, which all its names see, and a
       buffer's place another tensor, which one name sees.

    What is not registered stays where it is.
    """
    structure = evidence.structure
    if structure is None or structure.overrides or structure.own_apply or structure.given_up:
        return False
    facts = structure.tensors
    names = Counter(fact.identity for fact in facts)
    memory = {fact.storage for fact in facts}
    return (
        len(memory - {0}) == len(names)
        and all(fact.is_leaf and fact.device == "cpu" for fact in facts)
        and all(names[fact.identity] == 1 for fact in facts if fact.role == "buffer")
    )


def is_all_registered(evidence: Evidence) -> bool:
    """Whether the module leads to no tensor that it has not registered."""
    registered = {fact.identity for fact in evidence.tensors if fact.role != "plain"}
    return all(fact.identity in registered for fact in evidence.tensors)


def complete_movement(subject: Subject, module: nn.Module) -> Movement | None:
    """The move to CUDA of a module of which all is there now; None if something stayed behind.

    Of its registered tensors, it says where they are, and not what is known of them otherwise.
    """
    identities = subject.identities
    tensors = tuple(
        TensorFact(
            path=found.path,
            name=found.name,
            role=found.role,
            persistent=found.persistent,
            is_parameter=is_parameter(found.tensor),
            device=str(plain(found.tensor).device),
            identity=identities.of(found.tensor),
            storage=identities.of_storage(plain(found.tensor)),
        )
        for child, path, prefix in registered_modules(module, "self", "")
        for found in registered_tensors(child, path, prefix)
    )
    is_whole = all("cuda" in fact.device for fact in tensors)
    return Movement(".cuda()", None, tensors) if is_whole else None


def is_reusable(subject: Subject, evidence: Evidence) -> bool:
    """Whether neither a call nor a move leaves anything in the module that is seen.

    Not of one whose second call gives other numbers than its first. The grade of an exercise asks
    each question of another instance.
    """
    leaves_nothing = subject.keeps_nothing and not subject.needs_gradients and not subject.thorough
    repeats = all(equals_cpu_run(run, evidence) for run in evidence.runs)
    return leaves_nothing and repeats and survives_moves(evidence)


def run_of(evidence: Evidence, phase: Phase) -> Run:
    """The run of a phase that was reached."""
    return next(run for run in evidence.runs if run.phase is phase)


def equals_cpu_run(run: Run, evidence: Evidence) -> bool:
    """Whether a call gave the numbers of the first one on the CPU, all on its own device."""
    first = run_of(evidence, Phase.CPU)
    return not has_to_be_traced(run) and nearly_equal(run.outputs, first.outputs)


CHILDREN = "_modules"  # where `nn.Module` keeps what is compared as modules
DEEPEST = 5  # containers in containers
ATOMS = (bool, int, float, str, bytes, type(None), torch.dtype, torch.device, torch.Size)
_ATOMS = frozenset(map(id, ATOMS))  # a metaclass may have an `__eq__`
Twins = dict[int, nn.Module]  # by the id of a registered module, the other instance's


class _Plain:
    """As large as an object that keeps all it has in `__dict__`."""


def have_equal_state(one: nn.Module, other: nn.Module) -> bool:
    """Whether all that their registered modules hold is seen to be equal.

    False where looking does not tell: of an object that C code made, of a tensor without dense
    values.
    """
    ones = list(registered_modules(one, "self", ""))
    others = list(registered_modules(other, "self", ""))
    if [path for _, path, _ in ones] != [path for _, path, _ in others]:
        return False
    twins = {id(module): twin for (module, _, _), (twin, _, _) in zip(ones, others, strict=True)}
    return all(
        type(module) is type(twin) and _are_same(module, twin, twins)
        for (module, _, _), (twin, _, _) in zip(ones, others, strict=True)
    )


def _are_same(module: nn.Module, twin: nn.Module, twins: Twins) -> bool:
    held, other = dict_of(module), dict_of(twin)
    return held.keys() == other.keys() and all(
        value is other[name] or name == CHILDREN or _is_same(value, other[name], twins)
        for name, value in held.items()
    )


def _is_same(value: Any, other: Any, twins: Twins, depth: int = 0) -> bool:
    """Whether two values are seen to be equal.

    In this order:

    1. One object that both hold is the same.
    2. Another type is another value; deeper than `DEEPEST` nobody looks.
    3. Two empty dicts are equal, as most in a module are.
    4. Atoms are compared by `==`, tensors by their numbers, sets if they hold atoms alone.
    5. A registered module is the same if it stands at the same path in both.
    6. Whatever else is the same if it is made of as many parts (`_parts_of`), each the same.
    """
    kind = type(value)
    if value is other:  # both share it
        return True
    if kind is not type(other) or depth > DEEPEST:
        return False
    if (kind is OrderedDict or kind is dict) and not value and not other:  # as most in a module
        return True
    if id(kind) in _ATOMS:
        return bool(value == other)
    if kind is torch.Tensor or kind is nn.Parameter:
        return _is_same_tensor(value, other)
    if kind is set or kind is frozenset:
        return all(id(type(member)) in _ATOMS for member in value | other) and bool(value == other)
    if id(value) in twins:
        return twins[id(value)] is other
    parts, others = _parts_of(value, kind), _parts_of(other, kind)
    if parts is None or others is None or len(parts) != len(others):
        return False
    return all(_is_same(*pair, twins, depth + 1) for pair in zip(parts, others, strict=True))


def _parts_of(value: Any, kind: type) -> tuple[Any, ...] | None:
    """All that makes a value of a kind that holds others; None of any other kind."""
    if kind is dict or kind is OrderedDict:
        return (*value, *value.values())
    if kind is tuple or kind is list:
        return tuple(value)
    if kind is ref:  # as `nn.RNNBase` has to its weights
        return (value(),)
    if kind is partial:
        return value.func, value.args, value.keywords
    if kind is MethodType:
        return value.__func__, value.__self__
    if kind is FunctionType:
        return _parts_of_function(value)
    if _is_plain(kind):
        held = dict_of(value)
        return (*held, *held.values())
    return None


def _is_plain(kind: type) -> bool:
    """Whether an object of it keeps all that it has in `__dict__`.

    That is: it is as large as one of `_Plain`, without items of a variable size, and the class just
    below `object` brought the `__dict__`. A class with slots, or one written in C, is larger or has
    none: such an object may hold what is not seen.
    """
    size = kind.__basicsize__, kind.__itemsize__
    first = type.mro(kind)[-2:][0]  # the one below `object`
    own = type.__getattribute__(first, "__dict__").get("__dict__")
    return size == (_Plain.__basicsize__, 0) and type(own) is GetSetDescriptorType


def _parts_of_function(function: FunctionType) -> tuple[Any, ...] | None:
    """Of a function whose closure refers to nothing yet: None."""
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:
        return None
    held = function.__code__, function.__defaults__, function.__kwdefaults__, function.__dict__
    return (*held, *cells)


def _is_same_tensor(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    are_comparable = tensor.dtype == other.dtype and tensor.device == other.device
    return are_comparable and is_dense(tensor) and is_dense(other) and torch.equal(tensor, other)
