"""The tensors that a module holds and has not registered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from grader.judge.attribution.cause import Cause, How, Shown
from grader.judge.codes import Code
from grader.judge.lookups import (
    enclosing_paths,
    follows,
    is_result,
    stays_as_made,
    structure,
    unregistered_tensors,
)
from grader.schema import Evidence, Holder, TensorFact

HIDDEN = "hidden attribute"  # the holder of what no container hides
# What `weight_norm`, `spectral_norm` and pruning register in the place of a `weight`, which they
# compute from it before each call (torch/nn/utils).
COMPUTED_FROM = ("_g", "_orig")
CONTAINERS = {"list", "dict", "tuple", "set", "frozenset", "deque", "OrderedDict", "defaultdict"}


def causes_on_cuda(evidence: Evidence) -> Iterator[Cause]:
    """The plain tensors on CUDA, though the constructor was called on the CPU."""
    for fact in evidence.tensors:
        if fact.role == "plain" and fact.device not in ("cpu", "meta") and not is_result(fact):
            yield replace(_at(fact, Code.HARD_CODED_DEVICE), device=fact.device)


def held_causes(evidence: Evidence) -> Iterator[Cause]:
    """The tensors that the module holds and has not registered, one cause for each holder.

    One without a number, such as a cache's `torch.empty(0)`, has nothing that could stay behind.
    """
    registered = {fact.path for fact in evidence.tensors if fact.role != "plain"}
    facts = [
        fact
        for fact in unregistered_tensors(evidence)
        if not follows(fact, evidence)
        and 0 not in fact.shape
        and registered.isdisjoint(fact.path + ending for ending in COMPUTED_FROM)
    ]
    for fact in facts:
        if is_result(fact):
            yield result_of_parameter(fact)
        elif not fact.holder and fact.device == "cpu":
            yield replace(unregistered_cause(fact, evidence.tensors), shown=Shown.HELD)
    hidden = sorted((f for f in facts if f.holder and not is_result(f)), key=_sorted_by)
    for _, group in groupby(hidden, key=_sorted_by):
        yield hidden_cause(tuple(group))


def is_harmless(cause: Cause, evidence: Evidence) -> bool:
    """Whether nothing is lost by what stays behind.

    A tuple of one module is how people keep a module out of `parameters()`.
    """
    facts = cause.group or [f for f in evidence.tensors if f.path == cause.path]
    one = f"{cause.path}[0]."
    is_hidden = cause.holder == "tuple" and all(fact.path.startswith(one) for fact in facts)
    return bool(facts) and (is_hidden or all(map(stays_as_made, facts)))


def unregistered_cause(fact: TensorFact, all_facts: tuple[TensorFact, ...]) -> Cause:
    """Why the module has not registered `fact`.

    In this order: a second name for a registered tensor, or a view of one; a result of a Parameter;
    hidden by a container or object; a plain attribute.

    Args:
        fact: a tensor that the module holds.
        all_facts: all tensors of the module, to find registered ones and others of its holder.
    """
    plain = replace(_at(fact, Code.MEMBER_TENSOR), shown=Shown.CALL)
    registered = {other.identity: other for other in all_facts if other.role != "plain"}
    if original := registered.get(fact.identity) or registered.get(fact.base):
        view = "" if fact.identity in registered else "view"
        return replace(plain, how=How.ALIAS, original=original.path, holder=view)
    if is_result(fact):
        return result_of_parameter(fact)
    if fact.holder or fact.copy_of:
        hidden = [other for other in all_facts if other.identity not in registered]
        together = [other for other in hidden if other.holder == fact.holder and other.holder]
        return hidden_cause(tuple(together) or (fact,), fact)
    return plain


def blame_base(cause: Cause, evidence: Evidence) -> Cause:
    """`cause`, or the method of a class in place of `nn.Module` that is to blame for the tensor.

    `_apply` did not move what is registered. All else its `__setattr__` should have registered.
    """
    held, holders = structure(evidence), set(enclosing_paths(cause.path))
    is_registered = cause.code is not Code.MEMBER_TENSOR and any(
        fact.path == cause.path and fact.role != "plain" for fact in evidence.tensors
    )
    for override in (held.own_apply if is_registered else held.own_setattr) * bool(
        held.own_setattr
    ):
        if override.path.rpartition(".")[0] in holders:
            how = How.FORGOTTEN if is_registered else How.UNSORTED
            blamed = replace(cause, code=Code.TO_OVERRIDE, how=how, name=cause.path)
            return replace(blamed, path=override.path, line=override.line, file=override.file)
    return cause


def second_name(fact: TensorFact | None, all_facts: tuple[TensorFact, ...]) -> TensorFact | None:
    """The plain attribute that was the same object as `fact`, a registered tensor, if any was."""
    if fact is None:
        return None
    same = (other for other in all_facts if other.identity == fact.identity)
    return next((other for other in same if other.role == "plain"), None)


def result_of_parameter(fact: TensorFact) -> Cause:
    """The cause for a tensor with a grad_fn, such as a Parameter's `.to(device)`."""
    return _at(fact, Code.MOVED_BEFORE_REGISTRATION)


def _at(fact: TensorFact, code: Code) -> Cause:
    """A cause for a tensor that the module holds, where it holds it."""
    return Cause(code, fact.path, fact.line, Shown.HELD, file=fact.file)


def hidden_cause(group: tuple[TensorFact, ...], met: TensorFact | None = None) -> Cause:
    """The cause for tensors that one container or object hides.

    Args:
        group: those tensors.
        met: the one that a call met, if any.
    """
    first = group[0]
    kind, path = holder_of(first).kind, holder_of(first).path
    cause = replace(_at(first, Code.PYTHON_CONTAINER), path=path, holder=kind, group=group)
    if original := next((fact.copy_of for fact in group if fact.copy_of), ""):
        return replace(cause, code=Code.AVERAGED_COPY, original=original)
    if first.holder and kind not in CONTAINERS:
        hidden = met or first
        return replace(_at(hidden, Code.OPAQUE_HOLDER), holder=kind, group=group)
    return cause


def holder_of(fact: TensorFact) -> Holder:
    """What hides a tensor; for an unregistered module, the attribute of `self` that leads to it."""
    return fact.holder or Holder(HIDDEN, (*list(enclosing_paths(fact.path))[2:], fact.path)[0])


def _sorted_by(fact: TensorFact) -> tuple[str, str]:
    holder = holder_of(fact)
    return holder.kind, holder.path
