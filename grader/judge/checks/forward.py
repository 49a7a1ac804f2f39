"""Whether `forward` runs everywhere, returns on the call's device, and gives the right numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from grader.judge.attribution import Shown
from grader.judge.checks.graded_answer import GradedAnswer
from grader.judge.findings import Sighting
from grader.judge.lookups import run_of
from grader.judge.outputs import differences
from grader.judge.wording import advice, describe, join_names
from grader.schema import Evidence, Output, Phase, Placement, Rubric

# A forward that reads a number, as `if x.any():` does, is right, and cannot be tried on meta.
READS_NUMBERS = re.compile("[Mm]eta tensor")
LATER_CALLS: dict[Phase, str] = {
    Phase.CPU_AGAIN: "called a second time",
    Phase.TRAIN_MODE: "called in train mode",
    Phase.MOVED: "called on the CPU, then moved to cuda:0 and called there",
    Phase.MOVED_ON: "moved on to cuda:1",
    Phase.MOVED_BACK: "moved back to the CPU",
}


def forward(answer: GradedAnswer) -> Iterator[str]:
    """At most one message: the first problem, since the later ones mostly follow from it."""
    yield from islice(_problems(answer), 1)


def _problems(answer: GradedAnswer) -> Iterator[str]:
    """All problems, in the order in which a learner should read them.

    1. Where the exercise asks the module to choose its GPU: the calls on other devices.
    2. The call on CUDA, then the call on the CPU: what they raised, devices, numbers.
    3. The calls on other devices and ways to build the module, for all other exercises.
    4. The audit's calls: device moves, noise, batch-wise moves, outputs left behind.
    """
    evidence, rubric, expected = answer.evidence, answer.rubric, answer.expected
    elsewhere = [problem for trial in evidence.elsewhere for problem in _elsewhere(trial, answer)]
    if rubric.recipe.chooses_gpu:
        yield from elsewhere
    calls = (run for run in evidence.runs if run.phase is Phase.EXERCISE)
    for run in sorted(calls, key=lambda run: run.device == "cpu"):
        where = "the CPU" if run.device == "cpu" else "CUDA"
        if run.raised:
            yield f"on {where}, `forward` raised {describe(run.raised)}{advice(run.raised)}"
            return
        if run.device != "cpu" and not rubric.recipe.chooses_gpu:
            yield from _outputs_elsewhere(run.outputs, evidence)
        wrong = differences(run.outputs, expected, rubric.random_outputs)
        aside = _not_comparable(evidence, rubric)
        yield from (f"on {where}, {problem}{aside}" for problem in wrong)
    yield from elsewhere
    yield from _device_moves(evidence, answer.audited)
    yield from _repeated_noise(evidence, rubric)
    yield from _too_many_rows_moved(evidence, rubric)
    yield from _outputs_left_behind(evidence)


def _elsewhere(trial: Placement, answer: GradedAnswer) -> Iterator[str]:
    run, is_meta = trial.run, trial.run.device == "meta"  # where there are no numbers
    if run.raised:
        if not (is_meta and READS_NUMBERS.search(run.raised.message)):
            yield f"{trial.how}, it raised {describe(run.raised)}{advice(run.raised)}"
        return
    for output in run.outputs:
        if output.device and output.device != run.device:
            yield f"{trial.how}, {output.path} is on {output.device}; wanted: on {run.device}"
    if is_meta:
        return
    for problem in differences(run.outputs, answer.expected, answer.rubric.random_outputs):
        yield f"{trial.how}, {_why_unwritten(trial) or problem}"


def _why_unwritten(trial: Placement) -> str:
    """Names the tensors that `to_empty` left uninitialised, if that explains wrong numbers."""
    if not trial.unwritten:
        return ""
    return (
        f"{join_names(list(trial.unwritten))} held whatever was in that memory: neither "
        "`reset_parameters` nor the checkpoint wrote them"
    )


def _not_comparable(evidence: Evidence, rubric: Rubric) -> str:
    """Why the numbers may differ although `forward` is right: names that the grader cannot set.

    The grader copies the solution's values into registered tensors by their names.
    """
    if not rubric.names_matter:
        return ""
    expected = {tensor.name for tensor in rubric.tensors}
    saved = {fact.name for fact in evidence.tensors if fact.role != "plain" and fact.persistent}
    if lacking := sorted(expected - saved):
        return (
            f". The grader could not set {join_names(lacking)}: nothing is registered by that name"
        )
    if surplus := sorted(saved - expected):
        return f". It saves {join_names(surplus)}, which the exercise does not have"
    return ""


def _outputs_left_behind(evidence: Evidence) -> Iterator[str]:
    for run in evidence.runs:
        how = LATER_CALLS.get(run.phase)
        behind = [output for output in run.outputs if output.device and output.device != run.device]
        if how and behind:
            yield (
                f"{how}, the module was on {run.device}, but {behind[0].path} is on "
                f"{behind[0].device}"
            )
            return


def _device_moves(evidence: Evidence, audited: tuple[Sighting, ...]) -> Iterator[str]:
    calls = sorted(
        (sighting for sighting in audited if sighting.shown is Shown.CALL),
        key=lambda sighting: sighting.order,
    )
    for sighting in (
        *calls,
        *(sighting for sighting in audited if sighting.shown is Shown.NUMBERS),
    ):
        yield f"called on cuda:0 and cuda:1, moved and back: {sighting.finding.message}"
    yield from (sighting.finding.message for sighting in audited if sighting.shown is Shown.PARENT)
    for run in evidence.runs:
        if run.raised and run.phase in LATER_CALLS:
            yield f"{LATER_CALLS[run.phase]}, `forward` raised {describe(run.raised)}"


def _repeated_noise(evidence: Evidence, rubric: Rubric) -> Iterator[str]:
    first, again = run_of(evidence, Phase.CPU), run_of(evidence, Phase.CPU_AGAIN)
    if evidence.random or first is None or again is None or again.raised:
        return
    numbers = {output.path: output.values for output in first.outputs}
    same = [output.path for output in again.outputs if output.values == numbers.get(output.path)]
    if repeated := [path for path in rubric.random_outputs if path in same]:
        yield (
            f"called twice in eval mode, it gave the same numbers in {join_names(repeated)}: draw "
            "new noise in each call"
        )


def _too_many_rows_moved(evidence: Evidence, rubric: Rubric) -> Iterator[str]:
    run = run_of(evidence, Phase.CUDA)
    most = rubric.recipe.most_rows
    if most is None or run is None:
        return
    if run.moved_inputs:
        yield "an input was moved to CUDA whole, which it is too large for: move batch by batch"
    elif run.rows_moved > most:
        yield (
            f"{run.rows_moved} rows were moved to CUDA at a time; wanted: no more than one batch, "
            f"which is {most}"
        )


def _outputs_elsewhere(outputs: tuple[Output, ...], evidence: Evidence) -> Iterator[str]:
    run = run_of(evidence, Phase.CUDA)
    traced = {output.path: output for output in run.outputs} if run else {}
    for output in outputs:
        if output.device and not output.device.startswith("cuda"):
            traced_output = traced.get(output.path, output)
            line = (
                f", by line {traced_output.line}: `{traced_output.code}`"
                if traced_output.line
                else ""
            )
            where = output.device.upper()
            yield f"the module was on CUDA, but {output.path} is on the {where}{line}"
