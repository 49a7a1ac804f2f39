"""What an audit tells: of a package, and without what is meant; and what `--fix` changes."""

from __future__ import annotations

import difflib
import sys
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import click

from grader import auditing
from grader.auditing import AuditOptions
from grader.cli.prompts import to_terminal
from grader.cli.reports import print_data, print_unjudged
from grader.judge import Known, apply_edits, are_apart, count, selected_findings, unused_entries
from grader.judge import write_baseline as written
from grader.loading import read_source, text_at
from grader.schema import Edit, Notice, Report, exit_code


@dataclass(frozen=True)
class Meant:
    """What the options of a command say is meant; they replace those of pyproject.toml.

    Attributes:
        select: the only codes to tell.
        ignore: codes not to tell.
        baseline: a file of findings that are known, if any.
        write_baseline: the file to write; then all are new.
    """

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    baseline: Path | None
    write_baseline: Path | None
    _known: set[Known] = field(default_factory=set)
    _reports: list[Report] = field(default_factory=list)

    def selection(self, project: AuditOptions) -> Callable[[Report], Report]:
        """What takes from a report the findings that are meant."""
        project = project.overridden(self.select, self.ignore, self.baseline)
        choice = (replace(project, baseline=None) if self.write_baseline else project).choice()
        self._known.update(choice.known)

        def selected(report: Report) -> Report:
            self._reports.append(report)
            return selected_findings(report, choice)

        return selected

    def unused(self) -> Iterator[Notice]:
        """A notice on each entry of a baseline whose bug none of the reports until then has."""
        yield from unused_entries(self._known, self._reports, text_at)


def save_baseline(path: Path, reports: list[Report], notices: list[Notice]) -> NoReturn:
    """Write the findings to a file, and exit: 0, or as reports do that could not judge."""
    path.write_text(written(reports), encoding="utf-8")
    findings = count(sum(len(report.findings) for report in reports), "finding")
    click.echo(f"{path} holds {findings}. With --baseline {path}, only what is new is told.")
    sys.exit(exit_code(print_unjudged(reports, notices)))


COLOURS: dict[str | None, dict[str, Any]] = {
    "bad": {"fg": "red"}, "doubt": {"fg": "yellow"}, "good": {"fg": "green"}, "open": {"dim": True},
}  # fmt: skip


def survey(
    name: str,
    recipes: Path | None,
    device: Any,
    seconds: float,
    jobs: int | None,
    selected: Callable[[Report], Report],
) -> auditing.Survey:
    """Audit a package's classes.

    Args:
        name: a package, or a folder.
        recipes: the TOML file with its recipes; the nearest pyproject.toml, unless given.
        device: what to judge on.
        seconds: the longest that one audit may take.
        jobs: how many processes; one for each processor, unless given.
        selected: takes from a report the findings that are meant.
    """
    package = auditing.find_package(name)
    start = Path(package.path) if package.path else Path.cwd()
    told_by_project = auditing.read_recipes(recipes or auditing.nearest_pyproject(start))
    seen = auditing.survey_package(package, told_by_project, device, seconds, jobs, _progress)
    entries = (
        replace(entry, report=selected(entry.report)) if entry.report else entry
        for entry in seen.entries
    )
    return replace(seen, entries=tuple(entries))


def show_survey(seen: auditing.Survey, form: str, page: Path | None, strict: bool) -> NoReturn:
    """Print a survey, write its page if one is asked for, and exit with what it says."""
    if page:
        page.write_text(auditing.survey_page(seen), encoding="utf-8")
        click.echo(f"Page: {page}", err=True)
    if form == "json":
        click.echo(auditing.survey_json(seen))
    elif form == "text":
        for line in auditing.survey_lines(seen):
            click.secho(line.text, **COLOURS.get(line.mood, {}))
    else:
        print_data(seen.reports, form, seen.notices)
    sys.exit(exit_code([*seen.reports, *seen.notices], strict))


def _progress(entry: Any, total: int) -> None:
    """A dot for each class, where a person watches."""
    if sys.stderr.isatty():
        click.echo("." if entry.report else "-", nl=False, err=True)


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
            elif are_apart(finding.edits, chosen[path]):
                chosen[path] += finding.edits
    for path, edits in chosen.items():
        _make(path, edits)
    for path in sorted(elsewhere):
        click.echo(f"{path} is outside of {Path.cwd()}: to change it, run this there.", err=True)
    made = sum(map(len, chosen.values()))
    told = f"{count(made, 'change')} made." if made else "No change was made."
    click.echo(f"{told} What the audit says now:\n", err=True)


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


def _show(path: Path, before: str, after: str) -> None:
    """Print what changes, as `git diff` does."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", lineterm=""
    )
    for line in lines:
        click.secho(to_terminal(line), fg=DIFF_COLOURS.get(line[:1]), err=True)
