"""A baseline: the findings that a project has today, so that only what is new fails.

It names each finding by its file, its code, the attribute or call, and the text of its line, and by
no number of a line: a finding is known again after lines above it were added or removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import PurePath

from grader.errors import GraderError
from grader.judge.fixes.source_file import SourceFile
from grader.judge.suppression.comments import classes_around
from grader.schema import Finding, Notice, Report

FORMAT = 1
_LINE_NUMBER = re.compile(r"\bline \d+")


class BaselineError(GraderError, ValueError):
    """A baseline cannot be read. The message says why, and how to write it again."""


@dataclass(frozen=True, order=True)
class Known:
    """What a finding is known by, wherever its lines are."""

    file: str
    code: str
    where: str
    source_line: str


def known_by(report: Report, finding: Finding) -> Known:
    where = _LINE_NUMBER.sub("line", finding.where)
    return Known(_portable(finding.file or report.source), finding.code, where, finding.source_line)


def write_baseline(reports: Iterable[Report]) -> str:
    """The findings of all reports, as JSON with one finding a line."""
    known = {known_by(report, finding) for report in reports for finding in report.findings}
    lines = (json.dumps(asdict(entry), ensure_ascii=False) for entry in sorted(known))
    listed = ",\n    ".join(lines)
    return f'{{\n  "format": {FORMAT},\n  "findings": [\n    {listed}\n  ]\n}}\n'


def read_baseline(text: str, name: str) -> frozenset[Known]:
    """What `write_baseline` wrote.

    Args:
        text: of the file.
        name: of the file, for the message.

    Raises:
        BaselineError: it is something else, or of another version.
    """
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']}, not {FORMAT}")
        return frozenset(Known(**entry) for entry in document["findings"])
    except (ValueError, TypeError, KeyError) as error:
        raise BaselineError(
            f"{name} is no baseline of ours ({error}). Write it again: "
            f"grader audit … --write-baseline {name}"
        ) from None


def unused_entries(
    known: Iterable[Known], reports: Iterable[Report], text_at: Callable[[str], str]
) -> Iterator[Notice]:
    """A notice on each entry whose finding is gone: its line, or what was wrong with it.

    Of a line that is still there, that is certain where each class around it was audited in full.

    Args:
        known: the entries.
        reports: with all findings, before any was left out.
        text_at: the text of a file by its printed path, `""` where there is none.
    """
    reports = list(reports)
    met = {known_by(report, finding) for report in reports for finding in report.findings}
    audited = {
        (_portable(cls.file or report.source), cls.path)
        for report in reports
        for cls in (report.classes or () if report.is_complete else ())
    }
    for entry in sorted(set(known) - met):
        code = SourceFile(text_at(entry.file))
        lines = [i for i, line in enumerate(code.lines, 1) if line.strip() == entry.source_line]
        around = [{(entry.file, name) for name in classes_around(i, code)} for i in lines]
        if all(classes and classes <= audited for classes in around):
            yield Notice(
                0,
                f"{entry.code} of {entry.where} in {entry.file} is gone",
                "The audit no longer finds what this entry of the baseline leaves out. Write the "
                "baseline again with --write-baseline, or remove the entry.",
            )


def _portable(file: str) -> str:
    """A path that is the same on another machine: in an installed package, from there on."""
    path = PurePath(file)
    for folder in ("site-packages", "dist-packages"):
        if folder in path.parts:
            return "/".join(path.parts[path.parts.index(folder) + 1 :])
    return path.as_posix()
