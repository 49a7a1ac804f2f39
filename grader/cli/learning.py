"""Commands about what was learned: progress, review."""

from __future__ import annotations

from contextlib import suppress
from random import choice

import click

from grader import course, learning
from grader.cli.prompts import choose, choose_sure, prompt_text
from grader.cli.reports import print_notice
from grader.course import WAYS, Item, find_question
from grader.learning import now


@click.command()
@click.argument("chosen", metavar="[hour|weekend|everything]", required=False)
def way(chosen: str | None) -> None:
    """Choose how much of the course to take: `grade`, `watch` and `progress` follow."""
    if chosen is not None and chosen not in WAYS:
        raise click.UsageError(f"There is no way {chosen}. There are {', '.join(WAYS)}.")
    taken, notice = learning.choose_way(chosen)
    for name, words in WAYS.items():
        click.echo(f"{'>' if name == taken else ' '} {name:11}{words}")
    print_notice(notice)


@click.command()
def progress() -> None:
    """Show how far you are, and how well you know what you know."""
    reached, notice = learning.current_progress()
    click.echo(learning.progress_text(reached, now()))
    print_notice(notice)


@click.command()
def review() -> None:
    """Ask again, days later, what you predicted: about a minute each."""
    reached, notice = learning.current_progress()
    print_notice(notice)
    if not reached.due:
        click.echo(learning.nothing_due(reached, now()))
    for count, number in enumerate(reached.due, 1):
        click.echo(f"{count} of {len(reached.due)}. q stops; what you answered is kept.\n")
        try:
            _ask(find_question(number).shuffled())
        except click.Abort:
            click.echo("\nStopped. The rest stays due.")
            return
    if reached.due:
        with suppress(click.Abort):
            _find_the_bug()
            _solve_again()


def _find_the_bug() -> None:
    """Ask about one module of the exam's pool. Nothing is kept.

    Raises:
        Abort: that is enough for today.
    """
    question = choice(course.pool())
    click.echo(f"One more: find the bug, if there is one. q stops.\n\n{prompt_text(question)}\n")
    letter = choose("Your answer", question.letters)
    click.echo(f"\n{learning.answer_text(question, letter)}\n")


def _solve_again() -> None:
    """Begin the level that was solved the longest ago, if one was.

    Raises:
        Abort: that is enough for today.
    """
    from grader.cli.puzzles import PuzzlePrompt

    if puzzle := learning.solved_before():
        PuzzlePrompt(puzzle).play()


def _ask(question: Item) -> None:
    """Ask one question again.

    Raises:
        Abort: that is enough for today.
    """
    click.echo(learning.question_text(question, with_code=True) + "\n")
    choice = choose("Your answer", question.letters)
    when, notice = learning.answer_again(question, choice, choose_sure(), now())
    click.echo(f"\n{learning.answer_text(question, choice)}\n{when}\n")
    print_notice(notice)
