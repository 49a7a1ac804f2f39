"""Reports as JUnit XML, which every CI system shows: a test suite a report, a test case a check."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from grader.render.parts import file_of, headline, quoted
from grader.schema import Check, Finding, Notice, Report

COUNTED = (
    ("tests", "testcase"),
    ("failures", "failure"),
    ("errors", "error"),
    ("skipped", "skipped"),
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(reports: list[Report], notices: Iterable[Notice] = ()) -> str:
    root = ElementTree.Element("testsuites", name="grader")
    for report in reports:
        _suite(root, report)
    for notice in notices:
        title = without_controls(notice.title)
        suite = ElementTree.SubElement(root, "testsuite", name="grader audit")
        case = ElementTree.SubElement(suite, "testcase", classname="grader audit", name=title)
        _child(case, "error" if notice.exit_code else "skipped", title, notice.message)
        _count(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _suite(root: ElementTree.Element, report: Report) -> None:
    title = without_controls(report.title)
    suite = ElementTree.SubElement(root, "testsuite", name=title, hostname=report.device)
    for check in report.checks:
        _case(suite, title, check, report)
    for finding in report.findings:
        _finding_case(suite, title, report, finding)
    if report.exit_code == 0 and not report.checks and not report.findings:
        ElementTree.SubElement(suite, "testcase", classname=title, name=report.verdict)
    if report.exit_code == 2:
        case = ElementTree.SubElement(suite, "testcase", classname=title, name=report.verdict)
        _child(case, "error", report.verdict, report.message)
    elif report.left_out:
        case = ElementTree.SubElement(suite, "testcase", classname=title, name="left out")
        _child(case, "skipped", headline(report), "\n".join(report.left_out))
    _count(suite)


def _count(suite: ElementTree.Element) -> None:
    for attribute, tag in COUNTED:
        suite.set(attribute, str(len(suite.findall(f".//{tag}"))))


def _case(suite: ElementTree.Element, title: str, check: Check, report: Report) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=title, name=check.name)
    if check.status != "run":
        _child(case, "skipped", check.message, "")
    elif not check.passed:
        _child(case, "failure", check.message, "")


def _finding_case(suite: ElementTree.Element, title: str, report: Report, finding: Finding) -> None:
    name = without_controls(f"{finding.code} {finding.where}")
    case = ElementTree.SubElement(suite, "testcase", classname=title, name=name)
    if file := without_controls(file_of(report, finding)):
        case.set("file", file)
    if finding.line:
        case.set("line", str(finding.line))
    line = f"    {quoted(finding.source_line)}\n" if finding.source_line else ""
    at = f"{file}, line {finding.line}" if file else f"line {finding.line}"
    text = f"{at}: {finding.message}\n{line}Fix: {finding.fix}"
    if finding.severity == "error":
        _child(case, "failure", finding.message, text)
    else:
        ElementTree.SubElement(case, "system-out").text = without_controls(text)


def _child(case: ElementTree.Element, tag: str, message: str, text: str) -> None:
    child = ElementTree.SubElement(case, tag, message=without_controls(message))
    child.text = without_controls(text)


def without_controls(text: str) -> str:
    """XML has no place for control characters, and a learner's message may hold some."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
