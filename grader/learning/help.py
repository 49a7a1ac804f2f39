"""What helps with an exercise: where its learner stands, hints, one good answer, its starter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.course import (
    Way,
    all_questions,
    all_rubrics,
    exercise_file,
    find,
    is_untouched,
    notebook_of,
    notebooks,
    rubrics_on,
    solution_file,
    starter,
)
from grader.learning.journal import Journal, Progress, is_kept, keep, now, peek, read_journal
from grader.loading import LoadingError, read_source
from grader.schema import Report, Rubric

# From which try on the solution opens without a second question.
TRIES = 2


def for_learner(rubric: Rubric, report: Report) -> Report:
    """The report as its learner sees it: with the fixes in their turn.

    Call it before the check is noted. The fixes follow the last hint or the solution, and come at
    once where no journal counts the hints, as in CI.
    """
    journal, number = peek(), rubric.number
    is_through = has_seen_hints(rubric, journal) or journal.saw_solution(number)
    return replace(report, shows_fixes=is_through or not is_kept())


def has_seen_hints(rubric: Rubric, journal: Journal) -> bool:
    return journal.hints_taken(rubric.number) >= len(rubric.hints)


def within_hint(rubric: Rubric, number: int) -> int:
    """The number of the hint that is nearest to `number`."""
    return min(max(number, 1), len(rubric.hints))


def hint_text(rubric: Rubric, number: int) -> str:
    """`Hint 2 of 4: ...`."""
    return f"Hint {number} of {len(rubric.hints)}: {rubric.hints[number - 1]}"


def next_hint(rubric: Rubric, journal: Journal) -> int:
    """The number of the first hint not yet seen; the last, if all were."""
    return within_hint(rubric, journal.hints_taken(rubric.number) + 1)


def solution_code(rubric: Rubric) -> str:
    return solution_file(rubric.stem).read_text(encoding="utf-8")


def solution_text(rubric: Rubric) -> str:
    """One good answer, why it is right, and what else would be; Python that could be run."""
    lines = [f"# Why: {rubric.reason}"]
    lines += [f"# Also right: {answer}" for answer in rubric.also_right]
    return "\n".join([solution_code(rubric), *lines])


def step_after(rubric: Rubric, journal: Journal) -> str:
    """What a terminal says after a check that did not pass, beyond what the report says."""
    tries = journal.tries(rubric.number)
    if tries < TRIES:
        return ""
    number, of = next_hint(rubric, journal), len(rubric.hints)
    step = f"Hint {number} of {of}: grader hint {rubric.number}"
    if has_seen_hints(rubric, journal):
        solution = f"grader solution {rubric.number}"
        step = f"You have seen every hint. One good answer, and why it is right: {solution}"
    return f"That was try {tries}. {step}"


def reset(exercise: str | int) -> Path | None:
    """Put the starter back.

    Returns:
        Where the answer that stood there is kept; None if the file was the starter already.

    Raises:
        UnknownExerciseError: there is no such exercise.
    """
    rubric = find(exercise)
    path = exercise_file(rubric.stem)
    kept = None
    if path.exists() and path.read_bytes() != starter(rubric.stem).encode():
        kept = _free_name(path)
        path.replace(kept)
    path.write_text(starter(rubric.stem), encoding="utf-8")
    return kept


def _free_name(path: Path) -> Path:
    numbered = (path.with_suffix(f".{number}.old.py") for number in range(1, 10_000))
    return next(path for path in numbered if not path.exists())


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
