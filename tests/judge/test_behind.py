"""What only helped calls show is told last, with a note, and changes neither verdict nor points."""

import pytest
from literal import EXPECTED, MIXED, RUBRIC, SIMULATED, WEIGHT, evidence, output, replace

from grader.judge import judge_audit
from grader.judge.fixes import SourceFile, Sources
from grader.judge.verdict import judge
from grader.schema import Evidence, Helped, Operand, Phase, Run, Structure

ON_CUDA = Operand("cuda:0", (5,), "input", "x")


def met(line, name="torch.zeros", **changes):
    """An exception on a line that used what the same line made on the CPU."""
    made = Operand("cpu", (5,), "made", name, line)
    return replace(MIXED, line=line, operands=(ON_CUDA, made), **changes)


def helped(phase, first, *further, **changes):
    return Run("cuda:0", first, phase=phase, helped=Helped((first, *further), **changes))


def audited(*runs):
    first = Run("cpu", None, EXPECTED, Phase.CPU)
    return Evidence(SIMULATED, "2.13.0", 7, structure=Structure((WEIGHT,)), runs=(first, *runs))


def lines(report):
    return [finding.line for finding in report.findings]


def test_what_really_raised_is_told_first():
    report = judge_audit(audited(helped(Phase.CUDA, met(30), met(12), met(40))), "Net")

    assert lines(report) == [30, 12, 40]
    assert report.notes == (
        "PyTorch stops at line 30. To see what lies behind, the grader moved each misplaced tensor "
        "to the device and called on: that showed 2 of the findings above.",
    )


def test_without_further_findings_there_is_no_note():
    report = judge_audit(audited(helped(Phase.CUDA, met(30))), "Net")

    assert (lines(report), report.notes) == ([30], ())


def test_the_note_names_another_file():
    first, other = met(30, file="layers.py"), met(12, file="layers.py")

    sources = Sources(SourceFile("", "net.py"), {"layers.py": SourceFile("", "layers.py")})

    report = judge_audit(audited(helped(Phase.CUDA, first, other)), "Net", "net.py", sources)

    assert report.notes[0].startswith("PyTorch stops at line 30 of layers.py. ")


def test_an_operation_on_two_lines_is_two_findings_and_on_one_line_one():
    run = helped(Phase.CUDA, met(30), met(12), met(12, operation="torch.add"))

    assert lines(judge_audit(audited(run), "Net")) == [30, 12]


def test_verdict_and_findings_are_those_of_the_real_calls_if_these_show_no_error():
    unknown = replace(MIXED, message="no kernel image is available")
    run = replace(helped(Phase.CUDA, unknown, met(12)), raised=unknown)

    report = judge_audit(audited(run), "Net")

    assert (report.verdict, report.findings) == ("cannot_grade", ())


@pytest.mark.parametrize("further", [(), (met(12, "torch.ones"), met(40, "torch.eye"))])
def test_points_of_an_exercise_are_those_of_the_real_calls(further):
    run = helped(Phase.CUDA, met(30), *further, outputs=(output("cpu"),))

    probed = evidence()
    seen = replace(probed, runs=(*probed.runs, run), is_audited=True)

    report = judge(seen, RUBRIC, EXPECTED)

    assert lines(report) == [30, *(raised.line for raised in further)]
    assert [check.name for check in report.checks if not check.passed] == ["forward"]
    assert len(report.notes) == bool(further)


def test_numbers_of_an_instance_that_was_helped_are_not_compared():
    later = Run("cpu", None, (output(numbers=(7.0, 8.0)),), Phase.MOVED_BACK)
    again = Run("cpu", None, EXPECTED, Phase.CPU_AGAIN)

    def codes(*runs):
        return [f.code for f in judge_audit(audited(again, *runs, later), "Net").findings]

    assert codes(Run("cuda:0", None, (output("cuda:0"),), Phase.MOVED)) == ["stale-device"]
    assert codes(helped(Phase.MOVED, replace(MIXED, message="refused"))) == []
