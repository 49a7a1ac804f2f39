"""A survey as one self-contained HTML page, for a screen or for paper, light or dark."""

from __future__ import annotations

from grader.auditing.survey.faces.text import MOODS, WORDS, on
from grader.auditing.survey.recipes import written_recipes
from grader.auditing.survey.survey import OUTCOMES, Survey, classes, faults_of
from grader.render import SIGNS, STYLE, file_of, fragment, render_template


def survey_page(survey: Survey) -> str:
    page = render_template(
        "grader.auditing.survey.faces",
        "survey.html",
        survey=survey,
        report_style=STYLE,
        outcomes=[(WORDS[o], MOODS[o], SIGNS[MOODS[o]], len(survey.of(o))) for o in OUTCOMES],
        heading=classes(len(survey.entries)),
        device=on(survey.device),
        faults=faults_of(survey),
        reports=[
            (entry, fragment(entry.report))
            for outcome in ("wrong", "warned", "partly")
            for entry in survey.of(outcome)
            if entry.report
        ],
        clean=survey.of("clean"),
        file_of=file_of,
        recipes=written_recipes({e.name: e.plan for e in survey.entries if e.is_guessed}),
    )
    return str(page)
