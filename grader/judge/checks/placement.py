"""Whether every tensor follows a move, and is made where the caller says."""

from __future__ import annotations

from grader.judge.checks.graded_answer import GradedAnswer, Problems
from grader.judge.wording import explained, join_names
from grader.schema import Built, Evidence

# `nn.init.eye_(tensor)` raises this where the default device is not the tensor's: it calls
# `torch.eye(..., out=tensor)`, which is given the default device. The fault is PyTorch's.
OUT_ELSEWHERE = "does not match device type of out parameter"


def placement(answer: GradedAnswer) -> Problems:
    """One message for each move, default device or `device` argument that is not followed."""
    evidence, rubric = answer.evidence, answer.rubric
    for movement in evidence.movements:
        if movement.raised:
            yield f"`{movement.how}` raised {explained(movement.raised)}"
            continue
        there = (fact for fact in movement.tensors if not fact.device.startswith("cuda"))
        if behind := list(dict.fromkeys(fact.path for fact in there)):
            yield f"after `{movement.how}`, still on the CPU: {join_names(behind)}"
            return
        if movement.replaced:
            yield (
                f"`{movement.how}` puts new Parameters in the place of "
                f"{join_names(list(movement.replaced))}: an optimizer would go on with the old ones"
            )
            return
    for built in evidence.built:
        yield from _elsewhere_than_said(built)
    if rubric.recipe.takes_device and evidence.is_audited:
        yield from _built_elsewhere(evidence)


def _elsewhere_than_said(built: Built) -> Problems:
    registered = [fact for fact in built.tensors if fact.role != "plain"]
    behind = [fact for fact in registered if fact.device != built.device]
    if built.raised and OUT_ELSEWHERE in built.raised.message:
        return
    if built.raised:
        yield f"built {built.how}, it raised {explained(built.raised)}"
    elif behind:
        yield (
            f"built {built.how}, it has {join_names([fact.path for fact in behind])} on "
            f"{behind[0].device}; expected: on {built.device}"
        )


def _built_elsewhere(audit: Evidence) -> Problems:
    """Tensors follow the constructor's `device` argument; without one, the default device."""
    by_default = [fact for fact in audit.tensors if fact.device.startswith("cuda")]
    if by_default:
        yield (
            f"built without a `device`, it has {join_names([fact.path for fact in by_default])} on "
            f"{by_default[0].device}; expected: on the default device, which here is the CPU"
        )
    if audit.on_device_raised:
        yield f'built with `device="cuda:0"`, it raised {explained(audit.on_device_raised)}'
    elif audit.on_device is None:
        yield "its constructor takes no argument `device` any more"
    else:
        registered = (fact for fact in audit.on_device.tensors if fact.role != "plain")
        behind = [fact.path for fact in registered if fact.device != "cuda:0"]
        if behind:
            yield f'built with `device="cuda:0"`, it has {join_names(behind)} on the CPU'
