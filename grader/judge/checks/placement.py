"""Whether every tensor follows a move, and is made where the caller says."""

from __future__ import annotations

from grader.evidence import ByDefault, Evidence
from grader.judge.checks.answer import Answer, Problems
from grader.judge.wording import listed, told


def placement(answer: Answer) -> Problems:
    """Each thing that is wrong, in words."""
    evidence, rubric = answer.evidence, answer.rubric
    for movement in evidence.movements:
        if movement.raised:
            yield f"`{movement.how}` raised {told(movement.raised)}"
            continue
        behind = [fact.path for fact in movement.tensors if not fact.device.startswith("cuda")]
        if behind:
            yield f"after `{movement.how}`, still on the CPU: {listed(behind)}"
            return
    if evidence.by_default:
        yield from _on_the_default_device(evidence.by_default)
    if rubric.recipe.takes_device and evidence.audit:
        yield from _built_elsewhere(evidence.audit)


def _on_the_default_device(seen: ByDefault) -> Problems:
    """Where the caller's default says, which the constructor leaves as it is."""
    registered = [each for each in seen.tensors if each.role != "plain"]
    behind = [each.path for each in registered if not each.device.startswith("cuda")]
    if seen.raised:
        yield f"built while the default device is CUDA, it raised {told(seen.raised)}"
    elif behind:
        yield (
            'built without a `device` after `torch.set_default_device("cuda")`, it has '
            f"{listed(behind)} on the CPU; wanted: on the default device"
        )
    if seen.left != "cpu":
        yield (
            f"its constructor leaves the default device of the whole program on {seen.left}: pass "
            "`device=` to each tensor instead"
        )


def _built_elsewhere(audit: Evidence) -> Problems:
    """Where the constructor's `device` says, and on the CPU, the default, if it says nothing."""
    by_default = [each for each in audit.tensors if each.device.startswith("cuda")]
    if by_default:
        yield (
            f"built without a `device`, it has {listed([each.path for each in by_default])} on "
            f"{by_default[0].device}; wanted: on the default device, which here is the CPU"
        )
    if audit.on_device_raised:
        yield f'built with `device="cuda:0"`, it raised {told(audit.on_device_raised)}'
    elif audit.on_device is None:
        yield "its constructor takes no argument `device` any more"
    else:
        registered = (each for each in audit.on_device.tensors if each.role != "plain")
        behind = [each.path for each in registered if each.device != "cuda:0"]
        if behind:
            yield f'built with `device="cuda:0"`, it has {listed(behind)} on the CPU'
