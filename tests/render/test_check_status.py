"""A check that was not run, or does not count, looks like neither a pass nor a failure."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from reports import FAILED

from grader.render.annotations import to_annotations
from grader.render.data import to_object
from grader.render.html import to_html
from grader.render.junit import to_junit
from grader.render.text import to_text
from grader.schema.report import Check, Edit, Finding

NOT_RUN = Check("training", False, 0, 1, "not run: the grader did not get that far", "not run")
NOT_COUNTED = Check("forward", True, 0, 3, "right in the starter already", "not counted")
REPORT = replace(FAILED, checks=(FAILED.checks[0], NOT_RUN, NOT_COUNTED), findings=())


def test_the_terminal_shows_a_sign_and_a_word_of_its_own():
    lines = [" ".join(line.split()) for line in to_text(REPORT).splitlines()]

    assert "○ training not run the grader did not get that far" in lines
    assert "○ forward not counted right in the starter already" in lines
    assert not any("✓" in line for line in lines)


def test_a_page_names_the_state_for_who_cannot_see_the_sign():
    page = to_html(REPORT)

    assert page.count('aria-label="not run">○') == 1
    assert page.count('aria-label="not counted">○') == 1
    assert 'aria-label="passed"' not in page


def test_junit_skips_it_and_github_does_not_complain_of_it():
    root = ElementTree.fromstring(to_junit([REPORT]))

    assert [element.get("message") for element in root.iter("skipped")] == [
        NOT_RUN.message,
        NOT_COUNTED.message,
    ]
    assert len(list(root.iter("failure"))) == 1
    assert to_annotations([REPORT]).count("::error") == 1


def test_json_has_the_state():
    states = [check["status"] for check in to_object(REPORT)["checks"]]

    assert states == ["run", "not run", "not counted"]


QUOTED = Finding(
    "member-tensor",
    "error",
    "self.mean",
    3,
    "It stays.",
    "Register it: `b`.",
    "self.mean = <b>1</b>",
    (Edit(3, "a", "b"),),
)


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        (to_text, "      self.mean = <b>1</b>\n"),
        (to_html, "<code>self.mean = &lt;b&gt;1&lt;/b&gt;</code>"),
        (lambda report: to_junit([report]), "    self.mean = &lt;b&gt;1&lt;/b&gt;\n"),
    ],
)
def test_the_learners_line_is_quoted(shown, line):
    assert line in shown(replace(REPORT, findings=(QUOTED,)))


def test_how_many_faults_are_fixed_stands_in_the_headline():
    report = replace(REPORT, fixed="1 of 2 faults fixed")

    assert "✗ NOT YET - 1 of 2 faults fixed, " in to_text(report)
    assert "NOT YET - 1 of 2 faults fixed, " in to_html(report)
