"""The report of an audit: what running a module showed, without a rubric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import UNSET

from grader.judge.attribution.operands import is_mismatch
from grader.judge.behind import note_on_those_behind, of_real_calls, with_those_behind
from grader.judge.codes import Code
from grader.judge.diagnosis import diagnose_audit
from grader.judge.fixes import SourceFile, Sources, Tried, with_fixes
from grader.judge.fixes.fix import Fault
from grader.judge.lookups import (
    built_on_cuda,
    enclosing_paths,
    follows,
    is_number,
    stays_as_made,
    unregistered_tensors,
)
from grader.judge.stops import STOPS, Stop, Tell, audit_words, ending_words, first_stop
from grader.judge.wording import describe, join_names, notes
from grader.schema import (
    AFTER_MOVES,
    Checkpoint,
    Evidence,
    FailedCall,
    Finding,
    Phase,
    Raised,
    Report,
    Run,
    Stage,
    Training,
    Verdict,
)

# Where one of these fails in the grader itself, nothing was seen that a verdict could stand on.
ESSENTIAL = (
    Stage.CONSTRUCTION,
    Stage.MOVE_TO_CUDA,
    Stage.CPU_BASELINE,
    Stage.DEVICE_MOVES,
    Stage.CALLS_ON_CUDA,
)
# The calls on other devices that must run, with words for when. Half a batch may be refused.
COUNTED = {
    Phase.CUDA: "",
    Phase.MOVED: ", after calls on the CPU",
    Phase.MOVED_ON: ", after calls elsewhere",
    Phase.MOVED_BACK: ", after calls elsewhere",
    Phase.TRAIN_MODE: ", in train mode",
    Phase.IN_PLACE: ", where its first part is",
    Phase.PART_OF_ANOTHER: ", as a part of another module",
}

FAILED_CALLS = {
    "constructor": STOPS[Stop.UNBUILT].audit,
    "forward on the CPU": "On the CPU, `forward` raised {raised}\n"
    "Do the inputs fit the module? An audit needs a call that works on the CPU.",
}


def judge_audit(
    evidence: Evidence,
    title: str,
    source: str = "",
    sources: Sources | None = None,
    tried: Tried = None,
) -> Report:
    """The report on any module.

    Args:
        evidence: what the probe saw.
        title: the module's name.
        source: its file, as it should be printed.
        sources: the texts of that file and of others that its classes are written in.
        tried: the edits that may be printed as code; None if they have not been tried yet.
    """
    sources = sources or Sources(SourceFile("", source))

    def here(file: str) -> str:
        return file if sources.file(file).name in ("", source) else ""

    def tell(raised: Raised) -> str:
        return describe(raised, here(raised.file))

    real = of_real_calls(evidence)
    shown = diagnose_audit(real)
    faults, behind = with_those_behind(evidence, shown, diagnose_audit)
    findings = tuple(with_fixes(faults, evidence, sources, tried=tried))
    left_out = tuple(_left_out(evidence, findings, tell))
    verdict, why = _verdict(real, shown, tell)
    failure = why if isinstance(why, FailedCall) else UNSET
    message = FAILED_CALLS[failure.call].format(raised=failure.exception) if failure else str(why)
    if verdict in ("passed", "failed"):
        message = _not_looked_into(evidence, left_out)
    return Report(
        verdict=verdict,
        device=evidence.device,
        title=f"Audit of {title}",
        source=source,
        findings=findings,
        message=message,
        printed=evidence.printed,
        notes=(
            *note_on_those_behind(evidence, behind, here),
            *notes(evidence),
            *_split(evidence),
            *_left_behind_without_loss(evidence, faults),
            *_refused_on_the_cpu(evidence, tell),
        ),
        left_out=left_out if verdict in ("passed", "failed") else (),
        failure=failure,
    )


def _verdict(
    evidence: Evidence, findings: tuple[Finding, ...], tell: Tell
) -> tuple[Verdict, str | FailedCall]:
    """The verdict, and why nothing is judged: in words, or the call that raised.

    The first of these that holds decides:

    1. The file left nothing to audit.
    2. The process did not end by itself.
    3. There is an error finding: it explains what else went wrong.
    4. The constructor or a later step raised, and no finding explains it.
    5. The grader itself failed in a step that the rest stands on.
    6. A call or a move raised what no rule explains.
    """
    stop = first_stop(evidence)
    if stop is Stop.UNDEFINED:
        return STOPS[stop].verdict, audit_words(stop, evidence, tell)
    if evidence.ending != "complete":
        return evidence.ending, ending_words(evidence)
    if any(finding.severity == "error" for finding in findings):
        return "failed", ""
    if stop is Stop.UNBUILT and evidence.construction and evidence.construction.is_exception:
        return STOPS[stop].verdict, FailedCall("constructor", tell(evidence.construction))
    if stop:
        return STOPS[stop].verdict, audit_words(stop, evidence, tell)
    refusal = _not_looked_at(evidence) or _unexplained_error(evidence, findings, tell)
    return ("cannot_grade", refusal) if refusal else ("passed", "")


def _not_looked_at(evidence: Evidence) -> str:
    """Why an audit says nothing where the grader itself failed in a stage that it stands on."""
    for skipped in evidence.skipped:
        if skipped.is_fault and skipped.stage in ESSENTIAL:
            return (
                f"The audit itself failed in a step that the rest stands on, so it says nothing of "
                f"this module. During the {skipped.stage}: {skipped.why}\n"
                "Does the module hold or return something unusual? If not, please report this."
            )
    return ""


def _unexplained_error(
    evidence: Evidence, findings: tuple[Finding, ...], tell: Tell
) -> str | FailedCall:
    is_stale = any(f.code in (Code.STALE_DEVICE, Code.STALE_OPTIMIZER) for f in findings)
    baseline = evidence.run_of(Phase.CPU)
    if baseline and baseline.raised:
        return FailedCall("forward on the CPU", tell(baseline.raised))
    for move in evidence.movements:
        if move.raised:
            return f"`{move.how}` raised what no rule explains: {tell(move.raised)}"
    for run in evidence.runs:
        if is_stale and run.phase in AFTER_MOVES and run.raised and is_mismatch(run.raised):
            continue
        if run.raised and run.phase in COUNTED and not _fails_on_the_cpu(run, evidence):
            where = f"On {run.device}{COUNTED[run.phase]}"
            return f"{where}, `forward` raised what no rule explains: {tell(run.raised)}"
    return ""


def _fails_on_the_cpu(run: Run, evidence: Evidence) -> bool:
    """Whether a later call raises on the CPU too, or in train mode whether training does."""
    if run.phase in AFTER_MOVES:
        return any(control.raised for control in evidence.controls)
    if run.phase is not Phase.TRAIN_MODE:
        return False
    training = evidence.cpu_training
    return training is None or training.raised is not None


def _left_out(evidence: Evidence, findings: tuple[Finding, ...], tell: Tell) -> Iterator[str]:
    """The steps that were not run, or that raised what no finding explains."""
    yield from map(str, evidence.skipped)
    training, checkpoint = evidence.cpu_training or Training(), evidence.reloaded or Checkpoint()
    refused = {
        f"{Stage.CONSTRUCTION_ON_CUDA}: it": built_on_cuda(evidence).raised,
        f"{Stage.TRAINING_AND_CHECKPOINT}: in train mode, on the CPU, it": training.raised,
        "comparison with a checkpoint: loading its own into a new instance": checkpoint.raised,
    }
    if on_cuda := evidence.run_of(Phase.TRAINED):
        refused[f"{Stage.TRAINING_ON_CUDA}: it"] = on_cuda.raised
    errors = {finding.line for finding in findings if finding.severity == "error"}
    for step, raised in refused.items():
        if raised and raised.line not in errors and not (errors and is_mismatch(raised)):
            yield f"{step} raised {tell(raised)}"


def _split(evidence: Evidence) -> Iterator[str]:
    """The note that a module on several GPUs was looked at in another way."""
    if evidence.structure and len(gpus := evidence.structure.gpus) > 1:
        yield (
            f"Its constructor puts its parts on {' and '.join(gpus)}. So it was called where it "
            "is, in eval and in train mode, and not moved, trained or loaded."
        )


def _left_behind_without_loss(evidence: Evidence, faults: Iterable[Fault]) -> Iterator[str]:
    told = {path for fault in faults for path in (fault.where, *fault.alike)}
    used = [fact for fact in unregistered_tensors(evidence) if fact.used and stays_as_made(fact)]
    kept = [
        fact
        for fact in used
        if told.isdisjoint(enclosing_paths(fact.path)) and not follows(fact, evidence)
    ]
    if numbers := [fact.path for fact in kept if is_number(fact)]:
        yield (
            f"On the CPU wherever the module is: {join_names(numbers)}. Nothing is lost by that. "
            "PyTorch takes a tensor of one number for a number, and no call changes these."
        )
    if constants := [fact.path for fact in kept if not is_number(fact)]:
        yield (
            f"Constants on the CPU wherever the module is: {join_names(constants)}. Nothing is "
            "lost by that: `__init__` makes the same ones each time, and nothing changes them. As "
            "buffers with `persistent=False`, they would be moved once and not in each call."
        )


def _refused_on_the_cpu(evidence: Evidence, tell: Tell) -> Iterator[str]:
    """Notes on calls that the module refuses on the CPU, where no device is concerned."""
    for control in evidence.controls:
        if control.raised:
            yield f"It cannot be called often, even on the CPU: it raised {tell(control.raised)}"


def _not_looked_into(evidence: Evidence, left_out: Iterable[str]) -> str:
    given_up = (
        *(evidence.structure.given_up if evidence.structure else ()),
        *left_out,
    )
    return "Not looked into: " + "; ".join(given_up) if given_up else ""
