"""Audits as SARIF 2.1.0, the format in which code scanning keeps the results of static analysis.

The names are the standard's: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from grader.judge import RULES, UNUSED, Code, known_by, placed
from grader.loading import text_at
from grader.render.parts import file_of, headline
from grader.schema import Finding, Notice, Report, exit_code

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PACKAGE = "wheres-my-tensor"
CODES = [*(code.value for code in Code), UNUSED]
LEVELS = {2: "error", 3: "warning"}  # by exit code


def to_sarif(reports: list[Report], notices: Iterable[Notice] = ()) -> str:
    """One log with one run, which holds the findings of every report."""
    run = {
        "tool": {"driver": _driver()},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation([*reports, *notices])],
        "results": [_result(report, finding) for report in reports for finding in report.findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def _driver() -> dict[str, Any]:
    """The tool, and a rule for each code."""
    driver: dict[str, Any] = {"name": "grader audit", "rules": [_rule(code) for code in CODES]}
    with suppress(PackageNotFoundError):  # run from a folder that is not installed
        driver["version"] = version(PACKAGE)
    return driver


def _rule(name: str) -> dict[str, Any]:
    if name == UNUSED:
        text = "A comment marks nothing as meant."
        return {"id": name, "shortDescription": {"text": text}}
    code = Code(name)
    rule = RULES[code]
    return {
        "id": code.value,
        "shortDescription": {"text": rule.summary.replace("`", ""), "markdown": rule.summary},
        "help": {"text": f"grader explain {code.value}"},
        "defaultConfiguration": {"level": rule.severity},
        **_help_address(code),
    }


def _help_address(code: Code) -> dict[str, str]:
    """The page of a finding, once the project has an address."""
    with suppress(PackageNotFoundError):
        for entry in metadata(PACKAGE).get_all("Project-URL") or ():
            label, _, address = entry.partition(", ")
            if label == "Documentation" and "/OWNER/" not in address:
                return {"helpUri": f"{address}/findings/{code.value}.md"}
    return {}


def _invocation(said: list[Report | Notice]) -> dict[str, Any]:
    """Whether every module could be audited, and a notification of each that was not, in full."""
    return {
        "executionSuccessful": exit_code(said) != 2,
        "toolExecutionNotifications": [notified for each in said for notified in _notified(each)],
    }


def _notified(said: Report | Notice) -> Iterator[dict[str, Any]]:
    level = LEVELS.get(said.exit_code, "note")
    title = f"{said.title}: {headline(said)}" if isinstance(said, Report) else said.title
    if said.message or level != "note":
        text = "\n".join(filter(None, (title, said.message)))
        notification: dict[str, Any] = {"level": level, "message": {"text": text}}
        if isinstance(said, Report) and said.source:
            location = {"physicalLocation": {"artifactLocation": _artifact(said.source)}}
            notification["locations"] = [location]
        yield notification


def _result(report: Report, finding: Finding) -> dict[str, Any]:
    text = f"{finding.message}\nFix: {finding.fix}"
    file = file_of(report, finding)
    changes = _replacements(text_at(file), finding)
    change = {"artifactLocation": _artifact(file), "replacements": changes}
    fix = {"description": {"text": finding.fix}, "artifactChanges": [change]}
    return {
        "ruleId": finding.code,
        "ruleIndex": CODES.index(finding.code),
        "partialFingerprints": {"finding/v1": _fingerprint(report, finding)},
        "level": finding.severity,
        "message": {"text": text},
        "locations": [_location(report, finding)],
        **({"fixes": [fix]} if changes else {}),
    }


def _replacements(text: str, finding: Finding) -> list[dict[str, Any]]:
    """The edits of a finding; none if the file is not the one that was judged."""
    replacements = []
    for edit in finding.edits:
        try:
            begin, after = placed(text, edit)
        except ValueError:
            return []
        end = begin + len(edit.before)
        region = {**_place(text, begin, "start"), **_place(text, end, "end")}
        replacements.append({"deletedRegion": region, "insertedContent": {"text": after}})
    return replacements


def _place(text: str, offset: int, which: str) -> dict[str, int]:
    line = text.count("\n", 0, offset) + 1
    return {f"{which}Line": line, f"{which}Column": offset - text.rfind("\n", 0, offset)}


def _fingerprint(report: Report, finding: Finding) -> str:
    """A hash of what the finding is known by, so that it is the same one on other lines."""
    known = repr(known_by(report, finding))
    return blake2b(known.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _location(report: Report, finding: Finding) -> dict[str, Any]:
    """The line, if it is in a file, and the path of the attribute or the call."""
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": finding.where}]}
    if file := file_of(report, finding):
        physical: dict[str, Any] = {"artifactLocation": _artifact(file)}
        if finding.line:
            physical["region"] = _region(file, finding)
        location["physicalLocation"] = physical
    return location


def _region(file: str, finding: Finding) -> dict[str, Any]:
    """The line, and the columns of its code where the file is the one that was judged."""
    region: dict[str, Any] = {"startLine": finding.line}
    if finding.source_line:
        region["snippet"] = {"text": finding.source_line}
        line = "".join(text_at(file).split("\n")[finding.line - 1 : finding.line])
        if line.strip() == finding.source_line:
            column = len(line) - len(line.lstrip()) + 1
            region |= {"startColumn": column, "endColumn": column + len(finding.source_line)}
    return region


def _artifact(file: str) -> dict[str, str]:
    """A path from the working directory as a relative URI, as code scanning wants it."""
    path = Path(file)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": "%SRCROOT%"}
