"""A training step on CUDA: some faults show only in backward, as those of a gradient hook do."""

from __future__ import annotations

from functools import partial

from torch import nn

from grader.probe.calls import last_gpu, move
from grader.probe.inspection.registered import registered_once
from grader.probe.session import Session
from grader.probe.steps.calls_on_cuda import took_over
from grader.probe.training import step
from grader.schema import Evidence, Phase, Run


def train_on_cuda(session: Session, evidence: Evidence) -> Evidence:
    """Move a new instance to CUDA and train it there by one step; if that raises, trace another.

    Not if another stage did, nor of a module that fails in train mode there, or in training on the
    CPU: it would fail again.
    """
    training = evidence.cpu_training
    in_train_mode = [run for run in evidence.runs if run.phase is Phase.TRAIN_MODE]
    is_refused = not in_train_mode or in_train_mode[0].raised
    is_done = any(run.phase is Phase.TRAINED for run in evidence.runs)
    if is_done or is_refused or training is None or training.raised:
        return evidence
    with session.untraced():
        run = _step_of_new_instance(session)
    traced = _step_of_new_instance(session) if run.raised else run
    return evidence.with_runs(traced if traced.raised else run)


def _step_of_new_instance(session: Session) -> Run:
    """One step of a new instance; a second one if the first call gave it another's tensors."""
    module = session.new().module
    before = {id(entry.tensor) for entry in registered_once(module)}
    run = _step(session, module)
    return _step(session, module) if run.raised and took_over(session, module, before) else run


def _step(session: Session, module: nn.Module) -> Run:
    """Move the module to the last GPU, as `"cuda"` in its code means the first, and train it."""
    device = last_gpu()
    inputs, raised = session.fed_to(device), move(session, module, Phase.TRAINED, device)
    if raised is None:
        session.run(lambda: module.train(True))
        steps = partial(step, session, module, inputs)
        _, raised = session.attempt_steps(steps, module, inputs)
    return Run(device, raised, phase=Phase.TRAINED)
