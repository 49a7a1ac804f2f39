"""A training step on CUDA, of an instance whose values hide no fault."""

from __future__ import annotations

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.answer import recipe_inputs
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import registered_once
from grader.probe.inspection.values import sorted_state
from grader.probe.session import Session
from grader.probe.steps.filled_calls import filled_module
from grader.probe.training import step, trained
from grader.schema import Evidence, Training


def filled_training(session: Session, evidence: Evidence) -> Evidence:
    """One step of SGD on CUDA, towards random targets.

    Values that hide no fault can drive a `tanh` to where it is flat, and a constructor's zeros stop
    what they are multiplied with. So what the one did not train has a second try with the other,
    and with other inputs: in sentences of a word each, a recurrent weight meets only zeros.
    """
    module = filled_module(session)
    done = _step(session, module)
    if not done.raised:
        evidence = replace(evidence, left=session.tensors_of(module))
    if any(fact.has_gradient and not fact.changed for fact in done.tensors):
        others = recipe_inputs(session.wants, session.subject.seed + 1)
        again = _step(session, session.new().module, others).tensors
        changed = {fact.name for fact in (*done.tensors, *again) if fact.changed}
        tensors = tuple(replace(fact, changed=fact.name in changed) for fact in done.tensors)
        done = replace(done, tensors=tensors)
    return replace(evidence, training=done)


def _step(session: Session, module: nn.Module, inputs: Inputs | None = None) -> Training:
    before: dict[str, torch.Tensor] = {}

    def train() -> None:
        session.run(lambda: module.cuda().train(True))
        before.update({n: t.detach().clone() for n, t in sorted_state(module).items()})
        step(session, module, session.fed_to("cuda", inputs))

    _, raised = session.attempt_steps(train, module)
    return Training(raised, tuple(trained(registered_once(module), before)))
