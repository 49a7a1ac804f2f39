"""A report for a notebook or a page, in the colours of the theme it is read in."""

from __future__ import annotations

from html import escape

from grader.judge.report import Check, Finding, Report
from grader.render.parts import (
    SIGNS,
    check_mood,
    check_word,
    finding_mood,
    findings_title,
    findings_with_help,
    headline,
    judged_on,
    mood,
    place,
    points,
    reason,
    spans,
    visible,
)

STYLE = """
.wmt { font-family: var(--jp-ui-font-family, system-ui, sans-serif); line-height: 1.5;
  color: var(--jp-content-font-color1, inherit); max-width: 60rem;
  border-left: 4px solid; padding: .2rem .9rem;
  --good: #1a7f37; --bad: #b42318; --doubt: #8a5a00; }
@media (prefers-color-scheme: dark) { .wmt { --good: #4ac26b; --bad: #ff8a80; --doubt: #e0b341; } }
[data-jp-theme-light="true"] .wmt { --good: #1a7f37; --bad: #b42318; --doubt: #8a5a00; }
[data-jp-theme-light="false"] .wmt { --good: #4ac26b; --bad: #ff8a80; --doubt: #e0b341; }
.wmt.good { border-color: var(--good); } .wmt.bad { border-color: var(--bad); }
.wmt.doubt { border-color: var(--doubt); }
.wmt .good { color: var(--good); } .wmt .bad { color: var(--bad); }
.wmt .doubt { color: var(--doubt); } .wmt .open { opacity: .75; }
.wmt b.head { font-size: 1.1em; } .wmt .quiet { opacity: .75; }
.wmt table { border-collapse: collapse; margin: .4rem 0; }
.wmt td { padding: .1rem .8rem .1rem 0; }
.wmt .finding { margin: .5rem 0; } .wmt p { margin: .2rem 0; }
.wmt code { font-family: var(--jp-code-font-family, monospace); font-size: .92em;
  white-space: pre-wrap; }
"""
# JupyterLab drops the style sheet of an output that it finds stored, and would align its cells to
# the right; it keeps what is written on an element.
CELL = "text-align:left;vertical-align:top"


def to_html(report: Report) -> str:
    """The report as one self-contained piece of HTML, for a cell, whose `!` runs a command."""
    return f"<style>{STYLE}</style>\n{fragment(report, shell='!')}"


def fragment(report: Report, shell: str = "") -> str:
    """The same without its style, for a page that holds several.

    Args:
        report: what it tells.
        shell: what stands before a command where it is read.
    """
    look = mood(report)
    parts = [
        f'<div class="wmt {look}" role="region" aria-label="Report: {text(report.title)}">',
        f"<b>{text(report.title)}</b><br>",
        f'<b class="head {look}">{SIGNS[look]} {text(headline(report))}</b> ',
        f'<span class="quiet">{text(judged_on(report))}</span>',
    ]
    if report.message:
        parts.append(f"<p>{prose(report.message)}</p>")
    if report.since:
        parts.append(f"<p>{prose(report.since)}</p>")
    if report.checks:
        parts.append(f"<table>{''.join(_check(check) for check in report.checks)}</table>")
    if report.findings:
        is_right_below = not report.message and not report.checks
        parts.append(f"{'<br>' if is_right_below else ''}<b>{findings_title(report)}</b>")
        for finding, command in findings_with_help(report):
            parts.append(_finding(report, finding, command and f"{shell}{command}"))
    parts += [f"<p><b>Note:</b> {prose(note)}</p>" for note in report.notes]
    if report.printed:
        parts.append(f"<b>Your code printed</b><pre>{text(report.printed)}</pre>")
    if report.next_step:
        parts.append(f"<p>{prose(report.next_step)}</p>")
    return "\n".join([*parts, "</div>"])


def text(words: str) -> str:
    """`words` as text of a page, whatever they hold."""
    return escape(visible(words))


def _check(check: Check) -> str:
    look = check_mood(check)
    return (
        f'<tr><td class="{look}" style="{CELL};white-space:nowrap">'
        f'<span role="img" aria-label="{check_word(check)}">{SIGNS[look]}</span> '
        f'{text(check.name)}</td><td style="{CELL};white-space:nowrap">{points(check)}</td>'
        f'<td style="{CELL}">{prose(reason(check))}</td></tr>'
    )


def _finding(report: Report, finding: Finding, command: str) -> str:
    look = finding_mood(finding)
    name = f"{SIGNS[look]} {text(finding.code)}"
    more = f'<p class="quiet">More: <code>{text(command)}</code></p>' if command else ""
    line = finding.source_line
    quoted = f"<br><code>{text(line)}</code>" if line else ""
    return (
        f'<div class="finding"><b class="{look}">{name}</b> '
        f"<code>{text(finding.where)}</code> "
        f'<span class="quiet">{text(place(report, finding))}</span>'
        f"{quoted}<p>{prose(finding.message)}</p>"
        f"<p><b>Fix:</b> {prose(finding.fix)}</p>{more}</div>"
    )


def prose(words: str) -> str:
    """Words of ours or of a learner, with what stands between backticks as code."""
    return "<br>".join(_line(line) for line in words.split("\n"))


def _line(line: str) -> str:
    if line.startswith("    "):  # a line of the learner's, quoted
        return f"<code>{text(line)}</code>"
    pieces = (
        f"<code>{text(piece[1:-1])}</code>" if is_code else text(piece)
        for piece, is_code in spans(line)
    )
    return "".join(pieces)
