"""An audit's calls on CUDA: after each kind of move, and where the module was built."""

from __future__ import annotations

from functools import partial

from torch import nn

from grader.probe.audited import DEVICE, parameters_of
from grader.probe.calls import FIRST_GPU, SECOND_GPU, Parent, call, first_half, last_gpu, move
from grader.probe.inspection.registered import gpus_of, registered_modules
from grader.probe.scenes import ANYWHERE, Act, as_given, half, play
from grader.probe.session import Instance, Session, Spare
from grader.probe.steps.construction_on_cuda import handed_out
from grader.schema import Evidence, Location, Phase, Raised

DEVICE_MOVES = (
    Act(Phase.MOVED, FIRST_GPU),
    Act(Phase.MOVED_ON, SECOND_GPU),
    Act(Phase.MOVED_BACK, "cpu"),
)
FIRST_CALLS = (
    Act(Phase.CUDA, FIRST_GPU),
    Act(Phase.TRAIN_MODE, FIRST_GPU),
    Act(Phase.HALF_BATCH, FIRST_GPU, inputs=(half,)),
)


def is_split(evidence: Evidence) -> bool:
    """Whether what it registers is on more than one GPU."""
    return evidence.structure is not None and len(evidence.structure.gpus) > 1


def in_place(session: Session, evidence: Evidence) -> Evidence:
    """Call a module that is split where it is, in eval mode and in train mode."""
    if not is_split(evidence):
        return evidence
    acts = (Act(phase, inputs=ANYWHERE) for phase in (Phase.IN_PLACE, Phase.TRAIN_MODE))
    return play(session, evidence, session.take_or_make(Spare.DESCRIBED), *acts)


def device_moves(session: Session, evidence: Evidence) -> Evidence:
    """Move the instance that was called on the CPU to cuda:0, to cuda:1 and back; eval mode."""
    instance = session.spares.pop(Spare.CALLED, None)
    if instance is None:
        return evidence
    acts = (act for act in DEVICE_MOVES if act.device in (FIRST_GPU, last_gpu(), "cpu"))
    return play(session, evidence, instance, *acts)


def calls_on_cuda(session: Session, evidence: Evidence) -> Evidence:
    """Call an instance that was moved before: in eval mode, in train mode, with half a batch.

    If a call asked to move something, one on inputs on the CPU follows; of another instance, if a
    call was helped.
    """
    instance = session.take_or_make(Spare.MOVED)
    acts = FIRST_CALLS if first_half(session.feed()) else FIRST_CALLS[:2]
    called = play(session, evidence, instance, *acts)
    first = called.run_of(Phase.CUDA)
    if first is None or not first.asks_to_move:
        return called
    if any(run.helped for run in called.runs[len(evidence.runs) :]):
        instance = session.new()
    return play(session, called, instance, Act(Phase.CPU_INPUTS, FIRST_GPU, inputs=(as_given,)))


def call_where_built(session: Session, evidence: Evidence) -> Evidence:
    """Call the module that was constructed on CUDA, on inputs there.

    One whose registered tensors all stayed on the CPU only remembers the device. It is moved first:
    `Net(device=device).to(device)` is how such a module is used.
    """
    if evidence.on_device is None or evidence.on_device.raised:
        return evidence
    instance = session.spares.pop(Spare.BUILT_ON_CUDA, None)
    if DEVICE not in parameters_of(session.subject.make):
        instance, act = instance or handed_out(session), Act(Phase.HANDED_OUT, inputs=ANYWHERE)
        return play(session, evidence, instance, act) if instance else evidence
    instance = instance or session.new(make=partial(session.subject.make, device=FIRST_GPU))
    act = Act(Phase.BUILT_ON_CUDA, "" if gpus_of(instance.module) else FIRST_GPU)
    return play(session, evidence, instance, act)


def part_of_another(session: Session, evidence: Evidence) -> Evidence:
    """Call the module as the child of a parent that is moved.

    `Module.to` of a parent calls `_apply` of its children, and never their `to`. So this differs
    from a plain move only if the module overrides a method such as `to`, and is skipped otherwise.
    If a child does, and a call after a plain move raised, another call follows: of an instance
    whose children were moved by their own methods too.
    """
    overrides = evidence.structure.overrides if evidence.structure else ()
    children = [override for override in overrides if _owner_of(override) != "self"]
    if len(children) < len(overrides):
        parent = Instance(Parent(session.new().module))
        moved = evidence.run_of(Phase.MOVED)
        if moved and not moved.raised:  # then a call before it does no harm
            call(session, parent.module, Phase.CPU, "cpu", session.fed_to("cpu"))
        evidence = play(session, evidence, parent, Act(Phase.PART_OF_ANOTHER, FIRST_GPU))
    called = evidence.run_of(Phase.CUDA)
    if not (children and called and called.raised):
        return evidence

    def place(session: Session, module: nn.Module, phase: Phase, device: str) -> Raised | None:
        owners = {path: child for child, path, _ in registered_modules(module)}
        paths = (override.path.rpartition(".") for override in children)
        named = [(owners.get(path), name) for path, _, name in paths if name in ("to", "cuda")]

        def move_children() -> None:
            for child, name in named:
                if child is not None:
                    getattr(child, name)(device)

        raised = session.attempt(move_children, module)[1]
        return raised or move(session, module, phase, device)

    act = Act(Phase.CHILDREN_MOVED, FIRST_GPU, place)
    return play(session, evidence, session.new(), act)


def _owner_of(override: Location) -> str:
    """The path of the module whose method it is."""
    return override.path.rpartition(".")[0]


def train_on_cuda(session: Session, evidence: Evidence) -> Evidence:
    """Move a new instance to CUDA and train it there by one step.

    Some faults show only in backward, as those of a gradient hook do. To the last GPU, as `"cuda"`
    in its code means the first. Not of a module that fails in train mode there, or in training on
    the CPU: it would fail again.
    """
    training, called = evidence.cpu_training, evidence.run_of(Phase.TRAIN_MODE)
    if not (training and called) or training.raised or called.raised:
        return evidence
    return play(session, evidence, session.new(), Act(Phase.TRAINED, last_gpu()))
