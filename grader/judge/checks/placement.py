"""Whether every tensor follows a move, and is made where the caller says."""

from __future__ import annotations

from grader.judge.checks.graded_answer import GradedAnswer, Problems
from grader.judge.wording import describe, join_names
from grader.schema import ByDefault, Evidence


def placement(answer: GradedAnswer) -> Problems:
    """One message for each move, default device or `device` argument that is not followed."""
    evidence, rubric = answer.evidence, answer.rubric
    for movement in evidence.movements:
        if movement.raised:
            yield f"`{movement.how}` raised {describe(movement.raised)}"
            continue
        behind = [fact.path for fact in movement.tensors if not fact.device.startswith("cuda")]
        if behind:
            yield f"after `{movement.how}`, still on the CPU: {join_names(behind)}"
            return
    if evidence.by_default:
        yield from _on_the_default_device(evidence.by_default)
    if rubric.recipe.takes_device and evidence.is_audited:
        yield from _built_elsewhere(evidence)


def _on_the_default_device(built: ByDefault) -> Problems:
    """Built under `torch.set_default_device`: tensors follow it, and nothing changes it."""
    registered = [fact for fact in built.tensors if fact.role != "plain"]
    behind = [fact.path for fact in registered if not fact.device.startswith("cuda")]
    if built.raised:
        yield f"built while the default device is CUDA, it raised {describe(built.raised)}"
    elif behind:
        yield (
            'built without a `device` after `torch.set_default_device("cuda")`, it has '
            f"{join_names(behind)} on the CPU; wanted: on the default device"
        )
    if built.left != "cpu":
        yield (
            f"its constructor leaves the default device of the whole program on {built.left}: pass "
            "`device=` to each tensor instead"
        )


def _built_elsewhere(audit: Evidence) -> Problems:
    """Tensors follow the constructor's `device` argument; without one, the default device."""
    by_default = [fact for fact in audit.tensors if fact.device.startswith("cuda")]
    if by_default:
        yield (
            f"built without a `device`, it has {join_names([fact.path for fact in by_default])} on "
            f"{by_default[0].device}; wanted: on the default device, which here is the CPU"
        )
    if audit.on_device_raised:
        yield f'built with `device="cuda:0"`, it raised {describe(audit.on_device_raised)}'
    elif audit.on_device is None:
        yield "its constructor takes no argument `device` any more"
    else:
        registered = (fact for fact in audit.on_device.tensors if fact.role != "plain")
        behind = [fact.path for fact in registered if fact.device != "cuda:0"]
        if behind:
            yield f'built with `device="cuda:0"`, it has {join_names(behind)} on the CPU'
