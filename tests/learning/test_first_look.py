"""Before the first report tells, it asks which line is to blame, and then says which it is."""

from dataclasses import replace

import pytest

from grader.course.catalog import all_rubrics, exercise_file, find, starter
from grader.learning.first_look import first_look, is_asked, look_at_file, numbered
from grader.learning.journal import SOLUTION, Attempt, keep, note_help, peek
from grader.schema.report import Check, Edit, Finding, Report

RUBRIC = find("03")
SOURCE = '''\
import torch
from torch import nn


class Normalizer(nn.Module):
    """It scales."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(
            mean
        )
        self.std = torch.tensor(std)

    def forward(self, x):
        """Scale."""
        if self.training:
            return x
        return (x - self.mean) / self.std
'''
RAISES = (
    "on CUDA, `forward` raised RuntimeError in line 19: Expected all tensors on cuda:0; and cpu!"
)
CHECKS = (
    Check("buffers", False, 0, 2, "`mean` is not registered"),
    Check("placement", False, 0, 2, "after `.cuda()`, still on the CPU: `self.mean`"),
    Check("training", True, 1, 1, "one step trains"),
    Check.not_run("checkpoint", 1, "it was not built"),
    Check("forward", False, 0, 1, RAISES),
)
MEAN = Finding("member-tensor", "error", "self.mean", 11, "It stays.", "Register it.")
STD = Finding("member-tensor", "error", "self.std", 13, "It stays.", "Register it.")


def report(*findings):
    return Report("failed", "cuda:0", "03", checks=CHECKS, findings=findings, notes=("Look on.",))


def look(*findings):
    return first_look(RUBRIC, report(*findings), SOURCE)


def reply(line, *findings):
    return look(*findings).unfolded(line).message


def test_folded_it_shows_which_checks_fail_and_the_exception_and_names_no_culprit():
    folded = look(MEAN).folded

    assert {check.name: check.message for check in folded.checks} == {
        "buffers": "",
        "placement": "after `.cuda()`, still on the CPU: …",
        "forward": RAISES,
    }
    assert (folded.verdict, folded.findings, folded.notes) == ("failed", (), ())
    assert folded.next_step == "Which line is to blame?"


def test_several_faults_are_counted_and_one_is_enough():
    assert look(MEAN, STD).asked == "Two faults: find one. Which line is to blame?"
    assert reply(10, MEAN, STD) == "You chose line 10: right."
    assert reply(13, MEAN, STD) == "You chose line 13: right."


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("called again: `self.future` keeps a tensor", "called again: …"),
        ("`parameters()` gives 0 tensors; expected: 10", None),
        ("output has shape (8, 2); expected: (8, 5)", None),
        ("it lacks `mean`", ""),
        ("it raised StopIteration in line 27. Ask the input for its device.",
         "it raised StopIteration in line 27"),
        ("a step raised KeyError in line 3 of base.py: 'x'", None),
    ],
)  # fmt: skip
def test_a_check_shows_its_symptom(message, shown):
    check = replace(CHECKS[0], message=message)
    folded = first_look(RUBRIC, replace(report(MEAN), checks=(check,)), SOURCE).folded

    assert folded.checks[0].message == (message if shown is None else shown)


def test_the_choices_are_the_statements_of_the_class_without_docstrings():
    choices = look(MEAN).choices

    assert [choice.line for choice in choices] == [8, 9, 10, 13, 15, 17, 18, 19]
    assert numbered(choices[2]).splitlines() == [
        "  10      self.mean = torch.tensor(",
        "              mean",
        "          )",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (11, "You chose line 10: right."),
        (9, "You chose line 9. The finding is in line 10, "
         "`self.mean = torch.tensor( mean )`."),
        (19, "You chose line 19. PyTorch raises there. The finding is in line 10, "
         "`self.mean = torch.tensor( mean )`."),
        (0, ""),
        (77, ""),
    ],
)  # fmt: skip
def test_the_report_says_where_it_is(line, expected):
    assert reply(line, MEAN) == expected
    assert look(MEAN).unfolded(line).findings == (MEAN,)


def test_a_line_that_the_fix_changes_is_right_too():
    edited = replace(MEAN, edits=(Edit(17, "if self.training:", ""),))

    assert look(edited).right == (10, 17)


def test_an_input_that_stays_behind_may_be_blamed_on_its_mover():
    moved = SOURCE.replace("            return x\n", '            return x.to("cuda")\n')
    stays = replace(MEAN, code="input-transfer", line=19)

    assert first_look(RUBRIC, report(stays), moved).right == (18, 19)


@pytest.mark.parametrize(
    "finding",
    [
        replace(MEAN, severity="warning"),
        replace(MEAN, file="base.py"),
        replace(MEAN, line=0),
        replace(MEAN, line=1),
    ],
)
def test_nothing_is_asked_where_no_error_has_a_line_in_the_class(finding):
    assert look(finding) is None


def test_nothing_is_asked_about_code_that_cannot_be_parsed_or_is_gone(tmp_path):
    assert first_look(RUBRIC, report(MEAN), "%timeit\n" + SOURCE) is None
    assert look_at_file(RUBRIC, report(MEAN), tmp_path / "gone.py") is None


@pytest.mark.parametrize(
    ("blamed", "over", "found"),
    [
        ((11,), (True,), True),
        ((9, 19), (False, True), False),
        ((9, 10), (False, True), False),
        ((0,), (True,), None),
        ((9, 0), (False, True), False),
    ],
)
def test_the_right_line_ends_the_question_and_so_does_a_second_one(blamed, over, found):
    assert is_asked(RUBRIC)
    ended = [look(MEAN).blame(line)[0] for line in blamed]

    assert tuple(ended) == over
    assert peek().looks["03"].found_at_once is found
    assert not is_asked(RUBRIC)
    assert is_asked(find("04"))


def test_a_miss_leaves_the_report_folded_and_asks_again():
    missed = look(MEAN).after_a_miss(9)

    assert is_asked(RUBRIC)
    assert missed.next_step == (
        "Line 9 is not to blame. You have another try. Which line is to blame?"
    )
    assert missed.findings == ()
    assert look(MEAN).miss(19) == ("Line 19: PyTorch raises there. Where was that tensor made?")


def test_whoever_knows_the_report_or_the_solution_is_not_asked():
    keep(lambda journal: journal.add_attempt(Attempt("03", "failed", 1, 6, "cuda:0")))
    note_help("04", 1)
    note_help("05", SOLUTION)

    assert [is_asked(find(number)) for number in ("03", "04", "05")] == [False, True, False]


def test_nobody_is_asked_where_nothing_is_kept(monkeypatch):
    monkeypatch.setenv("CI", "true")
    monkeypatch.delenv("GRADER_JOURNAL")

    assert not is_asked(RUBRIC)


def test_each_line_of_a_method_that_leaves_something_out_is_right():
    class_lines = (
        "class Normalizer:\n"
        "    def _apply(self, fn):\n"
        "        for child in self.children:\n"
        "            fn(child)\n"
        "        return self\n\n"
        "    def forward(self, x):\n"
        "        return x\n"
    )
    forgets = replace(MEAN, code="to-override", where="self._apply", line=2)
    asked = first_look(RUBRIC, report(forgets), class_lines)

    assert asked.right == (2, 3, 4, 5)
    assert first_look(RUBRIC, report(replace(MEAN, line=2)), class_lines).right == (2,)


@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)
def test_every_statement_of_a_starter_can_be_shown_with_its_line(rubric, course):
    lines = starter(rubric.stem).splitlines()
    head = f"class {rubric.class_name}"
    cls = next(i for i, line in enumerate(lines, 1) if line.startswith(head))
    init = next(i for i, line in enumerate(lines, 1) if i > cls and "def __init__" in line)
    somewhere = next(i for i in range(init, len(lines)) if lines[i - 1].endswith(":")) + 1
    finding = replace(MEAN, line=somewhere)
    asked = look_at_file(rubric, report(finding), exercise_file(rubric.stem))

    for choice in asked.choices:
        assert choice.text.splitlines()[0].strip() == lines[choice.line - 1].strip()
    assert asked.right == (somewhere,)
