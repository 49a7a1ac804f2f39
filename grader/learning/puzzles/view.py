"""A level in a terminal: its code, and next to it where its tensors are.

A device is told by a sign, a word and a colour: `■ self.mean on cuda`, in blue.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from shutil import get_terminal_size

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.course import Puzzle, all_puzzles
from grader.judge import run_of
from grader.learning.puzzles.judging import PuzzleVerdict
from grader.render import COLOURS, SIGNS
from grader.schema import Evidence, Phase, TensorFact

ON_CUDA, ON_CPU = "bold blue", "bold red"
MAP_WIDTH = 40  # characters; a narrower map stands below the code
# The calls that the map tells of, and how it introduces an exception.
CALLS = {
    Phase.CUDA: "",
    Phase.CPU_INPUTS: "with inputs on the CPU: ",
    Phase.MOVED: "moved after a call on the CPU: ",
    Phase.MOVED_ON: "moved on to cuda:1: ",
    Phase.MOVED_BACK: "moved back to the CPU: ",
    Phase.CPU: "on the CPU: ",
}
PUZZLE_KEYS = "LINE: new code    h hint    s solution    u undo    n next    q stop"


def puzzle_heading(puzzle: Puzzle) -> RenderableType:
    """The level's title, task and rule."""
    title = f"Level {int(puzzle.number)} of {len(all_puzzles())}: {puzzle.title}"
    lines = [Text(title, style="bold"), Text(puzzle.task)]
    if puzzle.rule:
        lines.append(Text(f"Rule: {puzzle.rule}", style=COLOURS["doubt"]))
    return Group(*lines, Text())


def puzzle_board(puzzle: Puzzle, source: str, verdict: PuzzleVerdict) -> RenderableType:
    """The code, with the numbers of its lines, and next to it or below it the map."""
    code, drawn = _numbered(puzzle, source), Group(*_map(puzzle, verdict))
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


def _map(puzzle: Puzzle, verdict: PuzzleVerdict) -> Iterator[Text]:
    evidence = verdict.evidence
    if evidence is None or evidence.structure is None:
        raised = evidence.construction if evidence else None
        why = f" {raised.type}: {raised.message}" if raised else ""
        yield Text(f"{SIGNS['bad']} The module cannot be built.{why}", style=ON_CPU)
        return
    yield Text(f"After {puzzle.class_name}().cuda():")
    moved = evidence.movements[0].tensors if evidence.movements else ()
    yield from map(_tensor, moved)
    if not moved:
        yield Text("  it holds no tensor", style="dim")
    yield Text(f"Called on CUDA with {puzzle.inputs}:")
    yield from _call(evidence)
    yield Text(f"state_dict(): {', '.join(evidence.structure.state_keys) or 'nothing'}")


def _tensor(fact: TensorFact) -> Text:
    is_moved = fact.device.startswith("cuda")
    kind = "not registered" if fact.role == "plain" else fact.role
    words = "on cuda" if is_moved else "on cpu"
    sign, style = ("■", ON_CUDA) if is_moved else ("□", ON_CPU)
    return Text(f"  {sign} {fact.path} {words}, {kind}", style=style)


def _call(evidence: Evidence) -> Iterator[Text]:
    """What the calls gave, or PyTorch's message at the first that raised."""
    runs = [run for run in map(partial(run_of, evidence), CALLS) if run]
    failed = next((run for run in runs if run.raised), None)
    if failed and failed.raised:
        error = f"{CALLS[failed.phase]}{failed.raised.type}: {failed.raised.message}"
        yield Text(f"  {SIGNS['bad']} {error}", style=ON_CPU)
    for output in runs[0].outputs if runs and not failed else ():
        is_moved = output.device.startswith("cuda")
        words = "■ the result is on cuda" if is_moved else "□ the result is on cpu"
        yield Text(f"  {words}", style=ON_CUDA if is_moved else ON_CPU)
