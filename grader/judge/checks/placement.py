"""Whether every tensor follows a move, and is made where the caller says."""

from __future__ import annotations

from grader.judge.checks.graded_answer import GradedAnswer, Problems
from grader.judge.wording import explained, join_names
from grader.schema import Placed

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
    if not rubric.recipe.takes_device:
        return
    for built in (*evidence.built, evidence.on_device):
        yield from _elsewhere_than_said(built) if built else ()
    by_default = [fact for fact in evidence.tensors if fact.device.startswith("cuda")]
    if by_default:
        yield (
            f"built without a `device`, it has {join_names([fact.path for fact in by_default])} on "
            f"{by_default[0].device}; expected: on the default device, which here is the CPU"
        )
    if evidence.is_audited and evidence.on_device is None:
        yield "its constructor takes no argument `device` any more"


def _elsewhere_than_said(built: Placed) -> Problems:
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
