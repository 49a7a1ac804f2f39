"""Commands for learners: what there is, help with it, and what was learned."""

from __future__ import annotations

from contextlib import suppress
from random import choice

import click

from grader import course, learning, render
from grader.cli.prompts import choose, choose_sure, prompt_text
from grader.cli.puzzles import PuzzlePrompt
from grader.cli.reports import print_notice
from grader.course import WAYS, Item, all_rubrics, find, find_question, require_course
from grader.loading import LoadingError


@click.command(name="list")
def list_exercises() -> None:
    """List the exercises."""
    for rubric in all_rubrics():
        mark = ", optional" if rubric.optional else ""
        click.echo(f"{rubric.number:3} {rubric.title}  (exercises/{rubric.stem}.py{mark})")
    try:
        require_course()
    except LoadingError as error:
        click.echo(str(error), err=True)


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Print what a finding's CODE means, or list all codes."""
    if code is None:
        for known, summary in render.summaries().items():
            click.echo(f"{known:27}{summary}")
    else:
        _print_page(render.finding_page(code))


@click.command()
@click.argument("exercise", metavar="NN")
@click.argument("number", metavar="[HINT]", type=int, required=False)
def hint(exercise: str, number: int | None) -> None:
    """Print the next hint for exercise NN, or the one whose number you give.

    For example `grader hint 03`, or `grader hint 03 2` for the second.
    """
    rubric = find(exercise)
    chosen = (
        learning.next_hint(rubric, learning.read_journal()[0])
        if number is None
        else learning.within_hint(rubric, number)
    )
    click.echo(learning.hint_text(rubric, chosen))
    print_notice(learning.note_help(rubric.number, chosen))


@click.command()
@click.argument("exercise", metavar="NN")
def solution(exercise: str) -> None:
    """Print one good answer, why it is right, and what else would be."""
    rubric = find(exercise)
    click.echo(learning.solution_text(rubric))
    print_notice(learning.note_help(rubric.number))


@click.command()
@click.argument("exercise", metavar="NN")
def reset(exercise: str) -> None:
    """Bring the starter back; your answer is kept beside it."""
    kept = learning.reset(exercise)
    click.echo(
        f"The starter is back. Your answer is in {kept}."
        if kept
        else "Nothing to reset: this is the starter."
    )


def _print_page(markdown: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    console.print(Markdown(markdown, hyperlinks=console.is_terminal))


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
    click.echo(learning.progress_text(reached, learning.now()))
    print_notice(notice)


@click.command()
def review() -> None:
    """Ask again, days later, what you predicted: about a minute each."""
    reached, notice = learning.current_progress()
    print_notice(notice)
    if not reached.due:
        click.echo(learning.nothing_due(reached, learning.now()))
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
            if puzzle := learning.solved_before():
                PuzzlePrompt(puzzle).play()


def _find_the_bug() -> None:
    """Ask about one module of the exam's pool. Nothing is kept.

    Raises:
        Abort: that is enough for today.
    """
    question = choice(course.pool())
    click.echo(f"One more: find the bug, if there is one. q stops.\n\n{prompt_text(question)}\n")
    letter = choose("Your answer", question.letters)
    click.echo(f"\n{learning.answer_text(question, letter)}\n")


def _ask(question: Item) -> None:
    """Ask one question again.

    Raises:
        Abort: that is enough for today.
    """
    click.echo(learning.question_text(question, with_code=True) + "\n")
    choice = choose("Your answer", question.letters)
    when, notice = learning.answer_again(question, choice, choose_sure(), learning.now())
    click.echo(f"\n{learning.answer_text(question, choice)}\n{when}\n")
    print_notice(notice)
