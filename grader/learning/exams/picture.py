"""The result as a picture: an SVG that needs no other file and follows the reader's theme."""

from __future__ import annotations

from grader.course import draw
from grader.learning.exams.fixing import Fix
from grader.learning.exams.result import Result
from grader.render import render_template

LONGEST_SEED = 24
ROW, REST = 24, 190


def picture(result: Result, judged: dict[str, Fix]) -> str:
    """The result as SVG."""
    rows = [
        (module.name, result.answers[module.name].outcome, module.truth.outcome)
        for module in draw(result.seed)
    ]
    fixes = [(name, fix.passed) for name, fix in judged.items()]
    seed = result.seed
    return str(
        render_template(
            "grader.learning.exams",
            "result.svg",
            result=result,
            seed=seed if len(seed) <= LONGEST_SEED else f"{seed[: LONGEST_SEED - 1]}…",
            rows=rows,
            fixes=fixes,
            height=REST + ROW * (len(rows) + len(fixes)),
        )
    )
