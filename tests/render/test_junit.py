"""The report as JUnit XML, for CI."""

import re
from xml.etree import ElementTree

from reports import CANNOT, FAILED, HOSTILE, PASSED, hostile

from grader.render.junit import to_junit
from grader.schema.report import Report


def suites(*reports):
    return list(ElementTree.fromstring(to_junit(list(reports))))


def test_a_report_is_a_suite_and_every_check_and_finding_a_case():
    (suite,) = suites(FAILED)

    assert suite.get("name") == FAILED.title
    assert suite.get("hostname") == FAILED.device
    assert [case.get("name") for case in suite] == [
        "buffers",
        "forward",
        "member-tensor self.mean",
        "host-round-trip x.item()",
    ]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "0")


def test_a_failure_says_why_and_a_warning_is_none():
    (suite,) = suites(FAILED)
    failures = {case.get("name"): case.find("failure") for case in suite}

    assert failures["buffers"].get("message") == "`mean` is not registered"
    assert "line 24" in failures["member-tensor self.mean"].text
    assert "Fix: Register it" in failures["member-tensor self.mean"].text
    assert failures["host-round-trip x.item()"] is None


def test_what_could_not_be_graded_is_an_error_and_no_failure():
    (suite,) = suites(CANNOT)
    error = suite.find("testcase/error")

    assert error.get("message") == "cannot_grade"
    assert error.text == CANNOT.message
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "1")


def test_several_reports_are_several_suites():
    assert [suite.get("failures") for suite in suites(PASSED, FAILED)] == ["0", "2"]


def test_what_xml_cannot_hold_is_replaced_and_all_else_comes_back():
    (suite,) = suites(hostile())
    message = suite.find("testcase/failure").get("message")

    assert message == re.sub("[\x00\x1b]", "\N{REPLACEMENT CHARACTER}", HOSTILE)


def test_a_clean_audit_is_one_passing_case():
    (suite,) = suites(Report("passed", "cuda:0 (simulated)", "Audit of Net", "net.py"))

    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")
