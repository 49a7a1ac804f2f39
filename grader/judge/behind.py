"""What lies behind the line at which PyTorch stops, which only calling on has shown.

Verdict and points are those of the real calls, and so are the findings that a report tells first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from grader.judge.lookups import real_runs
from grader.judge.wording import in_file
from grader.schema import Evidence, Finding

Findings = tuple[Finding, ...]


def of_real_calls(evidence: Evidence) -> Evidence:
    """It, as if no call had been helped; the same object if none was."""
    if not any(run.helped for run in evidence.runs):
        return evidence
    return replace(evidence, runs=tuple(real_runs(evidence)))


def with_those_behind(
    evidence: Evidence, shown: Findings, find_all: Callable[[], Findings]
) -> Findings:
    """Every finding; errors first, and of those and of warnings what the real calls show.

    Args:
        evidence: what the probe saw.
        shown: what the real calls show. Without an error among it, nothing more is told.
        find_all: gives what all calls show.
    """
    is_helped = of_real_calls(evidence) is not evidence
    if not is_helped or not any(finding.severity == "error" for finding in shown):
        return shown
    known = set(map(_place, shown))
    order = {"error": 0, "warning": 1}
    return tuple(sorted(find_all(), key=lambda f: (order[f.severity], _place(f) not in known)))


def note_on_those_behind(
    evidence: Evidence, shown: Findings, findings: Findings, here: Callable[[str], str]
) -> Iterator[str]:
    """Why a reader sees more faults than PyTorch names.

    Args:
        evidence: what the probe saw.
        shown: what the real calls show.
        findings: what is told.
        here: gives a file's name in evidence if it is the one that the reader looks at, else `""`.
    """
    known = set(map(_place, shown))
    behind = sum(_place(finding) not in known for finding in findings)
    stopped = (run.raised.origin for run in evidence.runs if run.raised and run.helped)
    first = next((raised for raised in stopped if raised.line), None)
    if behind and first:
        yield (
            f"PyTorch stops at {in_file(first.line, first.file, here(first.file))}. To see what "
            "lies behind, the grader moved each misplaced tensor to the device and called on: "
            f"that showed {behind} of the findings above."
        )


def _place(finding: Finding) -> tuple[str, str, str, int]:
    return finding.code, finding.where, finding.file, finding.line
