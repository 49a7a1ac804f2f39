"""Where a probe stopped early, and what a report says then: one table for exercises and audits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import NamedTuple

from grader.judge.wording import advice, describe
from grader.schema import Ending, Evidence, Raised, Verdict

Tell = Callable[[Raised], str]  # puts an exception into words


class Stop(Enum):
    """The file left no class behind, nothing was built, or a later step raised."""

    UNDEFINED = auto()
    UNBUILT = auto()
    BROKEN = auto()


class Meaning(NamedTuple):
    """What an exception at a stop means, in both kinds of report.

    Attributes:
        verdict: of an audit. Of an exercise, only `Stop.UNDEFINED` gives it: where the file ran,
            checks have failed by then.
        exercise: the words for a learner, with `{raised}` for the exception.
        audit: the words of an audit.
    """

    verdict: Verdict
    exercise: str
    audit: str


STOPS: Mapping[Stop, Meaning] = {
    Stop.UNDEFINED: Meaning(
        "not_defined",
        "Running {source} raised {raised}{line}\n"
        "The file did not run to its end, so nothing was graded.",
        "Running the file raised {raised}",
    ),
    Stop.UNBUILT: Meaning(
        "cannot_grade",
        "The constructor raised {raised}{advice}{line}",
        "The constructor raised {raised}",
    ),
    Stop.BROKEN: Meaning(
        "cannot_grade",
        "During the {stage}, your code raised {raised}",
        "During the {stage}, it raised {raised}",
    ),
}
# Of a process that did not end by itself: in both kinds of report, the ending is the verdict.
ENDINGS: Mapping[Ending, str] = {
    "timeout": "Your code was still running when the time was up, during the {stage}. Is there a "
    "loop that never ends?",
    "crashed": "Your code ended the Python process during the {stage}. Does it call `exit` or "
    "`os._exit`, or use far too deep a recursion?",
    "out_of_memory": "Your code used up the memory during the {stage}. Is a tensor far too large?",
    "output_limit": "Your code printed or wrote too much during the {stage}. Is there a print or a "
    "file in a loop?",
    "tampered": "The grader was tampered with during the {stage}: {detail}. What was seen cannot "
    "be trusted, so no points are given. Take that out, and hand in the module alone.",
}


def first_stop(evidence: Evidence) -> Stop | None:
    """The first exception that stopped the probe; None if there was none."""
    return next((stop for stop in STOPS if _raised_at(stop, evidence)), None)


def ending_words(evidence: Evidence) -> str:
    """What every report says of a probe that did not complete."""
    return ENDINGS[evidence.ending].format(stage=evidence.stage, detail=evidence.detail)


def exercise_words(stop: Stop, evidence: Evidence, source: str = "") -> str:
    """What an exercise's report says of a stop; `source` is the learner's file."""
    return _filled(STOPS[stop].exercise, stop, evidence, describe, source)


def audit_words(stop: Stop, evidence: Evidence, tell: Tell) -> str:
    """What an audit's report says of a stop."""
    return _filled(STOPS[stop].audit, stop, evidence, tell)


def _filled(words: str, stop: Stop, evidence: Evidence, tell: Tell, source: str = "") -> str:
    """The words with the exception in them; a problem that the probe describes needs none."""
    raised = _raised_at(stop, evidence)
    assert raised is not None
    if not raised.is_exception:
        return raised.message
    return words.format(
        raised=tell(raised),
        advice=advice(raised),
        line=f"\n    {raised.code}" if raised.code else "",
        stage=evidence.stage,
        source=source,
    )


def _raised_at(stop: Stop, evidence: Evidence) -> Raised | None:
    return {
        Stop.UNDEFINED: evidence.undefined,
        Stop.UNBUILT: evidence.construction,
        Stop.BROKEN: evidence.broken,
    }[stop]
