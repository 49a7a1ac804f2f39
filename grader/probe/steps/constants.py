"""An audit's plain tensors of which nothing is lost: constants that calls bring along."""

from __future__ import annotations

import ast
from functools import partial

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.likeness import MOST_COMPARED
from grader.probe.inspection.plain import plain
from grader.probe.inspection.registered import Reached
from grader.probe.inspection.source import by_class, methods_of
from grader.probe.inspection.values import is_dense, is_sized
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session
from grader.schema import Evidence, TensorFact

# What gives a tensor no new values.
MOVES = frozenset({"to", "cuda", "cpu", "type", "type_as", "float", "double", "half", "bfloat16"})


def constants(session: Session, evidence: Evidence) -> Evidence:
    """Mark the plain tensors that every construction makes alike, and that nothing changes.

    1. An instance of another seed holds the same values.
    2. A call in train mode and one in eval mode leave them as they were. Of a module that was never
       called, its text says that it moves them itself.
    3. No method that runs after the constructor changes them, as far as its text tells: a training
       loop may call what `forward` does not.
    """
    is_called, structure = bool(evidence.runs), evidence.structure
    paths = {fact.path for fact in evidence.tensors if _may_be_constant(fact, is_called)}
    if structure is None or not paths or session.subject.is_copied:
        return evidence
    first, other = session.new(), session.new(session.subject.seed + 1)
    # Copies: instances may share one tensor, of the file or the class, which a call changes.
    before = {path: plain(r.tensor).clone() for path, r in _held(first.module, paths).items()}
    held = {p: r for p, r in _held(other.module, paths).items() if _is_only_read(r, is_called)}
    if not _unchanged(before, held) or (is_called and not _calls_work(session, other.module)):
        return evidence
    unchanged = _unchanged(before, _held(other.module, set(held)))
    tensors = (replace(fact, constant=fact.path in unchanged) for fact in structure.tensors)
    return replace(evidence, structure=replace(structure, tensors=tuple(tensors)))


def _may_be_constant(fact: TensorFact, is_called: bool) -> bool:
    is_plain = fact.role == "plain" and fact.device == "cpu" and bool(fact.shape)
    return (fact.used or not is_called) and is_plain and not (fact.requires_grad or fact.copy_of)


def _held(module: nn.Module, paths: set[str]) -> dict[str, Reached]:
    """The dense tensors at these paths."""
    found = (reached for reached in Walk(module).reached if reached.path in paths)
    return {r.path: r for r in found if is_sized(r.tensor) and is_dense(plain(r.tensor))}


def _unchanged(before: dict[str, torch.Tensor], now: dict[str, Reached]) -> set[str]:
    """The paths with equal values in two instances."""
    both = before.keys() & now.keys()
    return {path for path in both if _are_equal(before[path], plain(now[path].tensor))}


def _are_equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether they hold the same values; a call may have given the second another dtype."""
    is_comparable = one.device == other.device and 0 < one.numel() <= MOST_COMPARED
    return is_comparable and torch.equal(one.to(other.dtype), other)


def _calls_work(session: Session, module: nn.Module) -> bool:
    """Call it on the CPU, in train mode and in eval mode; False if it raises."""
    for mode in (True, False):
        session.run(partial(module.train, mode))
        with session.gradients(True):
            if session.call(module, session.fed_to("cpu"), is_traced=False).raised:
                return False
    return True


def _is_only_read(held: Reached, is_called: bool) -> bool:
    """Whether no method changes the attribute that leads to a tensor, after the constructor.

    Unless a call has shown that it is read as it should be, one has to move it.
    """
    later = _later_methods(held.owner)
    nodes = (node for methods in later for method in methods for node in ast.walk(method))
    if any(_changes(node, held.attribute) for node in nodes):
        return False
    own = (node for methods in later for node in ast.walk(methods[0]))
    return is_called or any(_moves(node, held.attribute) for node in own)


@by_class  # one class may hold many tensors
def _later_methods(cls: type) -> tuple[list[ast.FunctionDef], ...]:
    """The methods that the constructor does not call, each before those that it overrides."""
    methods: dict[str, list[ast.FunctionDef]] = {}
    for _, method in methods_of(cls):
        methods.setdefault(method.name, []).append(method)
    building, waiting = set[str](), ["__init__"]
    while waiting:
        name = waiting.pop()
        building.add(name)
        nodes = (node for method in methods.get(name, ()) for node in ast.walk(method))
        functions = (node.func for node in nodes if isinstance(node, ast.Call))
        called = {f.attr for f in functions if isinstance(f, ast.Attribute) and _is_self(f.value)}
        waiting += sorted((called & methods.keys()) - building)
    return tuple(same for name, same in methods.items() if name not in building)


def _changes(node: ast.AST, attribute: str) -> bool:
    """Whether a statement or call gives `self.attribute`, or a part of it, other values."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = [part for target in targets for part in getattr(target, "elts", [target])]
        is_move = isinstance(node, ast.Assign) and _moves(node.value, attribute)
        return not is_move and any(_leads_from(part, attribute) for part in parts)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    is_in_place = node.func.attr.endswith("_") and not node.func.attr.startswith("_")
    return is_in_place and _leads_from(node.func.value, attribute)


def _moves(node: ast.AST, attribute: str) -> bool:
    """Whether it moves the attribute: `self.table.to(x.device)`, `to_device(self.table, x)`."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and _is(node.func.value, attribute):
        return node.func.attr in MOVES
    name = ast.unparse(node.func).rpartition(".")[2]
    return "to" in name.split("_") and bool(node.args) and _is(node.args[0], attribute)


def _leads_from(node: ast.expr, attribute: str) -> bool:
    """Whether an expression is `self.attribute` or goes on from it: `self.attribute[0].data`."""
    while isinstance(node, ast.Subscript | ast.Attribute) and not _is(node, attribute):
        node = node.value
    return _is(node, attribute)


def _is(node: ast.expr, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute and _is_self(node.value)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
