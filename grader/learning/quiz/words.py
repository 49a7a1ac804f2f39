"""An item for a learner: as text and as HTML, and where its tensors are, next to its code.

After `.cuda()`, and what a call gives; a device is told by a sign, a word and a colour:
`■ self.mean on cuda`, in blue.
"""

from __future__ import annotations

from collections.abc import Iterator
from shutil import get_terminal_size
from textwrap import fill, indent

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.course import Item, offered
from grader.learning.journal import Prediction
from grader.learning.quiz.judging import Verdict, judge
from grader.learning.quiz.keeping import locked_text
from grader.render import COLOURS, SIGNS, STYLE, Mood, render_template
from grader.schema import Evidence, Phase

WIDTH = 100


def question_text(question: Item, with_code: bool = False) -> str:
    """The question and its choices; with the code, it can be read without the notebook."""
    lines = [question.title, _wrap(question.asked, "")]
    if with_code and question.code:
        lines += ["", indent(question.code, "    ")]
    lines.append("")
    for letter in question.letters:
        text = question.choice(letter).text
        lines.append(_wrap(text, f"  {letter}. "))
    return "\n".join(lines)


def answer_text(question: Item, chosen: str = "") -> str:
    """Why the right choice is right, and what is wrong with the one chosen."""
    return "\n".join(
        f"{SIGNS[look]} {heading}\n" + _wrap(why, "  ")
        for look, heading, why in explained(question, chosen)
    )


def to_html(question: Item, made: Prediction | None = None) -> str:
    """The question and what was answered, as one self-contained piece of HTML."""
    values = {
        "locked": locked_text(made) if made else "",
        "answer": list(explained(question, made.choice)) if made and made.is_marked else (),
        "signs": SIGNS,
        "style": STYLE,
    }
    return str(render_template("grader.learning", "question.html", question=question, **values))


def explained(question: Item, chosen: str) -> Iterator[tuple[Mood, str, str]]:
    """The choices to explain: how each looks, what stands above it, and why."""
    if chosen and chosen != question.right:
        wrong = question.choice(chosen)
        yield "bad", f"Not {chosen}: {wrong.text}", wrong.why
    right = question.choice(question.right)
    yield "good", f"{question.right} is right: {right.text}", right.why


def _wrap(text: str, lead: str) -> str:
    return fill(
        text,
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )


# The calls that the board tells of, and how it introduces an exception.
CALLS = {
    Phase.CUDA: "",
    Phase.CPU_INPUTS: "with inputs on the CPU: ",
    Phase.MOVED: "moved after a call on the CPU: ",
    Phase.MOVED_ON: "moved on to cuda:1: ",
    Phase.MOVED_BACK: "moved back to the CPU: ",
    Phase.CPU: "on the CPU: ",
}
Line = tuple[str, str]  # and how it looks: `cuda`, `bad` or ``
LOOKS = {"cuda": "bold blue", "bad": "bold red", "": ""}
BOARD_WIDTH = 40  # characters; narrower, it stands below the code
PUZZLE_KEYS = "LINE: new code    h hint    s solution    u undo    n next    q stop"


def board_of_choice(puzzle: Item, letter: str = "") -> tuple[Line, ...]:
    """The board of a level once the change that a letter stands for is made; without, before."""
    edits = offered(puzzle)[puzzle.letters.index(letter)] if letter else ""
    heading = ((f"With {letter}:", ""),) if letter else ()
    return (*heading, *_lines(puzzle, judge(puzzle, puzzle.edited(edits))))


def puzzle_heading(puzzle: Item) -> RenderableType:
    """A level's title, task and rule."""
    lines = [Text(puzzle.title, style="bold"), Text(puzzle.text)]
    if puzzle.rule:
        lines.append(Text(f"Rule: {puzzle.rule}", style=COLOURS["doubt"]))
    return Group(*lines, Text())


def puzzle_board(puzzle: Item, source: str, verdict: Verdict) -> RenderableType:
    """The code with the numbers of its lines, and where its tensors are, for a terminal."""
    code = _numbered(puzzle, source)
    drawn = Group(*(Text(line, LOOKS[look]) for line, look in _lines(puzzle, verdict)))
    longest = max(map(cell_len, str(code).split("\n")))
    if longest + BOARD_WIDTH > get_terminal_size().columns:
        return Group(code, drawn)
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row(code, drawn)
    return table


def puzzle_verdict(puzzle: Item, verdict: Verdict, seconds: int) -> RenderableType:
    """Whether a change is right, and why."""
    if verdict.failed_by:
        return Text(f"\n{SIGNS['bad']} {verdict.message}", style=COLOURS["bad"])
    right = f"\n{SIGNS['good']} Right, in {seconds} s. {puzzle.why}\n"
    return Text(right, style=COLOURS["good"])


def puzzle_solution(puzzle: Item) -> str:
    """Its right forms, as they are typed."""
    forms = "\n  or\n".join("\n".join(f"  {e}" for e in f.split("\n") if e) for f in puzzle.fixes)
    return f"{forms}\n{puzzle.why}"


def _numbered(puzzle: Item, source: str) -> Text:
    """The source; what differs from the first code is bold."""
    before, text = puzzle.code.splitlines(), Text()
    for number, line in enumerate(source.splitlines(), 1):
        text.append(f"{number:2}  ", style="dim")
        text.append(f"{line}\n", style="" if line in before else "bold")
    return text


def _lines(puzzle: Item, verdict: Verdict) -> Iterator[Line]:
    evidence = verdict.evidence
    if evidence is None or evidence.structure is None:
        raised = evidence.construction if evidence else None
        why = f" {raised.type}: {raised.message}" if raised else ""
        yield f"{SIGNS['bad']} The module cannot be built.{why}", "bad"
        return
    yield f"After {puzzle.class_name}().cuda():", ""
    moved = evidence.movements[0].tensors if evidence.movements else ()
    for fact in moved:
        kind = "not registered" if fact.role == "plain" else fact.role
        yield _placed(f"{fact.path} on", fact.device, f", {kind}")
    if not moved:
        yield "  it holds no tensor", ""
    yield f"Called on CUDA with {puzzle.inputs}:", ""
    yield from _call(evidence)
    if puzzle.symptom and verdict.failed_by == puzzle.finding:
        yield f"  {SIGNS['bad']} {puzzle.symptom}", "bad"
    yield f"state_dict(): {', '.join(evidence.structure.state_keys) or 'nothing'}", ""


def _call(evidence: Evidence) -> Iterator[Line]:
    """What the calls gave, or PyTorch's message at the first that raised."""
    runs = [run for run in map(evidence.run_of, CALLS) if run]
    failed = next((run for run in runs if run.raised), None)
    if failed and failed.raised:
        error = f"{CALLS[failed.phase]}{failed.raised.type}: {failed.raised.message}"
        yield f"  {SIGNS['bad']} {error}", "bad"
    for output in runs[0].outputs if runs and not failed else ():
        yield _placed("the result is on", output.device)


def _placed(what: str, device: str, kind: str = "") -> Line:
    is_moved = device.startswith("cuda")
    words = f"{what} cuda{kind}" if is_moved else f"{what} cpu{kind}"
    return (f"  ■ {words}", "cuda") if is_moved else (f"  □ {words}", "bad")
