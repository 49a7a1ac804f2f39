"""What an audit's journey shows: calls that raise, results elsewhere, numbers that change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.evidence import Evidence, Leg, Output, Place, Run, Structure
from grader.judge.outputs import much_alike
from grader.judge.report import Finding
from grader.judge.rules.registration import member_tensor, unregistered
from grader.judge.rules.stray_findings import hard_coded, input_transfer, stale_device
from grader.judge.rules.strays import device_attribute, explain, stray_operand
from grader.judge.wording import told

MOVES = ("torch.Tensor.to", "torch.Tensor.cuda", "torch.Tensor.cpu")
FROM_NUMBERS = ("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.asarray")
MOVED: tuple[Leg, ...] = ("cuda", "moved", "second", "back")


def journey(evidence: Evidence) -> Iterator[Finding]:
    """The findings of every leg but the special ones, in the order of the journey."""
    for run in evidence.runs:
        if run.leg in ("", "parent", "cpu_inputs", "replica"):
            continue
        if run.leg == "back" and _overrides(evidence):  # what it shows is told of the override
            continue
        yield from explain(run, evidence)
        yield from _results_elsewhere(run, evidence)


def changed_numbers(evidence: Evidence) -> Iterator[Finding]:
    """`stale-device`, silently: a move that changes what the module gives."""
    home = leg(evidence, "cpu")
    if home is None or evidence.random or not repeats(evidence):
        return
    for run in evidence.runs:
        if run.leg in MOVED and not run.raised and not much_alike(run.outputs, home.outputs):
            yield Finding(
                "stale-device",
                "error",
                "forward",
                0,
                f"The module gives other numbers on {run.device} than it gave on the CPU before, "
                "for the same inputs: something it remembers did not move along.",
                "Compare what it caches, and when; make it again when the device has changed.",
            )
            return


def adoption(evidence: Evidence) -> Iterator[Finding]:
    """`to-override`: it moves alone, and not as a child, or not by `.cpu()`."""
    alone, child, back = (leg(evidence, name) for name in ("cuda", "parent", "back"))
    overrides = _overrides(evidence)
    if alone is None or alone.raised or child is None or not overrides:
        return
    method = overrides[0].path.rsplit(".", 1)[-1]
    same_place = [o.device for o in alone.outputs] == [o.device for o in child.outputs]
    symptom = ""
    if child.raised or not same_place:
        symptom = f"a parent's `.to()` never calls its children's `{method}`: as part of a larger "
        symptom += f"model, this one is left behind{_in_words(child)}"
    elif back and back.raised:
        symptom = "`.cpu()` and a parent's `.to()` never call it, and leave something behind"
        symptom += _in_words(back)
    if symptom:
        yield Finding(
            "to-override",
            "error",
            overrides[0].path,
            overrides[0].line,
            f"`{method}` is overridden, and moves what PyTorch would not. But {symptom}",
            "Register what it moves as a buffer; then no override is needed. Or override "
            "`_apply`, which parents do call.",
        )


def _overrides(evidence: Evidence) -> tuple[Place, ...]:
    return (evidence.structure or Structure()).overrides


def _in_words(run: Run) -> str:
    return f": {told(run.raised)}" if run.raised else ""


def transfer(evidence: Evidence) -> Iterator[Finding]:
    """`input-transfer`: a module that moves its inputs, but not what is nested in them."""
    run = leg(evidence, "cpu_inputs")
    if run is None or run.raised is None or not run.moved_inputs:
        return
    stray = stray_operand(run.raised, run.device)
    if stray is None or stray.source != "input" or not re.search(r"[\[.]", stray.name):
        return
    yield input_transfer(stray, run.raised)


def replica(evidence: Evidence) -> Iterator[Finding]:
    """`replica`: what fails, or is lost, in a replica of `nn.DataParallel`."""
    home, run = leg(evidence, "cpu"), leg(evidence, "replica")
    if home is None or home.raised or run is None:
        return
    if run.raised:
        yield _replica(run.raised.code, run.raised.line, f"it raises {told(run.raised)}")
    elif not evidence.random and repeats(evidence) and not much_alike(run.outputs, home.outputs):
        line = next((output.line for output in run.outputs if output.line), 0)
        yield _replica("forward", line, "it gives other numbers")
    for place in evidence.counters:
        yield _replica(place.path, place.line, f"the change of `{place.path}` is lost with it")


def leg(evidence: Evidence, name: Leg) -> Run | None:
    """The run of that leg."""
    return next((run for run in evidence.runs if run.leg == name), None)


def repeats(evidence: Evidence) -> bool:
    """Whether a second call on the CPU gave what the first gave."""
    first, again = leg(evidence, "cpu"), leg(evidence, "again")
    if first is None or again is None or first.raised or again.raised:
        return False
    return much_alike(again.outputs, first.outputs)


def _results_elsewhere(run: Run, evidence: Evidence) -> Iterator[Finding]:
    for output in run.outputs:
        if output.device and output.device != run.device and output.shape:
            yield from _result_elsewhere(output, run, evidence)


def _result_elsewhere(output: Output, run: Run, evidence: Evidence) -> Iterator[Finding]:
    held = next((f for f in unregistered(evidence) if f.path == output.held_at), None)
    attribute = device_attribute(output.code, evidence)
    if held:
        yield member_tensor(held, f", and {output.path} is there too")
    elif attribute:
        yield stale_device(attribute, output.line, evidence)
    elif output.device != "cpu":
        yield hard_coded(output.line, output.code or output.path, output.device, run.device)
    elif output.made_by and not _is_meant(output, run):
        yield Finding(
            "made-in-forward",
            "error",
            output.made_by,
            output.line,
            f"line {output.line}: `{output.made_by}` makes a CPU tensor, and {output.path} is made "
            f"of it: the result is on the CPU while module and inputs are on {run.device}.",
            "Make it on the device of the input.",
        )


def _is_meant(output: Output, run: Run) -> bool:
    """Whether a result looks as if it were on the CPU on purpose."""
    if output.made_by in MOVES or "cpu" in output.code:
        return True
    nothing_else = all(other.device in ("", "cpu") for other in run.outputs)
    return nothing_else and output.made_by in FROM_NUMBERS


def _replica(where: str, line: int, harm: str) -> Finding:
    return Finding(
        "replica",
        "warning",
        where,
        line,
        f"In a replica of `nn.DataParallel`, {harm}: a replica is a throw-away copy, whose "
        "`parameters()` is empty.",
        "Read the device and dtype from the input, count in a buffer or outside of "
        "`forward`; or use DistributedDataParallel.",
    )
