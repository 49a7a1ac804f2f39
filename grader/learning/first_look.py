"""The first look at an exercise: which line is to blame? The report unfolds with the answer.

Above the question stand PyTorch's own message and the checks that fail. What else a check says may
name the culprit, so it waits, like the findings, until a line is chosen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent, shorten

from grader.course import Choice, Item
from grader.learning.journal import is_kept, keep, peek
from grader.loading import LoadingError, read_source
from grader.schema import Check, Finding, Report, Rubric

READ_AT_ONCE = 0  # in the place of a line
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
# An exception as a check tells it, without the advice that follows one that has no message.
RAISED = re.compile(
    r".*?\braised [\w.]+(?: in line (\d+)(?: of (?:(?!: |\. ).)*)?)?(?:: .*)?", re.DOTALL
)
# What a check says before it names anything but a method.
NAMELESS = re.compile(r"(?:[^`]|`[^`]*\(\)`)*")
MOVES = (".to(", ".cuda(")
LONGEST = 70  # characters of a line that is quoted


@dataclass(frozen=True)
class Statement:
    """A statement of the class, or the head of one that holds others, such as `if x:`.

    Attributes:
        line, last: the first and the last of its lines.
        text: these lines, indented as in a class that stands at the margin.
        method: the first line of the method that it belongs to, 0 if there is none.
    """

    line: int
    last: int
    text: str
    method: int = 0


@dataclass(frozen=True)
class FirstLook:
    """A report that asks before it tells.

    Attributes:
        report: the whole one.
        choices: what can be chosen, in the order of the file.
        right: the first lines of the choices that a finding is about, or that its fix changes.
        faults: how many findings there are to be found.
    """

    rubric: Rubric
    report: Report
    choices: tuple[Statement, ...]
    right: tuple[int, ...]
    faults: int

    @property
    def folded(self) -> Report:
        """What is shown before the question, and the question as its next step."""
        failed = (check for check in self.report.checks if _has_failed(check))
        checks = tuple(replace(check, message=_symptom(check.message)) for check in failed)
        return replace(self.report, checks=checks, findings=(), notes=(), next_step=self.asked)

    @property
    def asked(self) -> str:
        """The question: `Three faults: find one. Which line is to blame?`."""
        number = dict(enumerate(NUMBERS)).get(self.faults, str(self.faults))
        many = f"{number.capitalize()} faults: find one. " if self.faults > 1 else ""
        return f"{many}Which line is to blame?"

    @property
    def code(self) -> str:
        """The choices, each with the number of its line."""
        return "\n".join(map(numbered, self.choices))

    @property
    def question(self) -> Item:
        """The choices, each called by the number of its line."""
        return Item(
            key=f"line {self.rubric.number}",
            title=self.asked,
            choices=tuple(Choice(choice.text) for choice in self.choices),
            names=tuple(str(choice.line) for choice in self.choices),
            right=str(self.right[0]),
        )

    @property
    def how_to_answer(self) -> str:
        """What to type in a terminal."""
        call = f"grader check {self.rubric.number}"
        return f"Answer: {call} --line N. The whole report without an answer: {call} --why"

    def choice(self, line: int) -> Statement | None:
        """The choice that this line belongs to."""
        return next((each for each in self.choices if each.line <= line <= each.last), None)

    def unfolded(self, line: int) -> Report:
        """The whole report; it begins with which line it is, if one was chosen."""
        chosen = self.choice(line)
        near = self._nearness(chosen) if chosen else ""
        return replace(self.report, message="\n".join(filter(None, (near, self.report.message))))

    def after_a_miss(self, line: int) -> Report:
        """The folded report, once a line was blamed that is not the one."""
        return replace(self.folded, next_step=f"{self.miss(line)} {self.asked}")

    def miss(self, line: int) -> str:
        """What is said to a line that is not the one, while there is another try."""
        chosen = self.choice(line)
        if chosen and chosen.line in self._raising_lines:
            return f"Line {chosen.line}: PyTorch raises there. Where was that tensor made?"
        return f"Line {line} is not to blame. You have another try."

    def blame(self, line: int) -> tuple[bool, str]:
        """Keep that a line was blamed, or that the report is read at once.

        Returns:
            Whether that ends the question, and a notice or `""`.
        """
        chosen = self.choice(line)
        blamed = chosen.line if chosen else READ_AT_ONCE
        found, number = blamed in self.right, self.rubric.number
        is_last = number in peek().looks or not is_asked(self.rubric)
        notice = keep(lambda journal: journal.add_look(number, blamed, found))
        return found or not chosen or is_last, notice

    def _nearness(self, chosen: Statement) -> str:
        if chosen.line in self.right:
            return f"You chose line {chosen.line}: right."
        nearest = min(self.right, key=lambda line: abs(line - chosen.line))
        raised = chosen.line in self._raising_lines
        reply = "PyTorch raises there. The finding" if raised else "The finding"
        statement = next(each for each in self.choices if each.line == nearest)
        code = shorten(statement.text, LONGEST, placeholder=" ...")
        return f"You chose line {chosen.line}. {reply} is in line {nearest}, `{code}`."

    @property
    def _raising_lines(self) -> tuple[int, ...]:
        """The choices that the exceptions of the failed checks come from."""
        found = (RAISED.match(check.message) for check in self.report.checks if _has_failed(check))
        choices = (self.choice(int(match[1] or 0)) for match in found if match)
        return tuple(choice.line for choice in choices if choice)


def first_look(rubric: Rubric, report: Report, source: str) -> FirstLook | None:
    """The question on a report, or None if no finding is about a line of the class.

    Args:
        rubric: the exercise.
        report: the whole report on it.
        source: the file or the cell that the class is written in.
    """
    choices = tuple(_statements(source, rubric.class_name))
    errors = [each for each in report.findings if each.severity == "error" and not each.file]
    located = {error: set(_lines_at_fault(error, choices)) for error in errors}
    right = sorted(set().union(*located.values()))
    faults = sum(bool(lines) for lines in located.values())
    return FirstLook(rubric, report, choices, tuple(right), faults) if right else None


def look_at_file(rubric: Rubric, report: Report, path: Path) -> FirstLook | None:
    """The question on a report on a file, or None if there is nothing to ask."""
    try:
        return first_look(rubric, report, read_source(path)) if report.findings else None
    except LoadingError:
        return None  # it is gone or unreadable by now


def is_asked(rubric: Rubric) -> bool:
    """Whether the learner has read no report on the exercise yet, and no solution."""
    journal, number = peek(), rubric.number
    look = journal.looks.get(number)
    known = journal.tries(number) or journal.saw_solution(number)
    return is_kept() and not known and not (look and look.is_over)


def numbered(statement: Statement) -> str:
    """A choice as it stands in the file, with the number of its first line."""
    first, *rest = statement.text.splitlines()
    return "\n".join([f"{statement.line:4}  {first}", *(f"      {line}" for line in rest)])


def _has_failed(check: Check) -> bool:
    return not check.passed and check.status == "run"


def _symptom(message: str) -> str:
    """The exception that a check tells of, or its message up to where it names a culprit."""
    if raised := RAISED.match(message):
        return raised[0]
    nameless = NAMELESS.match(message)
    start = nameless[0] if nameless else ""
    told = start.rpartition(": ")[0]
    return message if start == message else told and f"{told}: …"


def _lines_at_fault(error: Finding, choices: tuple[Statement, ...]) -> Iterator[int]:
    """The choices that a finding is about, or that its fix changes.

    An input that is used where it came has no line that would be wrong in itself: neither that of
    its use nor that of a mover which does not reach it is a wrong answer. Nor has a method that
    leaves something out: each of its lines is right.
    """
    lines = {error.line, *(edit.line for edit in error.edits)}
    for choice in choices:
        moves = error.code == "input-transfer" and any(move in choice.text for move in MOVES)
        leaves_out = error.code == "to-override" and error.line == choice.method
        is_named = any(choice.line <= line <= choice.last for line in lines)
        if moves or leaves_out or is_named:
            yield choice.line


def _statements(source: str, class_name: str) -> Iterator[Statement]:
    """The statements of the class in order, without docstrings."""
    lines = source.split("\n")
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # such as a notebook cell with a magic line
    for cls in body:
        if isinstance(cls, ast.ClassDef) and cls.name == class_name:
            spans = {node.lineno: _last_line(node) for node in _nodes(cls)}
            methods = [node for node in cls.body if isinstance(node, ast.FunctionDef)]
            of_method = {
                n.lineno: method.lineno for method in methods for n in (method, *_nodes(method))
            }
            inside = dedent("\n".join(lines[cls.lineno : cls.end_lineno])).split("\n")
            for line, last in sorted(spans.items()):
                text = inside[line - cls.lineno - 1 : last - cls.lineno]
                yield Statement(line, last, "\n".join(text), of_method.get(line, 0))


def _nodes(owner: ast.stmt) -> Iterator[ast.stmt]:
    for node in ast.walk(owner):
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and node is not owner and not is_docstring:
            yield node


def _last_line(node: ast.stmt) -> int:
    body: list[ast.stmt] = getattr(node, "body", [])
    return max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
