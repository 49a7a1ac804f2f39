"""When one call, or one instance, of an audit answers several of its questions.

An audit asks what a module does when it is moved after its first call, moved before it, trained and
reloaded. Of a module that calls and moves leave as it was built, one instance can be asked all.
"""

from __future__ import annotations

from collections import Counter

from torch import nn

from grader.probe.audit.calls import has_to_be_traced
from grader.probe.inspection.plain import is_parameter, plain
from grader.probe.inspection.registered import registered_modules, registered_tensors
from grader.probe.subject import Subject
from grader.schema import Evidence, Movement, Phase, Run, TensorFact, nearly_equal


def survives_moves(evidence: Evidence) -> bool:
    """Whether a move to CUDA and back leaves the module as its constructor did.

    All that it leads to is on the CPU, in memory that nothing else shares, and PyTorch's own
    methods move it. Those give a Parameter other data, and a buffer's place another tensor: so a
    Parameter may have several names, a buffer has one. What is not registered stays where it is.
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


def moved_whole(subject: Subject, module: nn.Module) -> Movement | None:
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


def can_be_shared(subject: Subject, evidence: Evidence) -> bool:
    """Whether neither a call nor a move leaves anything in the module that is seen.

    Not of one whose second call gives other numbers than its first. The grade of an exercise asks
    each question of another instance.
    """
    leaves_nothing = subject.keeps_nothing and not subject.needs_gradients and not subject.thorough
    repeats = all(repeats_the_first(run, evidence) for run in evidence.runs)
    return leaves_nothing and repeats and survives_moves(evidence)


def run_of(evidence: Evidence, phase: Phase) -> Run:
    """The run of a phase that was reached."""
    return next(run for run in evidence.runs if run.phase is phase)


def repeats_the_first(run: Run, evidence: Evidence) -> bool:
    """Whether a call gave the numbers of the first one on the CPU, all on its own device."""
    first = run_of(evidence, Phase.CPU)
    return not has_to_be_traced(run) and nearly_equal(run.outputs, first.outputs)
