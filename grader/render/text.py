"""A report for the terminal."""

from __future__ import annotations

import io

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.judge.report import Finding, Report
from grader.render.parts import finding_sign, headline, judged_on, place, sign, spans, visible

GOOD, BAD, DOUBT, CODE = "green", "red", "yellow", "cyan"


def render_text(report: Report) -> RenderableType:
    """The report as something a rich console prints."""
    parts: list[RenderableType] = [_heading(report)]
    if report.message:
        parts.append(Padding(_styled(report.message), (0, 0, 0, 2)))
    if report.checks:
        parts += [Text(), _checks(report)]
    if report.findings:
        parts += [Text(), Text("What is wrong, and why", style="bold")]
        parts += [_finding(report, finding) for finding in report.findings]
    if report.printed:
        parts += [Text(), Text("Your code printed", style="bold"), _indented(report.printed)]
    if report.next_step:
        parts += [Text(), _styled(report.next_step)]
    return Group(*parts)


def to_text(report: Report, width: int = 100) -> str:
    """The report as plain text without colours."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, color_system=None, legacy_windows=False)
    console.print(render_text(report), crop=False)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _heading(report: Report) -> RenderableType:
    passed = report.verdict == "passed"
    first = Text(visible(report.title), style="bold")
    if report.source:
        first.append(f"   {visible(report.source)}", style="dim")
    second = Text(f"{sign(passed)} {headline(report)}", style=f"bold {GOOD if passed else BAD}")
    second.append(f"   {judged_on(report)}", style="not bold default")
    return Group(first, second)


def _checks(report: Report) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column()
    for check in report.checks:
        style = GOOD if check.passed else BAD
        name = Text(f"  {sign(check.passed)} {check.name}", style=style)
        table.add_row(name, f"{check.points}/{check.max_points}", _styled(check.message))
    return table


def _finding(report: Report, finding: Finding) -> RenderableType:
    style = BAD if finding.severity == "error" else DOUBT
    heading = Text(f"  {finding_sign(finding)} {finding.code}", style=style, no_wrap=True)
    heading.overflow = "ignore"  # a path that is cut in two cannot be clicked
    heading.append(f"  {visible(finding.where)}", style=f"bold {CODE}")
    heading.append(f"  {visible(place(report, finding))}", style="dim")
    told = Group(_styled(finding.message), _styled(f"Fix: {finding.fix}"))
    return Group(heading, Padding(told, (0, 0, 0, 4)))


def _styled(text: str) -> Text:
    styled = Text()
    for piece, is_code in spans(visible(text)):
        styled.append(piece, style=CODE if is_code else "")
    return styled


def _indented(text: str) -> RenderableType:
    return Padding(Text(visible(text).rstrip()), (0, 0, 0, 4))
