"""Results as a batch writes them."""

from pathlib import Path

from grader.classroom.releases.gradescope_run import to_results
from grader.classroom.results.gradebook import Gradebook, GradeItem
from grader.classroom.results.ledger import Entry, Record
from grader.schema.report import Check, Report

REPORT = Report(
    verdict="failed",
    device="cuda:0 (simulated)",
    title="03 A normalizer that follows its model",
    source="ada_03_member_tensors.py",
    score=1,
    max_score=6,
    checks=(Check("forward", True, 1, 1, "right"), Check("buffers", False, 0, 5, "`mean` is not")),
)


def entry(**changes) -> Entry:
    fields = {
        "learner": "Ada Lovelace",
        "exercise": "03",
        "submission": "5e" * 32,
        "file": "ada_03_member_tensors.py",
        "handed_in": "2026-03-01T12:00:00+00:00",
        "late": False,
        "rubric": "1f" * 8,
        "device": "cuda:0 (simulated)",
        "isolation": "process",
        "seconds": 0.21,
        "report": REPORT,
    }
    return Entry(**(fields | changes))


def on_gradescope(book: Gradebook, learner: str) -> str:
    """The results.json on a learner's answers, each with its own points."""
    results = tuple(book.results(learner))
    return to_results(results, GradeItem("Points", tuple(result.rubric for result in results)))


def write(folder: Path, *entries: Entry) -> Record:
    """A ledger that was written and closed."""
    with Record(folder) as record:
        for one in entries:
            record.write(one)
    return record
