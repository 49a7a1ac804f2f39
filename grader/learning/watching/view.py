"""A session, drawn for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.learning.first_look import FirstLook, numbered
from grader.learning.watching.session import WatchSession
from grader.render import render_text
from grader.schema import Report

POINTER = "▸"
KEYS = ("h hint", "n next", "p previous", "q quit")
ASKING = ("↑ ↓ choose", "Enter this one", "w why", *KEYS)


def header(session: WatchSession, width: int) -> list[str]:
    grid = Table.grid(expand=True)
    grid.add_column(no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    left = Text(f"exercises/{session.rubric.stem}.py", style="bold")
    state = "judging …" if session.judging else f"judged at {session.judged_at}"
    left.append(f"   {state}", style="not bold")
    grid.add_row(left, f"{len(session.passed)} of {len(session.course)} passed")
    return lines_of(Group(grid, Text("─" * width, style="dim")), width)


def footer(session: WatchSession, width: int, more: bool) -> list[str]:
    """The lines at the bottom: the keys, and whether there is more to read."""
    keys = Text("   ").join(map(_key, ASKING if session.is_asking else KEYS))
    if more:
        keys.append("   ↓ more", style="bold")
    return lines_of(Group(Text("─" * width, style="dim"), keys), width)


def body(session: WatchSession, width: int) -> list[str]:
    parts = [_report(session)]
    if session.notice:
        parts.insert(0, Padding(Text(f"! {session.notice}", style="yellow"), (0, 0, 1, 0)))
    return lines_of(Group(*parts), width)


def lines_of(picture: RenderableType, width: int) -> list[str]:
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, force_terminal=True, color_system="standard", highlight=False
    )
    console.print(picture, crop=False, overflow="fold")
    return stream.getvalue().splitlines()


def _report(session: WatchSession) -> RenderableType:
    parts: list[RenderableType] = []
    for number, hint in enumerate(session.hints_so_far, 1):
        of = f"Hint {number} of {len(session.rubric.hints)}: "
        parts.append(Text.assemble((of, "bold"), hint))
    if parts:
        parts.append(Text())
    if session.report is None:
        title = f"{session.rubric.number} {session.rubric.title}"
        parts.append(Text(title, style="bold"))
        if not session.judged_at:
            parts.append(Text("The first verdict takes longest: PyTorch is being loaded."))
    else:
        parts.append(render_text(_report_for_screen(session, session.report)))
    if session.look:
        parts += [Text(), *_choices(session.look, session.pointed)]
    return Group(*parts)


def _choices(look: FirstLook, pointed: int) -> Iterator[RenderableType]:
    for place, choice in enumerate(look.choices):
        pointer = POINTER if place == pointed else " "
        yield Text(f"{pointer}{numbered(choice)}", "bold" if place == pointed else "")


def _report_for_screen(session: WatchSession, report: Report) -> Report:
    """The report without what the header says, and with keys in place of commands."""
    if session.look:
        return report
    number = session.rubric.number
    steps = {
        "passed": _after_passing(session),
        "failed": "Change it and save, or press h for a hint."
        if not session.has_all_hints
        else f"Change it and save, or see one good answer: grader solution {number}",
        "not_attempted": "Open the file in your editor, change it, and save. h gives a hint.",
    }
    return replace(report, next_step=steps.get(report.verdict, report.next_step))


def _after_passing(session: WatchSession) -> str:
    rubric = session.rubric
    others = [f"Also right: {answer}" for answer in rubric.also_right]
    return "\n".join([_next_line(session), "", f"Our answer: {rubric.reason}", *others])


def _next_line(session: WatchSession) -> str:
    following = session.following
    if following is None:
        return "That was the last one: all exercises are passed. q quits."
    return f"Press Enter to go on to {following.number} {following.title}."


def _key(text: str) -> Text:
    key, _, does = text.partition(" ")
    return Text.assemble((key, "bold reverse"), f" {does}")
