"""A report as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from grader.render.parts import file_of
from grader.schema import Finding, Notice, Report


def to_json(reports: list[Report], notices: Iterable[Notice] = ()) -> str:
    """One report as an object, several as an array; notices are notes of the last."""
    objects = [to_object(report) for report in reports]
    for notice in notices:
        objects[-1]["notes"].append(f"{notice.title}. {notice.message}")
    return json.dumps(objects[0] if len(objects) == 1 else objects, indent=2, ensure_ascii=False)


def to_object(report: Report) -> dict[str, Any]:
    """The report's fields; the design fixes the names of the first six."""
    return {
        "verdict": report.verdict,
        "score": report.score,
        "max_score": report.max_score,
        "device": report.device,
        "checks": [asdict(check) for check in report.checks],
        "findings": [_finding(report, finding) for finding in report.findings],
        "title": report.title,
        "source": report.source,
        "message": report.message,
        "notes": list(report.notes),
        "left_out": list(report.left_out),
        "meant": report.meant,
        "flags": [asdict(flag) for flag in report.flags],
    }


def _finding(report: Report, finding: Finding) -> dict[str, Any]:
    """The finding's fields, with the file that its line is in."""
    return {**asdict(finding), "file": file_of(report, finding)}
