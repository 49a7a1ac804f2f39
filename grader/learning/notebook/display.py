"""Shows reports richly in IPython, and as text anywhere else."""

from __future__ import annotations

import dis
import re
import sys
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from grader.render import prose, to_html, to_text
from grader.schema import Report

CELL_WIDTH = 88  # JupyterLab breaks longer lines of a cell's output in the middle of a word
CELL = "changed the file", "changed the cell"
BY_HAND = Markup('<p class="wmt-by-hand">{}</p>')
_COMMAND = re.compile(r"`?grader (hint|solution|reset) (\w+)`?")


def show(report: Report, folded: Report | None = None, lines: str = "", how: str = "") -> Report:
    """Arrange for `report` to be seen: when the cell returns it, or now if it is dropped.

    Without IPython it is printed now.

    Args:
        report: the whole report.
        folded: what is seen in its place.
        lines: code to choose a line from, for where there are no buttons.
        how: how to choose it there; the buttons hide it.
    """

    def seen(value: Report) -> Report:
        return folded if folded and value is report else value

    def html(value: Report) -> str:
        by_hand = BY_HAND.format(prose(how)) if how and value is report else ""
        return to_html(for_a_cell(seen(value))) + str(by_hand)

    def text(value: Report) -> str:
        more = (lines, how) if value is report else ()
        return "\n\n".join(filter(None, (to_text(for_a_cell(seen(value))).rstrip(), *more)))

    shell = running_shell()
    if shell is None:
        print("\n\n".join(filter(None, (to_text(seen(report)), lines, how))))
        return report
    formatters = shell.display_formatter.formatters
    formatters["text/html"].for_type(Report, html)
    formatters["text/plain"].for_type(Report, lambda value, out, _: out.text(text(value)))
    if is_dropped():
        shell.display_pub.publish({"text/html": html(report), "text/plain": text(report)})
    return report


def for_a_cell(report: Report) -> Report:
    """The report with what to type next as a call, and with a cell where no file was judged."""
    checks = tuple(replace(c, message=c.message.replace(*CELL)) for c in report.checks)
    next_step = _COMMAND.sub(r'`\1("\2")`', report.next_step)
    return replace(report, next_step=next_step, checks=report.checks if report.source else checks)


def is_dropped() -> bool:
    """Whether the line of a cell that called us drops what it gets, so that nobody shows it.

    IPython shows what the last line gives. Python drops that of any other line that stands alone.
    """
    frame = sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith("grader."):
        frame = frame.f_back
    code = dis.get_instructions(frame.f_code)
    return next(i.opname for i in code if i.offset > frame.f_lasti) == "POP_TOP"


def running_shell() -> Any:
    """The running IPython shell, or None; importing IPython only to ask would be slow."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None
