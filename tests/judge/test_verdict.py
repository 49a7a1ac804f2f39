"""The verdict: what each ending of a probe comes to, and what the report then says."""

import subprocess
import sys

import pytest
from literal import EXPECTED, MEAN, MIXED, RUBRIC, SIMULATED, WEIGHT, evidence, fact, replace

from grader.judge.verdict import judge
from grader.schema import Evidence, Raised, Run, Stage


def test_a_right_answer_passes_and_is_told_why_it_is_right():
    report = judge(evidence(), RUBRIC, EXPECTED, source="ada.py")

    assert (report.verdict, report.score, report.max_score) == ("passed", 6, 6)
    assert (report.device, report.source) == (SIMULATED, "ada.py")
    assert report.title == "04 What is trained, what is kept"
    assert report.findings == ()
    assert report.next_step == f"Our answer: {RUBRIC.reason}"
    assert report.exit_code == 0


def test_a_wrong_answer_fails_with_a_finding_and_a_next_step():
    report = judge(evidence(WEIGHT, fact("running_mean", name="")), RUBRIC, EXPECTED)

    assert report.verdict == "failed"
    assert report.exit_code == 1
    assert report.score == 3
    assert [finding.code for finding in report.findings] == ["member-tensor"]
    assert report.next_step.endswith("grader hint 04")


def test_a_finding_alone_fails_the_check_that_it_belongs_to():
    hard_coded = fact("scratch", name="", role="plain", device="cuda:0")
    given = evidence(WEIGHT, MEAN)
    given = replace(given, structure=replace(given.structure, tensors=(WEIGHT, MEAN, hard_coded)))

    report = judge(given, RUBRIC, EXPECTED)

    failed = [check for check in report.checks if not check.passed]
    assert [check.name for check in failed] == ["forward"]
    assert failed[0].message == report.findings[0].message
    assert (report.verdict, report.score) == ("failed", 5)


def test_an_untouched_starter_is_not_attempted_and_scores_nothing():
    report = judge(evidence(), RUBRIC, EXPECTED, untouched=True)

    assert (report.verdict, report.score, report.exit_code) == ("not_attempted", 0, 1)
    assert "You have not changed the starter yet" in report.message
    assert {check.status for check in report.checks} == {"not counted"}


@pytest.mark.parametrize("ending", ["timeout", "crashed"])
def test_a_probe_that_ended_after_every_check_passed_has_not_all_points(ending):
    report = judge(evidence(ending=ending), RUBRIC, EXPECTED)

    assert (report.verdict, report.score, report.max_score) == (ending, 5, 6)
    assert report.checks[-1].status == "not run"


@pytest.mark.parametrize("ending", ["timeout", "crashed", "out_of_memory", "output_limit"])
@pytest.mark.parametrize("untouched", [True, False])
def test_a_probe_that_ended_early_is_never_a_plain_failure(ending, untouched):
    given = Evidence(SIMULATED, "2.13.0", 7, ending=ending, stage=Stage.TRAINING)

    report = judge(given, RUBRIC, (), untouched=untouched)

    assert report.verdict == ending
    assert report.exit_code == 2
    assert "during the training" in report.message


def test_what_ended_before_any_stage_ended_during_the_import():
    report = judge(Evidence(SIMULATED, "2.13.0", 7, ending="timeout"), RUBRIC, ())

    assert "during the import" in report.message


def test_an_exception_while_the_file_ran_leaves_nothing_to_grade():
    raised = Raised("NameError", "name 'nn' is not defined", 3, "class CenterScale(nn.Module):")
    given = Evidence(SIMULATED, "2.13.0", 7, undefined=raised)

    report = judge(given, RUBRIC, (), source="ada.py")

    assert (report.verdict, report.exit_code, report.checks) == ("not_defined", 2, ())
    assert "Running ada.py raised NameError in line 3: name 'nn' is not" in report.message
    assert "class CenterScale(nn.Module):" in report.message


def test_a_missing_package_is_said_to_be_one():
    raised = Raised("ModuleNotFoundError", "No module named 'einops'", 2, "import einops")

    report = judge(Evidence(SIMULATED, "2.13.0", 7, undefined=raised), RUBRIC, ())

    assert "is it installed where the grader is?" in report.next_step


def test_where_nothing_was_raised_nothing_is_said_to_be():
    given = Evidence(SIMULATED, "2.13.0", 7, undefined=Raised.problem("CenterScale is a function."))

    report = judge(given, RUBRIC, (), source="ada.py")

    assert report.message == "CenterScale is a function."
    assert report.next_step == "Define CenterScale and check again."


def test_a_constructor_that_raised_is_shown_with_its_line_and_how_it_is_called():
    raised = Raised("NameError", "name 'feature' is not defined", 9, "torch.ones(feature)")
    given = Evidence(SIMULATED, "2.13.0", 7, construction=raised)

    report = judge(given, RUBRIC, ())

    assert report.verdict == "failed"
    assert report.message == (
        "The constructor raised NameError in line 9: name 'feature' is not defined\n"
        "    torch.ones(feature)\n"
        "The exercise builds it as CenterScale(features=5)."
    )
    assert {check.message for check in report.checks} == {
        "not run: the module could not be constructed"
    }


def test_what_the_learners_code_broke_elsewhere_is_said_with_its_stage():
    raised = Raised("ValueError", "no state", 14)
    given = Evidence(SIMULATED, "2.13.0", 7, stage=Stage.CONSTRUCTION, broken=raised)

    report = judge(given, RUBRIC, ())

    assert report.message == (
        "During the construction, your code raised ValueError in line 14: no state"
    )
    assert report.exit_code == 1


def test_a_message_that_only_announces_the_next_line_is_told_with_it():
    raised = Raised("RuntimeError", "Error(s) in loading:\n\tMissing key: mean.\nMore.", 5)

    report = judge(evidence(runs=(Run("cuda", raised),)), RUBRIC, EXPECTED)

    forward = next(check for check in report.checks if check.name == "forward")
    assert forward.message.endswith("in line 5: Error(s) in loading: Missing key: mean.")


def test_what_the_learner_printed_is_passed_on():
    assert judge(evidence(printed="hello"), RUBRIC, EXPECTED).printed == "hello"


def test_a_report_is_one_line_in_a_repl():
    report = judge(evidence(runs=(Run("cuda", MIXED),)), RUBRIC, EXPECTED)

    assert repr(report) == f"Report(04 What is trained, what is kept: failed, 5/6, {SIMULATED})"


def test_judging_imports_no_torch():
    code = (
        "import sys, grader.judge.verdict, grader.judge.diagnosis, grader.render.text, "
        "grader.render.html, grader.render.junit, grader.render.data, grader.course.catalog; "
        "grader.course.catalog.all_rubrics(); print('torch' in sys.modules)"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout == "False\n"


@pytest.mark.parametrize(
    ("kind", "message"),
    [("MemoryError", ""), ("RuntimeError", "DefaultCPUAllocator: can't allocate memory: 4 TB")],
)
def test_memory_that_ran_out_is_no_wrong_answer(kind, message):
    given = evidence(runs=(Run("cuda", Raised(kind, message, 9)),))

    report = judge(given, RUBRIC, EXPECTED)

    assert (report.verdict, report.score) == ("out_of_memory", 5)
    assert "during the execution" in report.message


def test_what_tampered_with_the_grader_scores_nothing_and_is_named():
    given = replace(evidence(), ending="tampered", detail="`torch.equal` was replaced")

    report = judge(given, RUBRIC, EXPECTED)

    assert (report.verdict, report.score, report.max_score) == ("tampered", 0, 6)
    assert "`torch.equal` was replaced" in report.message
