"""A report for the terminal."""

from __future__ import annotations

import io

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.render.parts import (
    SIGNS,
    Mood,
    check_mood,
    device_text,
    finding_mood,
    findings_title,
    findings_with_help,
    fixes_to_come,
    headline,
    mood,
    passed_checks,
    points,
    position,
    quoted,
    spans,
    told_checks,
    visible,
)
from grader.schema import Finding, Report

COLOURS: dict[Mood, str] = {"good": "green", "doubt": "yellow", "bad": "red", "open": "dim"}
CODE = "cyan"


def render_text(report: Report) -> RenderableType:
    """The report as something a rich console prints."""
    parts: list[RenderableType] = [_heading(report)]
    if report.message:
        parts.append(Padding(_style_text(report.message), (0, 0, 0, 2)))
    if names := passed_checks(report):
        parts.append(Text(f"  {names}", style="dim"))
    elif report.checks:
        parts += [Text(), _checks(report)]
    if report.findings:
        parts += [Text(), Text(findings_title(report), style="bold")]
        parts += [_finding(report, *pair) for pair in findings_with_help(report)]
    if to_come := fixes_to_come(report):
        parts += [Text(), _style_text(to_come)]
    if report.notes:
        parts += [Text(), *(_style_text(f"Note: {note}") for note in report.notes)]
    if report.printed:
        parts += [Text(), Text("Your code printed", style="bold"), _indent(report.printed)]
    if report.next_step:
        parts += [Text(), _style_text(report.next_step)]
    return Group(*parts)


def to_text(report: Report, width: int = 100) -> str:
    """The report as plain text without colours."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        color_system=None,
        legacy_windows=False,
        force_jupyter=False,  # in a notebook rich would show it by itself, as another output
    )
    console.print(render_text(report), crop=False)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _heading(report: Report) -> RenderableType:
    look = mood(report)
    first = Text(visible(report.title), style="bold")
    if report.source:
        first.append(f"   {visible(report.source)}", style="dim")
    second = Text(f"{SIGNS[look]} {headline(report)}", style=f"bold {COLOURS[look]}")
    second.append(f"   {device_text(report)}", style="not bold default")
    return Group(first, second)


def _checks(report: Report) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column()
    for check in told_checks(report):
        look = check_mood(report, check)
        name = Text(f"  {SIGNS[look]} {check.name}", style=COLOURS[look])
        table.add_row(name, points(check), _style_text(check.reason))
    return table


def _finding(report: Report, finding: Finding, explain: str) -> RenderableType:
    look = finding_mood(report, finding)
    heading = _whole_line(f"  {SIGNS[look]} {finding.code}", COLOURS[look])
    heading.append(f"  {visible(finding.where)}", style=f"bold {CODE}")
    lines: list[RenderableType] = [heading]
    if where_to_look := position(report, finding):
        lines.append(_whole_line(f"    {visible(where_to_look)}", "dim"))
    if finding.source_line:
        lines.append(_whole_line(f"      {quoted(finding.source_line)}", CODE))
    paragraphs = [_style_text(finding.message)]
    if report.shows_fixes:
        paragraphs.append(_style_text(f"Fix: {finding.fix}"))
    if explain:
        paragraphs.append(Text(f"More: {explain}", style="dim"))
    return Group(*lines, Padding(Group(*paragraphs), (0, 0, 0, 4)))


def _whole_line(text: str, style: str) -> Text:
    """A line that is never broken or cut: a path in two halves cannot be clicked."""
    return Text(text, style=style, no_wrap=True, overflow="ignore")


def _style_text(text: str) -> Text:
    styled = Text()
    for piece, is_code in spans(visible(text)):
        styled.append(piece, style=CODE if is_code else "")
    return styled


def _indent(text: str) -> RenderableType:
    return Padding(Text(visible(text).rstrip()), (0, 0, 0, 4))
