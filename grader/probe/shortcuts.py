"""When one call, or one instance, answers several of a probe's questions.

An audit asks what a module does when it is moved after its first call, moved before it, trained and
reloaded. Of a module that calls and moves leave as it was built, one instance can be asked all; of
two instances that hold the same, one call stands for the other's. The grade of an exercise asks
those questions of different instances.

Every shortcut is here, or asks here whether it may be taken: without `TAKEN`, none is.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum, auto

from msgspec.structs import replace
from torch import nn

from grader.probe.calls import FIRST_GPU, call, first_half, has_to_be_traced, last_gpu, move
from grader.probe.inspection.operations import Watch, is_move
from grader.probe.session import Instance, Session
from grader.schema import Evidence, Phase, Run, nearly_equal

TAKEN = True


class Spare(Enum):
    """An instance that a step leaves for others.

    The first two are no shortcut: a probe describes one instance, calls it on the CPU, and then
    moves it about.
    """

    DESCRIBED = auto()  # of which the structure tells
    CALLED_ON_THE_CPU = auto()  # as often as `Baseline.calls`
    MOVED = auto()  # on CUDA, not called
    BUILT_ON_CUDA = auto()  # not called
    CALLED = auto()  # on CUDA; neither calls nor moves left anything in it


BY_DESIGN = (Spare.DESCRIBED, Spare.CALLED_ON_THE_CPU)


def leave(session: Session, spare: Spare, instance: Instance) -> None:
    """Let another step take this instance."""
    if TAKEN or spare in BY_DESIGN:
        session.spares[spare] = instance


def take(session: Session, spare: Spare) -> Instance | None:
    """The instance that was left, which is nobody else's then; None if there is none."""
    return session.spares.pop(spare, None)


def take_or_make(session: Session, spare: Spare) -> Instance:
    return take(session, spare) or session.new()


def are_shared(session: Session) -> bool:
    """Whether one instance may answer several questions: not in an exercise."""
    return TAKEN and session.subject.recipe is None


def may_go_untraced(evidence: Evidence) -> bool:
    """Whether a call needs a trace only if it raises: none before it made what it may meet."""
    return TAKEN and evidence.baseline.keeps_nothing


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


def is_reusable(session: Session, evidence: Evidence) -> bool:
    """Whether neither a call nor a move leaves anything in the module that is seen.

    Not of one whose second call gives other numbers than its first.
    """
    baseline = evidence.baseline
    leaves_nothing = baseline.keeps_nothing and not baseline.needs_gradients
    repeats = all(equals_cpu_run(run, evidence) for run in evidence.runs)
    return are_shared(session) and leaves_nothing and repeats and survives_moves(evidence)


def equals_cpu_run(run: Run, evidence: Evidence) -> bool:
    """Whether a call gave the numbers of the first one on the CPU, all on its own device."""
    first = evidence.run_of(Phase.CPU)
    if first is None or has_to_be_traced(run):
        return False
    return nearly_equal(run.outputs, first.outputs)


def calls_after_one_move(session: Session, module: nn.Module, evidence: Evidence) -> list[Run]:
    """The runs of a module in which neither a call nor a move leaves anything.

    Why one call stands for three: wherever the module was before, it is as it was built, so a call
    depends on where it is now and on nothing else.

    - A fault on the first GPU shows on the second as well: a tensor that stayed on the CPU is as
      far from either.
    - Code that names the first GPU, as `"cuda"` does, fails on the second alone.
    - Back on the CPU it is as in its first call, whose numbers are known.

    Returns:
        None of them if that call has something to tell: then each move is asked by itself.
    """
    device, first = last_gpu(), evidence.run_of(Phase.CPU)
    if first is None or move(session, module, Phase.MOVED, device):
        return []
    watch = Watch(is_move) if evidence.baseline.asks_where else None
    inputs = session.fed_to(device)
    run = call(session, module, Phase.MOVED, device, inputs, is_traced=False, watch=watch)
    if not equals_cpu_run(run, evidence):
        return []
    if run.asks_to_move:  # a trace tells what it computes elsewhere
        run = call(session, module, Phase.MOVED, device, session.fed_to(device))
    return [run, replace(run, phase=Phase.MOVED_ON), replace(first, phase=Phase.MOVED_BACK)]


def calls_of_moved_instance(session: Session, module: nn.Module, evidence: Evidence) -> list[Run]:
    """The runs on CUDA of the instance that was called before; none if one has something to tell.

    If it asks for devices, half a batch is asked on the first GPU, or a whole one that has no half:
    code may name the second.
    """
    if (moved := evidence.run_of(Phase.MOVED)) is None:
        return []
    runs, device = [replace(moved, phase=Phase.CUDA)], moved.device
    session.run(lambda: module.train(True))
    whole = session.fed_to(device)
    runs.append(call(session, module, Phase.TRAIN_MODE, device, whole, is_traced=False))
    if evidence.baseline.asks_where and device != FIRST_GPU:
        if move(session, module, Phase.MOVED, FIRST_GPU):
            return []
        device = FIRST_GPU
    half = first_half(session.fed_to(device))
    if half or device != moved.device:
        inputs = half or session.fed_to(device)
        runs.append(call(session, module, Phase.HALF_BATCH, device, inputs, is_traced=False))
    if any(map(has_to_be_traced, runs)):
        return []
    if moved.asks_to_move:
        runs.append(call(session, module, Phase.CPU_INPUTS, device, session.feed()))
    return runs
