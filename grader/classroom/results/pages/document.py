"""What every page shares: one self-contained file, for a screen or for paper, light or dark."""

from __future__ import annotations

from typing import Any

from grader.classroom.results.pages.charts import outcome, verdict_words
from grader.render import STYLE, render_template


def page(template: str, **values: Any) -> str:
    """A whole page of a class, from a template."""
    shared = {"report_style": STYLE, "outcome": outcome, "verdict_words": verdict_words}
    return str(render_template("grader.classroom.results.pages", template, **shared, **values))
