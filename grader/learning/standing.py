"""Where a learner stands in the course: the progress so far, and what to open next."""

from __future__ import annotations

from grader.course import (
    Way,
    all_questions,
    all_rubrics,
    exercise_file,
    is_untouched,
    notebook_of,
    notebooks,
    rubrics_on,
)
from grader.learning.journal import Journal, Progress, keep, now, read_journal
from grader.loading import LoadingError, read_source
from grader.schema import Rubric


def current_progress(notebook: str = "") -> tuple[Progress, str]:
    """The progress, in one notebook if its stem is given; and a notice or `""`."""
    journal, notice = read_journal()
    rubrics, questions = rubrics_on(journal.way), all_questions()
    if notebook:
        journal.exams.clear()  # they are about the whole course
        rubrics = tuple(each for each in all_rubrics() if notebook_of(each.number) == notebook)
        questions = tuple(each for each in questions if notebook_of(each.key) == notebook)
    return Progress(journal, rubrics, questions, now()), notice


def is_tried(rubric: Rubric) -> bool:
    """Whether the learner's file differs from the starter in more than comments and spaces."""
    try:
        return not is_untouched(read_source(exercise_file(rubric.stem)), rubric.stem)
    except (LoadingError, SyntaxError, ValueError):
        return True  # it is missing, or cannot be parsed; grading it says why


def exercises_on_the_way() -> tuple[Rubric, ...]:
    """Those of the way that the learner chose, and others that they changed."""
    chosen = rubrics_on(read_journal()[0].way)
    return tuple(each for each in all_rubrics() if each in chosen or is_tried(each))


def choose_way(way: Way | None) -> tuple[Way, str]:
    """Take a way, if one is given; return the one that is taken, and a notice or `""`."""
    notice = keep(lambda journal: setattr(journal, "way", way)) if way else ""
    return read_journal()[0].way, notice


def first_unfinished() -> Rubric | None:
    """The first exercise on the learner's way that is not passed; None if there is none left."""
    journal, _ = read_journal()
    course = rubrics_on(journal.way)
    return next((rubric for rubric in course if not journal.has_passed(rubric.number)), None)


def first_open_notebook() -> str:
    """The name of the first notebook on the way that is not done with; of the last if all are."""
    journal, _ = read_journal()
    elsewhere = {notebook_of(each.number) for each in all_rubrics()}
    elsewhere -= {notebook_of(each.number) for each in rubrics_on(journal.way)}
    stems = [path.stem for path in notebooks() if path.stem not in elsewhere]
    stems = stems[:-1] if journal.way == "hour" else stems  # without the exam
    return next((stem for stem in stems if not _is_done(stem, journal)), stems[-1]) + ".ipynb"


def _is_done(notebook: str, journal: Journal) -> bool:
    """Its exercise is passed; or, where all are optional, something in it or after it was done."""
    numbers = [rubric.number for rubric in all_rubrics() if not rubric.optional]
    exercises = [number for number in numbers if notebook_of(number) == notebook]
    if exercises:
        return all(map(journal.has_passed, exercises))
    touched = [attempt.exercise for attempt in journal.attempts]
    touched += [prediction.question for prediction in journal.predictions]
    return any(notebook_of(touch) >= notebook for touch in touched)
