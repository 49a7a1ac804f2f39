"""Whether an answer to a level is right: the audit, the outputs, the checkpoint, then the rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.course import Puzzle, all_puzzles
from grader.judge import run_of
from grader.learning.exams.fixing import (
    ExamError,
    message_with_line,
    output_difference,
    probe_source,
    report_on,
)
from grader.loading import LoadingError, parse
from grader.schema import Evidence, Phase

FEWEST_WRONG = 3
FEWEST_LINES, MOST_LINES = 4, 9  # of code, blank ones not counted


@dataclass(frozen=True)
class PuzzleVerdict:
    """How an answer was judged.

    Attributes:
        failed_by: a finding's code, or `output`, `trained`, `keys`, `rule` or `raises`; `""` if it
            is right.
        message: what is still wrong.
        evidence: what the probe saw; None if the code did not run.
    """

    failed_by: str = ""
    message: str = ""
    evidence: Evidence | None = None


def judge_puzzle(puzzle: Puzzle, source: str) -> PuzzleVerdict:
    """Judge a version of a level's class. It runs in a child process."""
    try:
        parse(source, Path(f"{puzzle.name}.py"))
    except LoadingError as error:
        return PuzzleVerdict("raises", str(error))
    evidence = _probe(puzzle, source)
    failed_by, message = _fault(puzzle, source, evidence)
    if failed_by and (known := puzzle.known_mistake(source)):
        message = known.why
    return PuzzleVerdict(failed_by, message, evidence)


def _fault(puzzle: Puzzle, source: str, evidence: Evidence) -> tuple[str, str]:
    """What is wrong, as `PuzzleVerdict` has it, or two empty strings."""
    report = report_on(evidence, puzzle.class_name, source)
    for found in report.findings:
        if found.severity == "error" or found.code == puzzle.finding:
            return found.code, message_with_line(found)
    if report.verdict != "passed":
        return "raises", report.message
    if _trained(evidence) != _trained(_right(puzzle)):
        return "trained", "An optimizer would now train other tensors than it should."
    if difference := output_difference(evidence, _right(puzzle)):
        return "output", difference
    if _is_on_cuda(evidence) != _is_on_cuda(_right(puzzle)):
        return "output", "Called on CUDA, it gives something that is on the CPU."
    keys = evidence.structure.state_keys if evidence.structure else ()
    if puzzle.keys is not None and set(keys) != set(puzzle.keys):
        held = ", ".join(f"`{key}`" for key in keys) or "nothing"
        return "keys", f"`state_dict()` now holds {held}."
    broken = puzzle.broken_rule(source)
    return ("rule", broken) if broken else ("", "")


def _trained(evidence: Evidence) -> list[tuple[int, ...]]:
    """The shapes of what an optimizer gets, each Parameter once, whatever its name."""
    shapes = {
        fact.identity: fact.shape
        for fact in evidence.tensors
        if fact.role == "parameter" and fact.requires_grad
    }
    return sorted(shapes.values())


def _is_on_cuda(evidence: Evidence) -> list[bool]:
    """Of each output of a call on CUDA, whether it is there."""
    run = run_of(evidence, Phase.CUDA)
    return [output.device.startswith("cuda") for output in run.outputs] if run else []


@cache
def _right(puzzle: Puzzle) -> Evidence:
    return _probe(puzzle, puzzle.answered(puzzle.right[0]))


def _probe(puzzle: Puzzle, source: str) -> Evidence:
    return probe_source(source, puzzle.class_name, f"({puzzle.inputs},)")


def verify_puzzles() -> Iterator[tuple[str, bool]]:
    """One line for each thing verified about the levels, and whether it is as declared."""
    for puzzle in all_puzzles():
        problems = list(_problems(puzzle))
        forms = f"{len(puzzle.right)} right and {len(puzzle.wrong)} wrong forms"
        yield from ((f"✗ {puzzle.name}: {problem}", False) for problem in problems)
        if not problems:
            yield f"✓ {puzzle.name}: the first code, {forms}", True


def _problems(puzzle: Puzzle) -> Iterator[str]:
    lines = len(list(filter(str.strip, puzzle.code.splitlines())))
    if not FEWEST_LINES <= lines <= MOST_LINES:
        yield f"{lines} lines of code"
    if len(puzzle.wrong) < FEWEST_WRONG:
        yield f"{len(puzzle.wrong)} wrong forms, and there should be {FEWEST_WRONG}"
    tried = [("the first code", "", puzzle.finding)]
    tried += [("right form", form, "") for form in puzzle.right]
    tried += [("wrong form", form.edits, form.fails) for form in puzzle.wrong]
    for what, form, expected in tried:
        try:
            verdict = judge_puzzle(puzzle, puzzle.answered(form))
        except ExamError as error:
            verdict = PuzzleVerdict("raises", str(error))
        if verdict.failed_by != expected:
            yield f"{what} {form!r}: {_told(verdict)}, and not {expected or 'right'}"


def _told(verdict: PuzzleVerdict) -> str:
    return f"{verdict.failed_by} ({verdict.message})" if verdict.failed_by else "right"
