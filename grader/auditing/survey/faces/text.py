"""A survey for the terminal, line by line, so that pytest can print it as well."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from grader.auditing.survey.survey import (
    OUTCOMES,
    Outcome,
    SharedFault,
    Survey,
    SurveyEntry,
    classes,
    faults_of,
)
from grader.render import SIGNS, Mood, file_of, quoted, visible

MOODS: dict[Outcome, Mood] = {
    "wrong": "bad", "warned": "doubt", "partly": "doubt", "clean": "good", "refused": "open",
}  # fmt: skip
WORDS: dict[Outcome, str] = {
    "wrong": "with errors", "warned": "with warnings", "partly": "with a step left out",
    "clean": "clean", "refused": "not audited",
}  # fmt: skip
MOST_SHOWN = 5  # entries of one reason, or of one fault


@dataclass(frozen=True)
class StyledLine:
    """One line, and how it looks; None for plain text."""

    text: str
    mood: Mood | None = None


def survey_lines(survey: Survey, width: int = 100) -> Iterator[StyledLine]:
    """The totals, each fault once, and why the others were not audited."""
    yield from totals(survey)
    faults = faults_of(survey)
    if faults:
        yield from (StyledLine(""), StyledLine("What is wrong, or to explain"))
    for fault in faults:
        yield from _fault_lines(fault, width)
    if codes := list(dict.fromkeys(fault.finding.code for fault in faults)):
        yield StyledLine(f"  More: grader explain {codes[0]}" + (", …" if codes[1:] else ""))
    if survey.of("refused"):
        yield from (StyledLine(""), StyledLine("Not audited"))
    for kind, entries in survey.refusals:
        yield from _refusal_lines(kind, entries, width)
    notices = [notice for notice in survey.notices if notice.is_doubtful]
    if notices:
        yield from (StyledLine(""), StyledLine("What else to know"))
    for notice in notices:
        yield StyledLine(f"  {SIGNS['doubt']} {visible(notice.title)}", "doubt")
        yield from _wrapped_lines(notice.message, width)


def totals(survey: Survey) -> Iterator[StyledLine]:
    """The heading, and how many entries have each outcome."""
    yield StyledLine(
        f"Audit of {survey.title}: {classes(len(survey.entries))}, {on(survey.device)}"
    )
    for outcome in OUTCOMES:
        mood, number = MOODS[outcome], len(survey.of(outcome))
        yield StyledLine(
            f"  {SIGNS[mood]} {number:5,} {WORDS[outcome]}", mood if number else "open"
        )
    looked_at = sum(entry.report is not None for entry in survey.entries)
    structure = looked_at - survey.called_count
    yield StyledLine(
        f"  {survey.called_count:,} audited with calls, {structure:,} by their structure alone"
    )


def on(device: str) -> str:
    return "judged on no device" if device == "none" else f"judged on {device}"


def _fault_lines(fault: SharedFault, width: int) -> Iterator[StyledLine]:
    finding, first = fault.finding, fault.entries[0]
    mood: Mood = "bad" if finding.severity == "error" else "doubt"
    yield StyledLine(f"  {SIGNS[mood]} {finding.code}  {visible(finding.where)}", mood)
    assert first.report is not None
    file = file_of(first.report, finding)
    position = f"{file}:{finding.line}" if finding.line else file
    yield StyledLine(f"    {visible(position)}   {_names(fault.entries)}")
    if finding.source_line:
        yield StyledLine(f"      {quoted(finding.source_line)}")
    yield from _wrapped_lines(finding.message, width)
    if finding.severity == "error":
        yield from _wrapped_lines(f"Fix: {finding.fix}", width)


def _refusal_lines(kind: str, entries: list[SurveyEntry], width: int) -> Iterator[StyledLine]:
    yield StyledLine(f"  {SIGNS['open']} {len(entries):,} {kind}", "open")
    for entry in entries[:MOST_SHOWN]:
        assert entry.refusal is not None
        room = max(width - len(entry.name) - 8, 20)
        detail = textwrap.shorten(visible(entry.refusal.detail), room, placeholder=" …")
        yield StyledLine(f"      {entry.name}: {detail}" if detail else f"      {entry.name}")
    if len(entries) > MOST_SHOWN:
        yield StyledLine(f"      and {len(entries) - MOST_SHOWN:,} more")


def _names(entries: tuple[SurveyEntry, ...]) -> str:
    named = ", ".join(entry.name.rpartition(".")[2] for entry in entries[:MOST_SHOWN])
    more = len(entries) - MOST_SHOWN
    return f"in {named} and {more:,} more" if more > 0 else f"in {named}"


def _wrapped_lines(text: str, width: int) -> Iterator[StyledLine]:
    for paragraph in visible(text).split("\n"):
        for line in textwrap.wrap(paragraph, width - 4) or [""]:
            yield StyledLine(f"    {line}")
