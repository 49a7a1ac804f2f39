"""`grader audit --fix`: make the changes whose fix is code, and show them."""

from __future__ import annotations

import difflib
import tokenize
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import click

from grader import judge
from grader.cli.prompts import to_terminal
from grader.loading import read_source
from grader.schema import Edit, Report

DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def fix_all(reports: Iterable[Report]) -> None:
    """Make the changes of all errors whose fix is code: the audit has tried it.

    Of two that change one line, the first is made. Only files in the working directory are changed.
    """
    chosen: dict[Path, list[Edit]] = defaultdict(list)
    elsewhere: set[Path] = set()
    for report in reports:
        for finding in (f for f in report.findings if f.severity == "error" and f.edits):
            path = Path(finding.file or report.source)
            if not _is_ours(path):
                elsewhere.add(path)
            elif judge.are_apart(finding.edits, chosen[path]):
                chosen[path] += finding.edits
    for path, edits in chosen.items():
        _make(path, edits)
    for path in sorted(elsewhere):
        click.echo(f"{path} is outside of {Path.cwd()}: to change it, run this there.", err=True)
    made = sum(map(len, chosen.values()))
    told = f"{judge.count(made, 'change')} made." if made else "No change was made."
    click.echo(f"{told} What the audit says now:\n", err=True)


def _is_ours(path: Path) -> bool:
    """Whether it is a file in the working directory, and not of an environment there."""
    whole = path.resolve()
    is_here = whole.is_relative_to(Path.cwd()) and "site-packages" not in whole.parts
    return is_here and path.is_file()


def _make(path: Path, edits: list[Edit]) -> None:
    """Change a file, which keeps its encoding and the ends of its lines, and print the diff."""
    before = read_source(path)
    after = judge.apply_edits(before, edits)
    names = f"a/{path}", f"b/{path}"
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm=""):
        click.secho(to_terminal(line), fg=DIFF_COLOURS.get(line[:1]), err=True)
    with path.open("rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
        newline = "\r\n" if file.readline().endswith(b"\r\n") else "\n"
    path.write_text(after, encoding, newline=newline)
