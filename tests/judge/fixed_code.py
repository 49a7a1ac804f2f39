"""Asks one fixer of `grader.judge.fixes` about a file and facts written by hand."""

from literal import evidence

from grader.judge.fixes import apply_edits
from grader.judge.fixes.fix import CodeFix, Context, Fault
from grader.judge.fixes.source_file import SourceFile

HEAD = "import torch\nfrom torch import nn\n"


def line_of(source: str, piece: str) -> int:
    """The line on which `piece` begins."""
    return source[: source.index(piece)].count("\n") + 1


def ask(
    fixer, source: str, where: str, at: str, *tensors, rubric=None, **changes
) -> CodeFix | None:
    """What a fixer makes of a finding at the line with `at`; `tensors` are the module's.

    The fields of the fault, such as `variant`, may be among the changes to the evidence.
    """
    fields = ("message", "variant", "shared_with")
    given = {name: changes.pop(name, "") for name in fields}
    severity = changes.pop("severity", "error")
    fault = Fault("", severity, where, line_of(source, at), fix="", **given)
    return fixer(fault, Context(SourceFile(source), evidence(*tensors, **changes), rubric))


def edited(fix: CodeFix | None, source: str) -> str:
    """The file with the edits made."""
    assert fix is not None
    return apply_edits(source, fix.edits)
