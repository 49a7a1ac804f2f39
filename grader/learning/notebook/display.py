"""Shows reports richly in IPython, and as text anywhere else."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import Any

from grader.render import to_html, to_text
from grader.schema import Report

CELL_WIDTH = 88  # JupyterLab breaks longer lines of a cell's output in the middle of a word
_COMMAND = re.compile(r"`?grader (hint|solution|reset) (\w+)`?")


def show(report: Report) -> Report:
    """Arrange for `report` to be seen: by IPython when a cell returns it, else printed now."""
    shell = running_shell()
    if shell is None:
        print(to_text(report), end="")
        return report
    formatters = shell.display_formatter.formatters
    formatters["text/html"].for_type(Report, lambda report: to_html(_for_a_cell(report)))
    formatters["text/plain"].for_type(Report, lambda report, out, _: out.text(_cell_text(report)))
    return report


def _for_a_cell(report: Report) -> Report:
    """The report with what to type next as a call, since a notebook has no command line."""
    return replace(report, next_step=_COMMAND.sub(r'`\1("\2")`', report.next_step))


def _cell_text(report: Report) -> str:
    return to_text(_for_a_cell(report)).rstrip()


def running_shell() -> Any:
    """The running IPython shell, or None; importing IPython only to ask would be slow."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None
