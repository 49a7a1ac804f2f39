"""What is wrong with the calls of a module: what they raised, gave, and where that was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from grader.evidence import Elsewhere, Evidence, Output, Phase
from grader.judge.advice import advice
from grader.judge.attribution import Shown
from grader.judge.checks.answer import Answer
from grader.judge.findings import Sighting
from grader.judge.lookups import run_of
from grader.judge.outputs import differences
from grader.judge.wording import listed, told
from grader.rubrics import Rubric

# A forward that reads a number, as `if x.any():` does, is right, and cannot be tried on meta.
READS_NUMBERS = re.compile("[Mm]eta tensor")
LATER_CALLS: dict[Phase, str] = {
    Phase.CPU_AGAIN: "called a second time",
    Phase.TRAIN_MODE: "called in train mode",
    Phase.MOVED: "called on the CPU, then moved to cuda:0 and called there",
    Phase.MOVED_ON: "moved on to cuda:1",
    Phase.MOVED_BACK: "moved back to the CPU",
}


def forward(answer: Answer) -> Iterator[str]:
    """The first thing that is wrong, in words; the others mostly follow from it."""
    yield from islice(_problems(answer), 1)


def _problems(answer: Answer) -> Iterator[str]:
    """CUDA's before the CPU's, then the audit's; a module that chooses its GPU is not moved."""
    evidence, rubric, expected = answer.evidence, answer.rubric, answer.expected
    elsewhere = [problem for seen in evidence.elsewhere for problem in _elsewhere(seen, answer)]
    if "gpu" in rubric.recipe.elsewhere:
        yield from elsewhere
    for run in sorted(evidence.runs, key=lambda run: run.device == "cpu"):
        where = "the CPU" if run.device == "cpu" else "CUDA"
        if run.raised:
            yield f"on {where}, `forward` raised {told(run.raised)}{advice(run.raised)}"
            return
        if run.device != "cpu" and "gpu" not in rubric.recipe.elsewhere:
            yield from _outputs_elsewhere(run.outputs, evidence.audit)
        wrong = differences(run.outputs, expected, rubric.random_outputs)
        aside = _not_comparable(evidence, rubric)
        yield from (f"on {where}, {problem}{aside}" for problem in wrong)
    yield from elsewhere
    if evidence.audit:
        yield from _on_the_journey(evidence.audit, answer.audited)
        yield from _not_drawn_anew(evidence.audit, rubric)
        yield from _moved_whole(evidence.audit, rubric)
        yield from _left_behind(evidence.audit)


def _elsewhere(seen: Elsewhere, answer: Answer) -> Iterator[str]:
    run, is_meta = seen.run, seen.run.device == "meta"  # where there are no numbers
    if run.raised:
        if not (is_meta and READS_NUMBERS.search(run.raised.message)):
            yield f"{seen.how}, it raised {told(run.raised)}{advice(run.raised)}"
        return
    for output in run.outputs:
        if output.device and output.device != run.device:
            yield f"{seen.how}, {output.path} is on {output.device}; wanted: on {run.device}"
    if is_meta:
        return
    for problem in differences(run.outputs, answer.expected, answer.rubric.random_outputs):
        yield f"{seen.how}, {_why_unwritten(seen) or problem}"


def _why_unwritten(seen: Elsewhere) -> str:
    """Of numbers that are wrong: which tensors have none; `""` if all have."""
    if not seen.unwritten:
        return ""
    return (
        f"{listed(list(seen.unwritten))} held whatever was in that memory: neither "
        "`reset_parameters` nor the checkpoint wrote them"
    )


def _not_comparable(evidence: Evidence, rubric: Rubric) -> str:
    """Why the numbers may be others though `forward` is right: the grader sets some by name."""
    if not rubric.names_matter:
        return ""
    wanted = {each.name for each in rubric.tensors}
    saved = {fact.name for fact in evidence.tensors if fact.role != "plain" and fact.persistent}
    if lacking := sorted(wanted - saved):
        return f". The grader could not set {listed(lacking)}: nothing is registered by that name"
    if surplus := sorted(saved - wanted):
        return f". It saves {listed(surplus)}, which the exercise does not have"
    return ""


def _left_behind(audit: Evidence) -> Iterator[str]:
    for run in audit.runs:
        how = LATER_CALLS.get(run.phase)
        behind = [each for each in run.outputs if each.device and each.device != run.device]
        if how and behind:
            yield (
                f"{how}, the module was on {run.device}, but {behind[0].path} is on "
                f"{behind[0].device}"
            )
            return


def _on_the_journey(audit: Evidence, audited: tuple[Sighting, ...]) -> Iterator[str]:
    calls = sorted((s for s in audited if s.shown is Shown.CALL), key=lambda seen: seen.order)
    for seen in (*calls, *(s for s in audited if s.shown is Shown.NUMBERS)):
        yield f"called on cuda:0 and cuda:1, moved and back: {seen.finding.message}"
    yield from (seen.finding.message for seen in audited if seen.shown is Shown.PARENT)
    for run in audit.runs:
        if run.raised and run.phase in LATER_CALLS:
            yield f"{LATER_CALLS[run.phase]}, `forward` raised {told(run.raised)}"


def _not_drawn_anew(audit: Evidence, rubric: Rubric) -> Iterator[str]:
    first, again = run_of(audit, Phase.CPU), run_of(audit, Phase.CPU_AGAIN)
    if audit.random or first is None or again is None or again.raised:
        return
    numbers = {each.path: each.values for each in first.outputs}
    same = [each.path for each in again.outputs if each.values == numbers.get(each.path)]
    if repeated := [path for path in rubric.random_outputs if path in same]:
        yield (
            f"called twice in eval mode, it gave the same numbers in {listed(repeated)}: draw new "
            "noise in each call"
        )


def _moved_whole(audit: Evidence, rubric: Rubric) -> Iterator[str]:
    run = run_of(audit, Phase.CUDA)
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


def _outputs_elsewhere(outputs: tuple[Output, ...], audit: Evidence | None) -> Iterator[str]:
    run = run_of(audit, Phase.CUDA) if audit else None
    traced = {each.path: each for each in run.outputs} if run else {}
    for output in outputs:
        if output.device and not output.device.startswith("cuda"):
            came = traced.get(output.path, output)
            line = f", by line {came.line}: `{came.code}`" if came.line else ""
            where = output.device.upper()
            yield f"the module was on CUDA, but {output.path} is on the {where}{line}"
