"""Pastes a finding's fix into the code it speaks of, and judges the result again."""

import ast
import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import ModuleType

from grader.judge.fixes import apply_edits
from grader.schema.report import Finding, Report

Judge = Callable[[str], Report]
NUMBERS = count()
# Only of what is registered can it be seen that nothing writes it after `to_empty`.
UNCOVERED = ("member-tensor", "meta-init")
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Pasted:
    """A fix that was pasted.

    Attributes:
        problem: why it does not lead home, `""` if it does.
    """

    finding: Finding
    problem: str

    def __str__(self) -> str:
        finding = self.finding
        return f"{finding.code} {finding.where}: {self.problem}\n    {finding.fix}"


def loaded(text: str, folder: Path) -> ModuleType:
    """`text` as a file of its own, run as a module."""
    path = folder / f"pasted_{next(NUMBERS)}.py"
    path.write_text(text, encoding="utf-8")
    return imported(path, path.stem)


def imported(path: Path, name: str) -> ModuleType:
    """A file, run as a module that Python knows by `name`."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def pasted(text: str, report: Report, judge: Judge) -> list[Pasted]:
    """Each fix of a report that is code, pasted into `text` by itself."""
    found = [finding for finding in report.findings if finding.edits]
    return [Pasted(finding, _problem(text, finding, report, judge)) for finding in found]


def assert_fixes_work(text: str, judge: Judge) -> Report:
    """Judge `text` and paste each fix; one that is not printed as code is in words."""
    report = judge(text)
    assert [str(trial) for trial in pasted(text, report, judge) if trial.problem] == []
    assert [finding.fix for finding in report.findings if code_in_words(finding)] == []
    return report


def _problem(text: str, finding: Finding, before: Report, judge: Judge) -> str:
    printed = " ".join(finding.fix.split())
    missing = [e.after for e in finding.edits if " ".join(e.after.split()) not in printed]
    if missing:
        return f"not printed: {missing}"
    changed = apply_edits(text, finding.edits)
    try:
        ast.parse(changed)
    except SyntaxError as error:
        return f"no Python: {error}"
    after = judge(changed)
    if after.exit_code == 2:
        return f"{after.verdict}: {after.message}"
    told = [other for other in after.findings if (finding.code, other.code) != UNCOVERED]
    at = [other for other in told if where_of(other) == where_of(finding)]
    if len(at) >= sum(where_of(other) == where_of(finding) for other in before.findings):
        return f"still there: {at[0].code}: {at[0].message}"
    lines = {edit.line for edit in finding.edits}
    known = {(other.code, where_of(other)) for other in before.findings}
    for other in told:
        if other.line in lines and (other.code, where_of(other)) not in known:
            return f"new: {other.code} {other.where}: {other.message}"
    is_told = after.findings and all(
        (other.code, where_of(other)) in known for other in after.findings
    )
    raised = _raised(after) - _raised(before) - {"RuntimeError"}  # which the next fault raises
    if raised and not is_told:
        return f"it raises {raised}"
    passed = {check.name for check in before.checks if check.passed}
    lost = [c for c in after.checks if c.name in passed and not c.passed]
    return "; ".join(f"lost {check.name}: {check.message}" for check in lost)


def _raised(report: Report) -> set[str]:
    """The exceptions that the report tells of."""
    messages = " ".join([report.message, *(check.message for check in report.checks)])
    return set(re.findall(r"raised (\w+)", messages))


def where_of(finding: Finding) -> str:
    """Where it is; the text of its line, where a line that is pasted above changes the number."""
    return finding.source_line if finding.where.startswith("line ") else finding.where


def code_in_words(finding: Finding) -> list[str]:
    """What looks like code to paste in a fix that has no edits."""
    return [] if finding.edits else [code for code in _CODE.findall(finding.fix) if _is_code(code)]


def _is_code(text: str) -> bool:
    """Whether it is a statement, or a call with arguments; a name, option or comment is none."""
    if text.startswith("#") or re.fullmatch(r"\.?[\w.]+(\(\))?", text):
        return False
    try:
        (statement,) = ast.parse(text.replace("{", "").replace("}", "")).body
    except (SyntaxError, ValueError):
        return True
    if isinstance(statement, ast.Assign):
        return not re.fullmatch(r"\w+=\w+", text)
    value = statement.value if isinstance(statement, ast.Expr) else None
    has_arguments = isinstance(value, ast.Call) and bool(value.args or value.keywords)
    return value is None or has_arguments
