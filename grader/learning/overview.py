"""A course's exercises on one screen: a line each, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from grader.learning.first_look import is_asked
from grader.render import COLOURS, HEADLINES, SIGNS, device_text, mood, visible
from grader.schema import Report, Rubric


def overview_line(rubric: Rubric, report: Report, width: int) -> Text:
    """One exercise: its sign, its title, and what was found.

    Args:
        rubric: the exercise.
        report: on it.
        width: of the column of titles, in characters; a longer title is cut.
    """
    look = mood(report)
    title = Text(rubric.title)
    title.truncate(width, overflow="ellipsis", pad=True)
    line = Text(f"  {SIGNS[look]} {rubric.number:4}{title}  ", style=COLOURS[look])
    return line.append(visible(_finding_words(rubric, report)))


def overview_summary(graded: Sequence[tuple[Rubric, Report]]) -> list[str]:
    """How many of the exercises passed, on which device; and the next step."""
    counts = Counter(_group(report) for _, report in graded)
    of = ", ".join(
        f"{counts[group]} {group}" for group in ("not yet", "not tried") if counts[group]
    )
    first = f"{counts['passed']} of {len(graded)} passed" + (f", {of}" if of else "")
    judged = next((report for _, report in graded if report.device != "none"), None)
    device = f"; {device_text(judged)}" if judged else ""
    return [f"{first}{device}.", _next_step(graded)]


def _finding_words(rubric: Rubric, report: Report) -> str:
    if report.verdict == "not_attempted":
        return "optional, not tried" if rubric.optional else "not tried"
    if report.verdict == "passed":
        return "passed"
    if report.verdict != "failed":
        return HEADLINES[report.verdict].lower()
    points = f"{report.score} of {report.max_score} points"
    if not report.findings or is_asked(rubric):
        return points
    first = report.findings[0]
    return f"{points}: {first.code}{f' in line {first.line}' if first.line else ''}"


def _group(report: Report) -> str:
    return {"passed": "passed", "not_attempted": "not tried"}.get(report.verdict, "not yet")


def _next_step(graded: Sequence[tuple[Rubric, Report]]) -> str:
    """What is begun comes before what is not, and what is optional comes last."""
    for rubric, report in graded:
        if _group(report) == "not yet":
            return f"Next: `grader check {rubric.number}` says what is wrong, where and why."
    for rubric, report in sorted(graded, key=lambda pair: pair[0].optional):
        if _group(report) == "not tried":
            watch = f"`grader watch {rubric.number}` judges it at each save"
            return f"Next: {rubric.number} {rubric.title}. Edit {report.source}; {watch}."
    return "All exercises are passed. In some days, `grader review` asks again."
