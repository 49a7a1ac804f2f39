"""Shows reports richly in IPython, and as text anywhere else."""

from __future__ import annotations

import sys
from typing import Any

from grader.judge.report import Report
from grader.render.html import to_html
from grader.render.text import to_text


def show(report: Report) -> Report:
    """Arrange for `report` to be seen: by IPython when a cell returns it, else printed now."""
    shell = _ipython()
    if shell is None:
        print(to_text(report), end="")
        return report
    formatters = shell.display_formatter.formatters
    formatters["text/html"].for_type(Report, to_html)
    formatters["text/plain"].for_type(Report, lambda each, printer, _: printer.text(to_text(each)))
    return report


def _ipython() -> Any:
    """The running IPython shell, or None; importing IPython only to ask would be slow."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None
