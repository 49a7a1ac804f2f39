"""An audit as SARIF, held to the schema of the standard."""

import json
from dataclasses import replace
from email.message import Message
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from reports import AUDITED, CANNOT, FAILED, PASSED, hostile

from grader.judge.codes import Code
from grader.judge.suppression.comments import UNUSED
from grader.render.sarif import to_sarif
from grader.schema.report import Edit, Report

# From @microsoft/jest-sarif 1.0.0-beta.0, under the MIT licence.
SCHEMA = json.loads((Path(__file__).parent / "sarif" / "sarif-2.1.0.json").read_text("utf-8"))
ELSEWHERE = replace(AUDITED.findings[0], file="models/my net.py")
LIBRARY = replace(AUDITED.findings[0], file="/usr/lib/net.py")
LATE = replace(PASSED, left_out=("training: 32 s were used up",), message="Not looked into")


def run_of(*reports: Report) -> dict[str, Any]:
    log = json.loads(to_sarif(list(reports)))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    (run,) = log["runs"]
    return run


@pytest.mark.parametrize(
    "report", [PASSED, FAILED, AUDITED, CANNOT, LATE, hostile(), replace(AUDITED, source="")]
)
def test_every_report_fits_the_schema(report: Report):
    assert run_of(report)["tool"]["driver"]["name"] == "grader audit"


def test_no_report_fits_the_schema_too():
    assert run_of()["results"] == []


def test_the_schema_refuses_what_is_no_sarif():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SCHEMA).validate({"version": "2.1.0"})


def test_a_finding_is_a_result_of_its_rule_at_its_line():
    run = run_of(AUDITED)
    result = run["results"][0]

    assert (result["ruleId"], result["level"]) == ("member-tensor", "error")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "member-tensor"
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "net.py"
    assert location["physicalLocation"]["region"]["startLine"] == 24
    assert location["logicalLocations"] == [{"fullyQualifiedName": "self.mean"}]


def test_columns_and_changes_are_told_where_the_file_is_the_one_that_was_judged(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    line = "self.mean = torch.ones(3)"
    Path("net.py").write_text(f"class Net:\n    def __init__(self):\n        {line}\n")
    edit = Edit(3, line, "with torch.no_grad():\n    pass")
    found = replace(AUDITED.findings[0], line=3, source_line=line, edits=(edit,))
    report = replace(AUDITED, findings=(found,))

    (result,) = run_of(report)["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startColumn"], region["endColumn"]) == (9, 9 + len(line))
    (change,) = result["fixes"][0]["artifactChanges"]
    (replaced,) = change["replacements"]
    assert replaced["deletedRegion"] == {
        "startLine": 3,
        "startColumn": 9,
        "endLine": 3,
        "endColumn": 9 + len(line),
    }
    assert replaced["insertedContent"]["text"] == f"with torch.no_grad():\n{' ' * 12}pass"

    Path("net.py").write_text("class Net: pass\n")
    (result,) = run_of(report)["results"]
    assert "fixes" not in result
    assert "startColumn" not in result["locations"][0]["physicalLocation"]["region"]


def test_a_rule_has_a_page_once_the_project_has_an_address(monkeypatch):
    def about(name: str) -> Message:
        message = Message()
        message["Project-URL"] = f"Documentation, https://github.com/{owner}/course/tree/main/docs"
        return message

    monkeypatch.setattr("grader.render.sarif.metadata", about)
    owner = "OWNER"
    assert "helpUri" not in run_of()["tool"]["driver"]["rules"][0]
    owner = "ada"
    first, *_ = run_of()["tool"]["driver"]["rules"]
    page = f"docs/findings/{first['id']}.md"
    assert first["helpUri"] == f"https://github.com/ada/course/tree/main/{page}"
    assert Path(__file__).parents[2].joinpath(page).is_file()


def test_each_file_is_named_as_an_address():
    elsewhere, library = run_of(replace(AUDITED, findings=(ELSEWHERE, LIBRARY)))["results"]

    files = [result["locations"][0]["physicalLocation"] for result in (elsewhere, library)]
    assert files[0]["artifactLocation"] == {
        "uri": "models/my%20net.py",
        "uriBaseId": "%SRCROOT%",
    }
    assert files[1]["artifactLocation"] == {"uri": "file:///usr/lib/net.py"}


def test_a_rule_for_each_code():
    rules = run_of()["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == [*(code.value for code in Code), UNUSED]


@pytest.mark.parametrize(
    ("report", "successful", "levels"),
    [(PASSED, True, []), (CANNOT, False, ["error"]), (LATE, True, ["warning"])],
)
def test_what_could_not_be_looked_at_is_notified(
    report: Report, successful: bool, levels: list[str]
):
    (invocation,) = run_of(report)["invocations"]

    assert invocation["executionSuccessful"] is successful
    assert [
        notification["level"] for notification in invocation["toolExecutionNotifications"]
    ] == levels
