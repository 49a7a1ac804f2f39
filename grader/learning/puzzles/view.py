"""A level in a terminal: its code, and next to it where its tensors are.

A device is told by a sign, a word and a colour: `■ self.mean on cuda`, in blue.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.course import Puzzle, all_puzzles
from grader.judge import run_of
from grader.learning.puzzles.judging import PuzzleVerdict
from grader.render import COLOURS, SIGNS
from grader.schema import Evidence, Phase, TensorFact

ON_CUDA, ON_CPU = "bold blue", "bold red"
PUZZLE_KEYS = "LINE: new code    h hint    s solution    u undo    n next    q stop"


def puzzle_heading(puzzle: Puzzle) -> RenderableType:
    """The level's title, task and rule."""
    title = f"Level {int(puzzle.number)} of {len(all_puzzles())}: {puzzle.title}"
    lines = [Text(title, style="bold"), Text(puzzle.task)]
    if puzzle.rule:
        lines.append(Text(f"Rule: {puzzle.rule}", style=COLOURS["doubt"]))
    return Group(*lines, Text())


def puzzle_board(puzzle: Puzzle, source: str, verdict: PuzzleVerdict) -> RenderableType:
    """The code, with the numbers of its lines, and the map."""
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row(_numbered(puzzle, source), Group(*_map(puzzle, verdict)))
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
        yield Text(f"{SIGNS['bad']} The module cannot be built.", style=ON_CPU)
        return
    yield Text(f"After {puzzle.class_name}().cuda():")
    moved = evidence.movements[0].tensors if evidence.movements else ()
    yield from map(_tensor, moved)
    if not moved:
        yield Text("  it holds no tensor", style="dim")
    yield Text(f"{puzzle.call}:")
    yield from _call(evidence)
    yield Text(f"state_dict(): {', '.join(evidence.structure.state_keys) or 'nothing'}")


def _tensor(fact: TensorFact) -> Text:
    is_moved = fact.device.startswith("cuda")
    kind = "not registered" if fact.role == "plain" else fact.role
    words = "on cuda" if is_moved else "on cpu"
    sign, style = ("■", ON_CUDA) if is_moved else ("□", ON_CPU)
    return Text(f"  {sign} {fact.path} {words}, {kind}", style=style)


def _call(evidence: Evidence) -> Iterator[Text]:
    """What the call on CUDA gave, or PyTorch's message."""
    runs = (run_of(evidence, phase) for phase in (Phase.CUDA, Phase.MOVED, Phase.CPU))
    run = next(filter(None, runs), None)
    raised = run.raised if run else evidence.construction
    if raised:
        yield Text(f"  {SIGNS['bad']} {raised.type}: {raised.message}", style=ON_CPU)
    for output in run.outputs if run and not raised else ():
        is_moved = output.device.startswith("cuda")
        words = "■ the result is on cuda" if is_moved else "□ the result is on the CPU"
        yield Text(f"  {words}", style=ON_CUDA if is_moved else ON_CPU)
