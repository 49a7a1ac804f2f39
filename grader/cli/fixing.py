"""`grader audit --fix`: the changes that findings print as code, shown, made, and audited again."""

from __future__ import annotations

import difflib
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from grader.cli.prompts import to_terminal
from grader.judge import apply_edits, count
from grader.loading import read_source
from grader.schema import Edit, Finding, Report

MOST_ROUNDS = 20  # what one change uncovers is changed in the next round
COLOURS = {"+": "green", "-": "red", "@": "cyan"}
Edits = dict[Path, list[Edit]]


def fix_all(audited: Callable[[], Sequence[Report]]) -> None:
    """Make the changes of all errors whose fix is code, as long as errors get fewer.

    Changes after which there are no fewer errors are taken back, and then tried one finding at a
    time. Only files in the working directory are changed.
    """
    reports, made = audited(), 0
    tried: set[tuple[Edit, ...]] = set()
    is_single = False
    for _ in range(MOST_ROUNDS):
        edits = _certain(reports, tried, is_single)
        if not edits:
            break
        before = {path: path.read_bytes() for path in edits}
        for path, changes in edits.items():
            _make(path, changes)
        again = audited()
        if _is_better(again, reports):
            reports, made = again, made + sum(map(len, edits.values()))
            continue
        for path, text in before.items():
            path.write_bytes(text)
        click.echo("Taken back: that left as many errors.", err=True)
        if not is_single:
            is_single, tried = True, set()
    told = f"{count(made, 'change')} made." if made else "No change was made."
    click.echo(f"{told} What the audit says now:\n", err=True)


def _is_better(after: Sequence[Report], before: Sequence[Report]) -> bool:
    unjudged = [sum(each.exit_code == 2 for each in reports) for reports in (after, before)]
    return unjudged[0] <= unjudged[1] and len(_errors(after)) < len(_errors(before))


def _certain(reports: Iterable[Report], tried: set[tuple[Edit, ...]], is_single: bool) -> Edits:
    """By file, the changes of errors that were not tried yet; of two on a line, the first."""
    chosen: Edits = defaultdict(list)
    for report, finding in _errors(reports):
        path = Path(finding.file or report.source)
        if not finding.edits or finding.edits in tried or not _is_ours(path):
            continue
        if not _overlap(finding.edits, chosen[path]):
            tried.add(finding.edits)
            chosen[path] += finding.edits
            if is_single:
                break
    return {path: edits for path, edits in chosen.items() if edits}


def _is_ours(path: Path) -> bool:
    """Whether it is a file in the working directory, and not of an environment there."""
    whole = path.resolve()
    is_here = whole.is_relative_to(Path.cwd()) and "site-packages" not in whole.parts
    return is_here and path.is_file()


def _make(path: Path, edits: list[Edit]) -> None:
    """Change a file, which keeps its encoding and the ends of its lines."""
    before = read_source(path)
    after = apply_edits(before, edits)
    _show(path, before, after)
    with path.open("rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
        newline = "\r\n" if file.readline().endswith(b"\r\n") else "\n"
    path.write_text(after, encoding, newline=newline)


def _errors(reports: Iterable[Report]) -> list[tuple[Report, Finding]]:
    return [(r, found) for r in reports for found in r.findings if found.severity == "error"]


def _overlap(mine: Iterable[Edit], others: Iterable[Edit]) -> bool:
    taken = {line for edit in others for line in _lines(edit)}
    return any(line in taken for edit in mine for line in _lines(edit))


def _lines(edit: Edit) -> range:
    return range(edit.line, edit.line + edit.before.count("\n") + 1)


def _show(path: Path, before: str, after: str) -> None:
    """Print what changes, as `git diff` does."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", lineterm=""
    )
    for line in lines:
        click.secho(to_terminal(line), fg=COLOURS.get(line[:1]), err=True)
