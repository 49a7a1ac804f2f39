"""Where the tensors of a level are: after `.cuda()`, and what a call gives.

A device is told by a sign, a word and a colour: `■ self.mean on cuda`, in blue.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from string import ascii_uppercase

from grader.course import Puzzle
from grader.judge import run_of
from grader.learning.puzzles.judging import PuzzleVerdict, judge_puzzle
from grader.render import SIGNS
from grader.schema import Evidence, Phase

# The calls that the map tells of, and how it introduces an exception.
CALLS = {
    Phase.CUDA: "",
    Phase.CPU_INPUTS: "with inputs on the CPU: ",
    Phase.MOVED: "moved after a call on the CPU: ",
    Phase.MOVED_ON: "moved on to cuda:1: ",
    Phase.MOVED_BACK: "moved back to the CPU: ",
    Phase.CPU: "on the CPU: ",
}
Line = tuple[str, str]  # and how it looks: `cuda`, `bad` or ``


def puzzle_map(puzzle: Puzzle, verdict: PuzzleVerdict) -> Iterator[Line]:
    """The lines of a map, each with its look: `cuda`, `bad` or none."""
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


def map_of_choice(puzzle: Puzzle, letter: str = "") -> tuple[Line, ...]:
    """The map of a level, once the change that a letter stands for is made; without, before."""
    source = (
        puzzle.answered(puzzle.forms[ascii_uppercase.index(letter)]) if letter else puzzle.source
    )
    heading = ((f"With {letter}:", ""),) if letter else ()
    return (*heading, *puzzle_map(puzzle, judge_puzzle(puzzle, source)))


def _call(evidence: Evidence) -> Iterator[Line]:
    """What the calls gave, or PyTorch's message at the first that raised."""
    runs = [run for run in map(partial(run_of, evidence), CALLS) if run]
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
