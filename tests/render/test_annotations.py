"""The report as GitHub's workflow commands."""

from dataclasses import replace

from reports import AUDITED, CANNOT, FAILED, HOSTILE, PASSED, hostile

from grader.render.annotations import to_annotations


def test_each_finding_stands_at_its_line():
    first, second, third = to_annotations([AUDITED]).splitlines()

    assert first.startswith("::error file=net.py,line=24,title=member-tensor self.mean::")
    assert "%0AFix: Register it: `self.register_buffer(" in first
    assert "line=25" in second
    assert third.startswith("::warning file=net.py,title=host-round-trip x.item()::It waits.")


def test_a_failed_check_and_what_cannot_be_judged_are_errors():
    lines = to_annotations([FAILED, CANNOT]).splitlines()

    assert "title=buffers::`mean` is not registered" in lines[2]
    assert lines[-1] == (
        "::error file=ada.py,title=CANNOT BE GRADED::PyTorch cannot be imported here."
    )


def test_a_clean_report_says_so_without_alarm():
    (line,) = to_annotations([PASSED]).splitlines()

    assert line.startswith("::notice ")


def test_a_learners_words_are_no_command_and_no_property():
    lines = to_annotations([hostile(), replace(CANNOT, message=f"a\n::error::{HOSTILE}")])

    assert all(line.startswith(("::error file=", "::warning file=")) for line in lines.splitlines())
    assert "\x1b" not in lines
    assert "%0A::error::" in lines  # inside the message, where it is text
