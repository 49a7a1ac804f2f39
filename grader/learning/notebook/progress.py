"""`progress()`, `puzzle()` and `review()`: where a learner stands, and what comes next."""

from __future__ import annotations

import sys
from random import choice

from grader.course import all_puzzles, find_notebook, find_question
from grader.learning.journal import now
from grader.learning.journal.progress import progress_text, to_html
from grader.learning.notebook.display import running_shell
from grader.learning.notebook.widgets import has_widgets, show_bundle, show_widget
from grader.learning.predictions import nothing_due
from grader.learning.standing import current_progress


def progress(notebook: str | int = "") -> None:
    """Show how far you are: exercises, predictions, how sure and how right, what is due again.

    Args:
        notebook: show only what is in this one, such as "03"; otherwise the whole course.

    Raises:
        UnknownNotebookError: there is none of that number.
    """
    reached, notice = current_progress(find_notebook(notebook) if notebook != "" else "")
    faces = reached, now(), "review()"
    if running_shell() is None:
        print(progress_text(*faces))
    else:
        show_bundle({"text/html": to_html(*faces), "text/plain": progress_text(*faces)})
    if notice:
        print(notice, file=sys.stderr)


def puzzle() -> None:
    """Ask which change is right, one level after the other; `grader puzzles` lets you type it."""
    from grader.learning.puzzles.solved import first_unsolved, solved_summary

    if has_widgets():
        from grader.learning.notebook.buttons import puzzle_turns

        levels = all_puzzles()
        show_widget(puzzle_turns(levels[levels.index(first_unsolved()) :]).view)
    else:
        print(solved_summary())


def review() -> None:
    """Ask again, days later, what you predicted; without buttons, `grader review` does."""
    reached, notice = current_progress()
    if not reached.due:
        print(nothing_due(reached, now()))
    elif has_widgets():
        from grader.course import pool
        from grader.learning.notebook.buttons import FIND, review_turns
        from grader.learning.puzzles.solved import solved_before

        questions = [find_question(number).shuffled() for number in reached.due]
        last = [(choice(pool()).question(), FIND)]
        if level := solved_before():
            last.append((level.question().shuffled(), f"One more: {level.heading}"))
        show_widget(review_turns(questions, *choice(last)).view)
    else:
        print(f"{len(reached.due)} to ask again. In a terminal: grader review")
    if notice:
        print(notice, file=sys.stderr)
