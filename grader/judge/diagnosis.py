"""From evidence to findings: every rule runs once, and each fault is reported once.

1. The rules yield sightings in order of precedence (`codes.py`); within a rule, first those from
   the text of an exception, then those from the causes, then those of the rule's own search.
2. If a call or a gradient has shown a cause, its consequences (other numbers after a move or a
   reload) are dropped. So is an exception that only speaks of devices, if there is any other error.
3. In an exercise, tensors whose device `torch.set_default_device` chose are the fault of that call.
   No call of the module shows it, so it is found in the text (`blame_default_device`).
4. Of several findings on one path, or of one operation on one line, the first is kept, errors
   before warnings (`deduplicate`). A finding on a path hides those inside it, and those of the same
   code around it.
5. Findings of one line in one container are merged into one that names the others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.judge.attribution import Shown
from grader.judge.codes import Code
from grader.judge.findings import RULES, RuleContext, Sighting
from grader.judge.fixes import Sources
from grader.judge.fixes.expressions import calls_in
from grader.judge.fixes.fix import Fault
from grader.judge.lookups import enclosing_paths, forgotten_by_override
from grader.judge.wording import join_names
from grader.schema import Evidence, Rubric

CAUSES = (Shown.CALL, Shown.UNTRACED, Shown.GRADIENT)
CONSEQUENCES = (Shown.NUMBERS, Shown.RELOAD)
SETTER = "set_default_device"


def sightings(evidence: Evidence, rubric: Rubric | None = None) -> tuple[Sighting, ...]:
    """What every rule finds, in the order of precedence.

    Args:
        evidence: what the probe saw.
        rubric: what the exercise asks, None in an audit.
    """
    context = RuleContext.of(evidence, rubric)
    return tuple(sighting for rule in RULES.values() for sighting in rule.find(context))


def diagnose(
    evidence: Evidence, rubric: Rubric, sources: Sources, audited: tuple[Sighting, ...] = ()
) -> tuple[Fault, ...]:
    """What is wrong with an exercise, causes before symptoms, by line within a severity.

    Args:
        evidence: what the probe saw.
        rubric: what the exercise asks.
        sources: the texts of the learner's files.
        audited: the sightings of the audit that the exercise asks for.
    """
    own = _without_unasked(sightings(evidence, rubric), rubric)
    shown = _errors(_without_consequences(audited), rubric)
    faults = deduplicate(blame_default_device([*own, *shown], sources))
    return tuple(_without_needless_override(faults, evidence))


def _without_needless_override(findings: tuple[Fault, ...], evidence: Evidence) -> Iterator[Fault]:
    """Drop an override that moves tensors which other findings say to register.

    Once they are, PyTorch moves them. One that gives nothing or forgets a tensor stays a fault.
    """
    unregistered = {f.where for f in findings if f.code == Code.MEMBER_TENSOR}
    for finding in findings:
        is_needless = finding.code == Code.TO_OVERRIDE and not finding.variant
        if not (is_needless and unregistered and not forgotten_by_override(evidence)):
            yield finding


def _without_unasked(found: Iterable[Sighting], rubric: Rubric) -> Iterator[Fault]:
    """Drop `hard-coded-device` where the exercise asks the module to choose its GPU itself."""
    excluded = Code.HARD_CODED_DEVICE if rubric.recipe.chooses_gpu else None
    return (sighting.finding for sighting in found if sighting.finding.code != excluded)


def _errors(audited: Iterable[Fault], rubric: Rubric) -> Iterator[Fault]:
    """The audit's errors, and its warnings of what an exercise asks for.

    Each asks that an instance may be called and then moved; some, that there may be replicas.
    """
    meant = Code.REPLICA if "replica" in rubric.recipe.elsewhere else None
    for finding in audited:
        is_asked = finding.code == meant or finding.variant == "called before the move"
        if finding.severity == "error" or is_asked:
            yield replace(finding, severity="error")


def diagnose_audit(evidence: Evidence) -> tuple[Fault, ...]:
    """What an audit shows: errors where running the module showed harm, else warnings."""
    return deduplicate(_without_consequences(sightings(evidence)))


def _without_consequences(found: tuple[Sighting, ...]) -> Iterator[Fault]:
    is_explained = any(sighting.shown in CAUSES for sighting in found)
    is_traced = any(_is_traced_error(sighting) for sighting in found)
    for sighting in found:
        if is_explained and sighting.shown in CONSEQUENCES:
            continue
        if not (is_traced and sighting.shown is Shown.UNTRACED):
            yield sighting.finding


def _is_traced_error(sighting: Sighting) -> bool:
    return sighting.finding.severity == "error" and sighting.shown is not Shown.UNTRACED


def deduplicate(findings: Iterable[Fault]) -> tuple[Fault, ...]:
    """Steps 4 and 5 of the module's docstring; the result has errors first, then goes by line."""
    by_severity = sorted(findings, key=_is_warning)
    return tuple(sorted(_one_per_container(_first_per_path(by_severity)), key=_order))


def blame_default_device(findings: Iterable[Fault], sources: Sources) -> Iterator[Fault]:
    """The findings; where a class calls `torch.set_default_device`, that call is the fault.

    It takes the place of a hard-coded device, or a tensor made in `forward`, in a statement of the
    same class that names no device itself.
    """
    for finding in findings:
        code = sources.file(finding.file)
        site = code.site(finding.line) if SETTER in code.text else None
        setters = calls_in(site.owner, SETTER) if site and site.owner else []
        is_made = finding.code in (Code.HARD_CODED_DEVICE, Code.MADE_IN_FORWARD)
        if site and setters and is_made and "device" not in ast.unparse(site.statement):
            yield _default_device_fault(finding, setters[0].lineno)
        else:
            yield finding


def _default_device_fault(finding: Fault, line: int) -> Fault:
    return replace(
        finding,
        code=Code.HARD_CODED_DEVICE.value,
        where=f"torch.{SETTER}",
        line=line,
        site=None,
        message=f"line {line} calls `torch.{SETTER}`, which chooses one device for the whole "
        f"program. The tensor of line {finding.line} depends on that choice, and not on where the "
        "module and its inputs are.",
        fix="Take that call out, and say where each tensor is to be made.",
    )


def _first_per_path(findings: Iterable[Fault]) -> list[Fault]:
    told: dict[str, Fault] = {}  # by path
    made: set[tuple[str, str, int, bool]] = set()  # where a call makes a tensor; if it keeps it
    for finding in findings:
        own = _path(finding)
        if finding.code in (Code.MADE_IN_FORWARD, Code.HARD_CODED_DEVICE):
            at = finding.code, finding.file, finding.line
            is_kept = own.startswith("self.") and {*" ("}.isdisjoint(own)  # no line of code
            if (*at, not is_kept) in made:
                continue  # the attribute, or the operation, is named already
            made.add((*at, is_kept))
        inside = any(
            own in enclosing_paths(path) and other.code == finding.code
            for path, other in told.items()
        )
        if told.keys().isdisjoint(enclosing_paths(own)) and not inside:
            told[own] = finding
        elif finding.code == Code.MADE_IN_FORWARD and finding.where == own in told:
            told[own] = _with_the_first(told[own], finding)
    return [*told.values()]


def _with_the_first(stale: Fault, made: Fault) -> Fault:
    """What a call keeps for the next ones, with where it makes the first of these."""
    first = f" The first one is made in line {made.line}, on the CPU wherever the module is."
    also = " Make the first one on the input's device."
    is_stale = stale.code == Code.STALE_DEVICE and stale.line != made.line
    if not is_stale or stale.message.endswith(first):  # another call has shown it
        return stale
    return replace(stale, message=stale.message + first, fix=stale.fix + also)


def _path(finding: Fault) -> str:
    """Where it is; of an operation of PyTorch's, which may be called on several lines, with that.

    No path that is read, only one to tell findings apart by.
    """
    is_operation = finding.where.startswith("torch.")
    return f"{finding.where} {finding.line} {finding.file}" if is_operation else finding.where


def _one_per_container(findings: Iterable[Fault]) -> Iterator[Fault]:
    """The first of several findings that one line makes in one container, which it then names."""
    groups: dict[tuple[str, str, str, int], list[Fault]] = {}
    for finding in findings:
        container, is_held = _container(finding), finding.where.startswith("self.")
        line = finding.line if container and is_held else 0  # one mover brings a whole batch
        key = (container or _path(finding), finding.severity, finding.file, line)
        groups.setdefault(key, []).append(finding)
    for (container, *_), group in groups.items():
        in_batch = not container.startswith("self.")
        first, *others = sorted(group, key=lambda f: f.where) if in_batch else group
        if not others:
            yield first
            continue
        names = [other.where for other in others if f"`{other.where}`" not in first.message]
        more = f" In `{container}`, the same holds for {join_names(names)}." if names else ""
        alike = (*first.alike, *(other.where for other in others))
        yield replace(first, message=first.message + more, alike=alike)


def _container(finding: Fault) -> str:
    """`self.layers` of `self.layers[0].weight`, `self.heads` of `self.heads.age`; `""` of none.

    `batch` of an input `batch[0]`.
    """
    where = finding.where
    if not where.startswith("self."):
        is_in_batch = finding.code == Code.INPUT_TRANSFER and "[" in where
        return where.split("[")[0] if is_in_batch else ""
    container = where.split("[")[0] if "[" in where else where.rpartition(".")[0]
    return "" if container == "self" else container


def _is_warning(finding: Fault) -> bool:
    return finding.severity == "warning"


def _order(finding: Fault) -> tuple[bool, str, int]:
    return _is_warning(finding), finding.file, finding.line
