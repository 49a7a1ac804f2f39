"""A level in a terminal: its code, and next to it where its tensors are."""

from __future__ import annotations

from shutil import get_terminal_size

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.course import Puzzle
from grader.learning.puzzles.judging import PuzzleVerdict
from grader.learning.puzzles.map import puzzle_map
from grader.render import COLOURS, SIGNS

LOOKS = {"cuda": "bold blue", "bad": "bold red", "": ""}
MAP_WIDTH = 40  # characters; a narrower map stands below the code
PUZZLE_KEYS = "LINE: new code    h hint    s solution    u undo    n next    q stop"


def puzzle_heading(puzzle: Puzzle) -> RenderableType:
    """The level's title, task and rule."""
    lines = [Text(puzzle.heading, style="bold"), Text(puzzle.task)]
    if puzzle.rule:
        lines.append(Text(f"Rule: {puzzle.rule}", style=COLOURS["doubt"]))
    return Group(*lines, Text())


def puzzle_board(puzzle: Puzzle, source: str, verdict: PuzzleVerdict) -> RenderableType:
    """The code, with the numbers of its lines, and next to it or below it the map."""
    code = _numbered(puzzle, source)
    drawn = Group(*(Text(line, LOOKS[look]) for line, look in puzzle_map(puzzle, verdict)))
    if cell_len(max(str(code).split("\n"), key=cell_len)) + MAP_WIDTH > get_terminal_size().columns:
        return Group(code, drawn)
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row(code, drawn)
    return table


def puzzle_verdict(puzzle: Puzzle, verdict: PuzzleVerdict, seconds: int) -> RenderableType:
    """Whether an answer is right, and why."""
    if verdict.failed_by:
        return Text(f"\n{SIGNS['bad']} {verdict.message}", style=COLOURS["bad"])
    right = f"\n{SIGNS['good']} Right, in {seconds} s. {puzzle.why}\n"
    return Text(right, style=COLOURS["good"])


def puzzle_solution(puzzle: Puzzle) -> str:
    """Its right forms, as they are typed."""
    forms = "\n  or\n".join("\n".join(f"  {e}" for e in f.split("\n") if e) for f in puzzle.right)
    return f"{forms}\n{puzzle.why}"


def _numbered(puzzle: Puzzle, source: str) -> Text:
    """The source; what differs from the first code is bold."""
    before, text = puzzle.source.splitlines(), Text()
    for number, line in enumerate(source.splitlines(), 1):
        text.append(f"{number:2}  ", style="dim")
        text.append(f"{line}\n", style="" if line in before else "bold")
    return text
