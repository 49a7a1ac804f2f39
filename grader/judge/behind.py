"""What lies behind the line at which PyTorch stops, which only calling on has shown.

Verdict and points are those of the real calls, and so are the findings that a report tells first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from grader.judge.fixes.fix import Fault
from grader.judge.lookups import real_runs
from grader.judge.wording import in_file
from grader.schema import Evidence

Faults = tuple[Fault, ...]


def of_real_calls(evidence: Evidence) -> Evidence:
    """It, as if no call had been helped; the same object if none was."""
    if not any(run.helped for run in evidence.runs):
        return evidence
    return replace(evidence, runs=tuple(real_runs(evidence)))


def with_those_behind(
    evidence: Evidence, shown: Faults, diagnose: Callable[[Evidence], Faults]
) -> tuple[Faults, int]:
    """Every fault, and how many of them lie behind; what the real calls show comes first.

    Args:
        evidence: what the probe saw.
        shown: what the real calls show. Without an error among it, nothing more is told.
        diagnose: gives what all calls show.
    """
    if of_real_calls(evidence) is evidence or all(f.severity != "error" for f in shown):
        return shown, 0
    known = set(map(_place, shown))
    faults = sorted(
        diagnose(evidence), key=lambda f: (f.severity == "warning", _place(f) not in known)
    )
    return tuple(faults), sum(_place(fault) not in known for fault in faults)


def note_on_those_behind(
    evidence: Evidence, behind: int, here: Callable[[str], str]
) -> Iterator[str]:
    """Why a reader sees more faults than PyTorch names.

    Args:
        evidence: what the probe saw.
        behind: how many more.
        here: gives a file's name in evidence if it is the one that the reader looks at, else `""`.
    """
    stopped = (run.raised.origin for run in evidence.runs if run.raised and run.helped)
    first = next((raised for raised in stopped if raised.line), None)
    if behind and first:
        yield (
            f"PyTorch stops at {in_file(first.line, first.file, here(first.file))}. To see what "
            "lies behind, the grader moved each misplaced tensor to the device and called on: "
            f"that showed {behind} of the findings above."
        )


def _place(fault: Fault) -> tuple[str, str, str, int]:
    return fault.code, fault.where, fault.file, fault.line
