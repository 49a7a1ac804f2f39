"""`puzzle()`, `review()`, `exam()`: one question after the other, in a notebook; `progress()`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import choice
from time import monotonic
from typing import TYPE_CHECKING

from msgspec.structs import replace as replaced

from grader.course import TEN, THREE, Item, all_puzzles, find_notebook, find_question, pool
from grader.learning.help import current_progress
from grader.learning.journal import now
from grader.learning.journal.progress import progress_text, to_html
from grader.learning.notebook.display import CELL_WIDTH, running_shell
from grader.learning.notebook.widgets import has_widgets, show_bundle, show_widget
from grader.learning.quiz.exam import Sitting, score, sit
from grader.learning.quiz.keeping import (
    answer_again,
    first_unsolved,
    note_puzzle,
    nothing_due,
    solved_before,
    solved_summary,
)
from grader.learning.quiz.words import board_of_choice
from grader.render import wrap_lines

if TYPE_CHECKING:
    from grader.learning.notebook.quiz import Asking, Turns


def puzzle() -> None:
    """Ask which change is right, one level after the other; `grader puzzles` lets you type it."""
    levels = all_puzzles()
    if has_widgets():
        show_widget(puzzle_turns(levels[levels.index(first_unsolved()) :]).view)
    else:
        print(solved_summary())


def puzzle_turns(levels: Sequence[Item]) -> Turns:
    """One level after the other, each as a choice between changes."""
    from grader.learning.notebook.quiz import Asking, Turns

    begun = monotonic()

    def answer(asked: Asking, letter: str, sure: bool) -> Asking:
        nonlocal begun
        seconds, begun = round(monotonic() - begun), monotonic()
        is_right = letter == asked.item.right
        notice = note_puzzle(asked.item, seconds, is_helped=False) if is_right else ""
        beside = partial(board_of_choice, asked.item, letter)
        return replace(answered(asked, letter, notice), beside=beside, button="Next level")

    boards = ((level, partial(board_of_choice, level)) for level in levels)
    waiting = [Asking(level, with_code=True, beside=board) for level, board in boards]
    return Turns(waiting, answer)


def review() -> None:
    """Ask again, days later, what you predicted; without buttons, `grader review` does."""
    reached, notice = current_progress()
    if not reached.due:
        print(nothing_due(reached, now()))
    elif has_widgets():
        questions = [find_question(number).shuffled() for number in reached.due]
        last = [replaced(choice(pool()), title="find the bug, if there is one")]
        last += [level.shuffled() for level in [solved_before()] if level]
        show_widget(review_turns(questions, choice(last)).view)
    else:
        print(f"{len(reached.due)} to ask again. In a terminal: grader review")
    if notice:
        print(notice, file=sys.stderr)


def review_turns(questions: list[Item], last: Item) -> Turns:
    """The questions that are due, then a last one, whose answer is not kept.

    Args:
        questions: those that are due.
        last: a module of the exam's pool, or a puzzle.
    """
    from grader.learning.notebook.quiz import Asking, Turns

    def answer(asked: Asking, letter: str, sure: bool) -> Asking:
        if asked.item.key == last.key:
            return answered(asked, letter, "That was the last one.")
        kept = answer_again(asked.item, letter, sure, now())
        return replace(
            answered(asked, letter, " ".join(filter(None, kept))), button="Next question"
        )

    titles = [f"{item.title}, {n} of {len(questions)}" for n, item in enumerate(questions, 1)]
    titles.append(f"One more: {last.title}")
    items = zip([*questions, last], titles, strict=True)
    return Turns([Asking(replaced(item, title=title), True) for item, title in items], answer)


def answered(asked: Asking, letter: str, message: str) -> Asking:
    """What is seen of a question once it was answered, with the reasons."""
    return replace(asked, chosen=letter, is_answered=True, message=message)


def exam(seed: str = "") -> None:
    """Ask what ten modules do, then judge three fixes, and show the result.

    Without buttons, `grader exam` in a terminal is the same exam, and goes on where this stopped.

    Args:
        seed: which ten modules; a teacher gives you one. Without it, the last exam goes on, or a
            new one begins.
    """
    sitting = sit(seed)
    if not sitting.waiting:
        _show_result(sitting)
        return
    text = (
        f"{TEN} modules from a pool of {len(pool())}, then {THREE} to fix: files in a folder that "
        "the last answer names. Run this cell again then, and it judges the fixes.\n"
        "No buttons below? Take it in a terminal: grader exam"
    )
    if running_shell() is None:
        print(text)
        return
    show_bundle({"text/plain": text})
    if has_widgets():
        show_widget(exam_turns(sitting).view)


def exam_turns(sitting: Sitting) -> Turns:
    """What is not answered, one module after the other; no answer is shown."""
    from grader.learning.notebook.quiz import Asking, Turns

    waiting = sitting.waiting

    def answer(asked: Asking, letter: str, sure: bool) -> Asking | None:
        notice = sitting.answer(asked.item, letter, sure)
        return None if sitting.waiting else replace(asked, message=f"{_then_fix(sitting)} {notice}")

    first = TEN - len(waiting) + 1
    return Turns(
        (
            Asking(replaced(module, title=f"Module {n} of {TEN}, exam {sitting.seed}"), True)
            for n, module in enumerate(waiting, first)
        ),
        answer,
    )


def _then_fix(sitting: Sitting) -> str:
    files = ", ".join(map(str, sitting.hand_out()))
    return f"All {TEN} are answered. Fix {files}; then run this cell again for your result."


def _show_result(sitting: Sitting) -> None:
    result = score(sitting, print)
    text = wrap_lines(result.text(), CELL_WIDTH)
    if running_shell() is None:
        print(text)
    else:
        show_bundle({"text/html": result.to_html(), "text/plain": text})


def progress(notebook: str | int = "") -> None:
    """Show how far you are: exercises, predictions, how sure and how right, what is due again.

    Args:
        notebook: show only what is in this one, such as "03"; otherwise the whole course.

    Raises:
        UnknownItemError: there is none of that number.
    """
    reached, notice = current_progress(find_notebook(notebook) if notebook != "" else "")
    faces = reached, now(), "review()"
    if running_shell() is None:
        print(progress_text(*faces))
    else:
        show_bundle({"text/html": to_html(*faces), "text/plain": progress_text(*faces)})
    if notice:
        print(notice, file=sys.stderr)
