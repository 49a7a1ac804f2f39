"""The report in a terminal."""

import io
from dataclasses import replace

import pytest
from reports import AUDITED, CANNOT, FAILED, PASSED, hostile
from rich.console import Console

from grader.render.text import render_text, to_text


def test_every_check_and_finding_is_there_with_its_sign():
    text = to_text(FAILED)

    assert "✗ NOT YET - 1 of 2 points   judged on cuda:0 (simulated)" in text
    assert "  ✗ buffers  0/1  `mean` is not registered" in text
    assert "  ✓ forward  1/1  runs" in text
    assert "  ✗ member-tensor  self.mean\n    exercises/04_parameter_or_buffer.py:24\n" in text
    assert "    Fix: Register it: `self.register_buffer(" in text
    assert "    More: grader explain member-tensor\n" in text
    assert "  ! host-round-trip  x.item()" in text
    assert "Your code printed\n    epoch 1\n    epoch 2\n" in text
    assert text.endswith("Change it and check again.\n")


def test_a_report_without_checks_says_why():
    assert to_text(CANNOT) == (
        "04 What is trained, what is kept   ada.py\n"
        "✗ CANNOT BE GRADED   judged on no device\n"
        "  PyTorch cannot be imported here.\n"
    )


def test_each_code_says_once_where_to_read_more():
    assert to_text(AUDITED).count("More: grader explain member-tensor") == 1


@pytest.mark.parametrize(
    ("findings", "verdict", "headline", "title"),
    [
        (AUDITED.findings, "failed", "✗ FOUND 2 errors, 1 warning", "What is wrong, and why"),
        (AUDITED.findings[2:], "passed", "! FOUND 1 warning", "What to explain or fix"),
        ((), "passed", "✓ CLEAN", ""),
        ((), "cannot_grade", "✗ CANNOT BE AUDITED", ""),
        (AUDITED.findings, "timeout", "✗ TIME IS UP", "What is wrong, and why"),
    ],
)
def test_an_audit_has_words_of_its_own(findings, verdict, headline, title):
    text = to_text(replace(AUDITED, findings=findings, verdict=verdict))

    assert f"{headline}   judged on" in text
    assert title in text


def test_no_line_ends_in_spaces_and_prose_keeps_to_the_width():
    lines = to_text(FAILED, width=60).splitlines()

    assert [line for line in lines if line != line.rstrip()] == []
    long = [line for line in lines if len(line) > 60]
    assert [line for line in long if "exercises/04" not in line] == []


@pytest.mark.parametrize("width", [20, 40, 80])
def test_where_to_look_is_never_cut(width):
    assert "exercises/04_parameter_or_buffer.py:24\n" in to_text(FAILED, width)


def test_what_a_learner_chose_steers_no_terminal():
    text = to_text(hostile())

    assert "\x1b" not in text
    assert "\x00" not in text
    assert "[red]oops[/red]" in text


@pytest.mark.parametrize(("report", "colour"), [(PASSED, "32"), (FAILED, "31")])
def test_in_a_terminal_the_verdict_has_its_colour_and_nothing_is_lost(report, colour):
    stream = io.StringIO()
    console = Console(
        file=stream, width=100, force_terminal=True, color_system="standard", highlight=False
    )

    console.print(render_text(report), crop=False)

    assert f"\x1b[1;{colour}m" in stream.getvalue()


def test_without_colours_the_verdicts_still_differ():
    assert "✓ PASSED" in to_text(PASSED)
    assert "✗ NOT YET" in to_text(FAILED)
