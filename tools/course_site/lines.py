"""Which line is to blame? The report on a starter, recorded while the site is built."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from course_site.mounting import mount, template
from course_site.weight import coloured
from grader.course import find, starter
from grader.grading import grade_file
from grader.learning.first_look import FirstLook, first_look
from grader.learning.help import solution_code
from grader.learning.notebook.quiz import line_asked, pieces, view_data
from grader.render import fragment
from grader.schema import Report, Rubric

EXPLAIN = re.compile(r"<code>grader explain ([\w-]+)</code>")


def which_line(number: str) -> Markup:
    """The mount below the exercise called `number`: its report asks before it tells.

    It stands in the place of the cell's own output, which says what to type in a notebook.
    """
    rubric = find(number)
    source = starter(rubric.stem)
    report = _recorded(rubric, source)
    look = first_look(rubric, report, source)
    page = template(
        "exercise.html",
        rubric=rubric,
        symptom=fragment(replace(look.folded, next_step="") if look else report),
        look=look,
        report=linked(fragment(report)),
        solution=coloured(solution_code(rubric)),
    )
    return mount("lines", {"exercise": rubric.number, **look_data(look)} if look else {}, page)


def linked(report: Markup) -> Markup:
    """The report with a link where it says which command explains a finding."""
    return Markup(EXPLAIN.sub(r'<a href="../docs/findings/\1.html">\1</a>', str(report)))


def look_data(look: FirstLook) -> dict[str, Any]:
    """The question, the lines that are right, and by line what is said at the end or to a miss."""
    lines = [choice.line for choice in look.choices]
    endings = {line: look.unfolded(line).message.partition("\n")[0] for line in lines}
    return {
        "view": view_data(line_asked(look)),
        "right": [str(line) for line in look.right],
        "near": {line: pieces(words) for line, words in endings.items()},
        "miss": {line: pieces(look.miss(line)) for line in lines},
    }


def _recorded(rubric: Rubric, source: str) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{rubric.stem}.py"
        path.write_text(source, encoding="utf-8")
        report = grade_file(rubric, path, "simulated")
    name = f"exercises/{rubric.stem}.py"
    return replace(report, source=name, message="", next_step="", shows_fixes=False)
