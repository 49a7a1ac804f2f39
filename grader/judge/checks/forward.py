"""Whether `forward` runs everywhere, returns on the call's device, and gives the right numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from grader.judge.attribution import Shown
from grader.judge.checks.graded_answer import GradedAnswer
from grader.judge.findings import Sighting
from grader.judge.outputs import differences, wrong_kinds
from grader.judge.wording import explained, join_names
from grader.schema import Evidence, Output, Phase, Placement, Rubric

# A forward that reads a number, as `if x.any():` does, is right, and cannot be tried on meta.
READS_NUMBERS = re.compile("[Mm]eta tensor")
# By what code leaves to the whole program, in words.
LEFT_ON = {
    "default device": "it leaves the default device of the whole program on {}: say `device=` "
    "where a tensor is made instead",
    "mode": "it leaves a mode on, `{}`, which from there on sees every operation of the program: "
    "enter it by `with`, so that it ends",
    "hook": "it leaves a {} on, which acts on every module of the program: call `remove()` on the "
    "handle that its registration gives",
    "input": "it changes `{}` in place, and its caller goes on with that tensor: make a new one",
}
ASIDE = 4  # operations on the CPU for one on the GPU are more than tables and counts need
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
    4. What the calls left, and where they computed.
    5. The audit's calls: device moves, noise, batch-wise moves, outputs left behind.
    """
    evidence, rubric, expected = answer.evidence, answer.rubric, answer.expected
    elsewhere = [problem for trial in evidence.elsewhere for problem in _elsewhere(trial, answer)]
    if rubric.recipe.chooses_gpu:
        yield from elsewhere
    calls = (run for run in evidence.runs if run.phase is Phase.EXERCISE)
    for run in sorted(calls, key=lambda run: run.device == "cpu"):
        where = "the CPU" if run.device == "cpu" else "CUDA"
        if run.raised:
            what = "`forward`" if run.raised.line else "it"  # the move may have failed
            yield f"on {where}, {what} raised {explained(run.raised)}"
            return
        kinds = any(wrong_kinds(run.outputs, expected))
        if run.device != "cpu" and not rubric.recipe.chooses_gpu and not kinds:
            yield from _outputs_elsewhere(run.outputs, evidence)
        wrong = differences(run.outputs, expected, rubric.random_outputs)
        aside = _not_comparable(evidence, rubric)
        yield from (f"on {where}, {problem}{aside}" for problem in wrong)
    yield from elsewhere
    yield from _computed_elsewhere(evidence, rubric)
    yield from _left_elsewhere(evidence, rubric)
    yield from _device_moves(evidence, answer.audited)
    yield from _repeated_noise(evidence, rubric)
    yield from _too_many_rows(evidence, rubric)
    yield from _outputs_left_behind(evidence)


def _elsewhere(trial: Placement, answer: GradedAnswer) -> Iterator[str]:
    run, is_meta = trial.run, trial.run.device == "meta"  # where there are no numbers
    if run.raised:
        if not (is_meta and READS_NUMBERS.search(run.raised.message)):
            yield f"{trial.how}, it raised {explained(run.raised)}"
        return
    kinds = [] if is_meta else list(wrong_kinds(run.outputs, answer.expected))
    for output in run.outputs if not kinds else ():
        if output.device and output.device != run.device:
            yield f"{trial.how}, {output.path} is on {output.device}; expected: on {run.device}"
    if is_meta:
        return
    if trial.not_reset and not trial.unwritten:
        names = join_names(list(trial.not_reset))
        yield (
            f"built on the meta device and given memory by `to_empty()`, {names} held whatever was "
            "in that memory, and `reset_parameters()` did not write its first values"
        )
    for problem in differences(run.outputs, answer.expected, answer.rubric.random_outputs):
        yield f"{trial.how}, {_why_unwritten(trial) or problem}"


def _why_unwritten(trial: Placement) -> str:
    """Names the tensors that `to_empty` left uninitialised, if that explains wrong numbers."""
    if not trial.unwritten:
        return ""
    return (
        f"the numbers are wrong: {join_names(list(trial.unwritten))} held whatever was in that "
        "memory, and neither `reset_parameters` nor the checkpoint wrote them"
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
            yield f"{LATER_CALLS[run.phase]}, `forward` raised {explained(run.raised)}"


def _repeated_noise(evidence: Evidence, rubric: Rubric) -> Iterator[str]:
    first, again = evidence.run_of(Phase.CPU), evidence.run_of(Phase.CPU_AGAIN)
    if evidence.random or first is None or again is None or again.raised:
        return
    numbers = {output.path: output.values for output in first.outputs}
    same = [output.path for output in again.outputs if output.values == numbers.get(output.path)]
    if repeated := [path for path in rubric.random_outputs if path in same]:
        yield (
            f"called twice in eval mode, it gave the same numbers in {join_names(repeated)}: draw "
            "new noise in each call"
        )


def _too_many_rows(evidence: Evidence, rubric: Rubric) -> Iterator[str]:
    most = rubric.recipe.most_rows
    rows, without_gradients = evidence.rows
    if most is None or rows <= most:
        return
    too_many = (
        f"{rows} rows of the inputs were on CUDA at a time; expected: no more than one batch, "
        f"which is {most}"
    )
    if without_gradients > most:
        yield f"{too_many}. Move one batch, use it, and let the next take its name"
    else:
        yield (
            f"{too_many}. A result that has a gradient remembers each batch it was computed from: "
            "compute under `torch.no_grad()`"
        )


def _computed_elsewhere(evidence: Evidence, rubric: Rubric) -> Iterator[str]:
    """A call on a GPU that computed on the CPU. Tables may be made there, and counts be kept."""
    trials = (trial.run for trial in evidence.elsewhere)
    runs, aside = (trials, 1) if rubric.recipe.chooses_gpu else (evidence.runs, ASIDE)
    for run in runs:
        if not run.device.startswith("cuda") or run.raised or run.phase is not Phase.EXERCISE:
            continue
        work = run.work
        every, advice = work.on_cpu + work.on_gpu, "bring the inputs there and compute there"
        if aside * work.on_gpu <= work.on_cpu > 0:
            yield (
                f"on {run.device}, {work.on_cpu} of {every} operations were computed on the CPU: "
                f"{advice}, not the results"
            )
            return
        if work.weights_on_cpu:
            yield (
                f"on {run.device}, {work.weights_on_cpu} of {every} operations were computed on "
                f"the CPU with copies of its Parameters: {advice}, with the Parameters themselves"
            )
            return


def _left_elsewhere(evidence: Evidence, rubric: Rubric) -> Iterator[str]:
    """Tensors that the constructor or a call puts elsewhere, and what acts on the whole program."""
    registered = [fact for fact in evidence.tensors if fact.role != "plain"]
    there = [fact.path for fact in registered if fact.device.startswith("cuda")]
    behind = [f for f in evidence.left if f.role != "plain" and not f.device.startswith("cuda")]
    if behind and not rubric.recipe.chooses_gpu:
        yield (
            f"after a call on CUDA, {join_names([fact.path for fact in behind])} is on the CPU: it "
            "was moved there, or replaced by a tensor that was made there"
        )
    for kind, name in evidence.left_on:
        yield LEFT_ON[kind].format(name)
    if there and len(there) < len(registered):
        yield (
            f"as it is built, {join_names(there)} is on CUDA and the rest is not, so that no call "
            "works before a move: make all in one place"
        )


def _outputs_elsewhere(outputs: tuple[Output, ...], evidence: Evidence) -> Iterator[str]:
    run = evidence.run_of(Phase.CUDA)
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
