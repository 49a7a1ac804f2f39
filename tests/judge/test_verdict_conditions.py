"""The conditions of a verdict, of its message and of what findings are merged into."""

import pytest
from literal import EXPECTED, MEAN, RUBRIC, SIMULATED, WEIGHT, evidence, replace

from grader.judge.audit import judge_audit
from grader.judge.diagnosis import deduplicate
from grader.judge.findings.patterns import exceptions, faults_in_exceptions
from grader.judge.fixes.fix import CodeFix, Fault
from grader.judge.verdict import VOID, judge, with_memory_used_up
from grader.judge.wording import advice, count, describe, join_names, on_device, op_name
from grader.schema import (
    Checkpoint,
    Evidence,
    Placed,
    Raised,
    Refused,
    Run,
    Skipped,
    Stage,
    Structure,
    Training,
)
from grader.schema.report import Edit

RAISED = Raised("ValueError", "no", 12, "return no")
SKIPPED = (Skipped(Stage.TRAINING, "training", "31 s were used up"),)
OF_ITS_AUDIT = (Skipped(Stage.CONTROL, "control", "31 s were used up"),)
BROKEN = {"broken": RAISED, "stage": Stage.TRAINING, "training": None, "checkpoint": None}
FULL = Raised("MemoryError", "", 3)


def of(untouched=False, source="ada.py", **changes):
    return judge(evidence(**changes), RUBRIC, EXPECTED, untouched=untouched, source=source)


@pytest.mark.parametrize(
    ("changes", "verdict", "message"),
    [
        ({}, "passed", ""),
        ({"construction": RAISED}, "failed", "The exercise builds it as CenterScale("),
        (BROKEN, "failed", "During the training, your code raised ValueError in line 12: no"),
        (BROKEN | {"broken": Raised.problem("It is odd.")}, "failed", "It is odd."),
        ({"skipped": SKIPPED}, "cannot_grade", "31 s were used up"),
        ({"skipped": OF_ITS_AUDIT}, "passed", ""),
        ({"ending": "tampered"}, "tampered", ""),
        ({"undefined": RAISED}, "not_defined", "Running ada.py raised ValueError in line 12: no"),
        ({"undefined": RAISED, "ending": "timeout"}, "timeout", "still running"),
    ],
)
def test_what_a_probe_comes_to(changes, verdict, message):
    report = of(**changes)

    assert report.verdict == verdict
    assert message in report.message
    assert bool(report.message) or not message


def test_an_answer_that_tampered_has_no_points():
    checks = of(ending="tampered").checks

    assert {(check.passed, check.points, check.message) for check in checks} == {(False, 0, VOID)}


@pytest.mark.parametrize(
    ("undefined", "next_step"),
    [
        (Raised.problem("There is no class."), f"Define {RUBRIC.class_name} and check again."),
        (replace(Raised.problem("It does."), operation="os"), "Fix that, and check again."),
        (replace(RAISED, type="ModuleNotFoundError"), "Fix that line first. Is the name right"),
        (RAISED, "Fix that line first. Code at the top level runs"),
    ],
)
def test_what_left_no_class_behind_has_a_next_step(undefined, next_step):
    report = of(undefined=undefined)

    assert report.next_step.startswith(next_step)
    assert (report.score, report.max_score) == (0, 6)
    assert ("\n    return no\n" in report.message) is undefined.is_exception


@pytest.mark.parametrize(
    ("changes", "stage"),
    [
        ({"undefined": FULL}, Stage.IMPORT),
        ({"construction": FULL}, Stage.CONSTRUCTION),
        ({"movements": (Placed(".cuda()", FULL),)}, Stage.MOVEMENT),
        ({"runs": (Run("cpu"), Run("cuda", FULL))}, Stage.EXECUTION),
        ({"training": Training(FULL)}, Stage.TRAINING),
        ({"checkpoint": Checkpoint(FULL)}, Stage.CHECKPOINT),
        ({"broken": FULL, "stage": Stage.AUDIT}, Stage.AUDIT),
        ({"skipped": (Skipped(Stage.AUDIT, "an audit", "", is_memory=True),)}, Stage.AUDIT),
    ],
)
def test_memory_that_is_used_up_ends_a_probe(changes, stage):
    ended = with_memory_used_up(evidence(**changes))

    assert (ended.ending, ended.stage) == ("out_of_memory", stage)
    assert with_memory_used_up(evidence(**changes, ending="timeout")).ending == "timeout"
    assert with_memory_used_up(evidence(skipped=SKIPPED)).ending == "complete"


def test_what_was_refused_or_varies_is_flagged():
    refused = of(refused=(Refused("a socket", 7),)).flags
    varying = of(constructions=("a", "b")).flags

    assert [(flag.kind, flag.line, flag.text) for flag in refused] == [
        ("behaviour", 7, "asked for what was refused: a socket")
    ]
    assert [flag.line for flag in varying] == [0]
    assert of(constructions=("a",)).flags == ()


def at(where, line=1, code="member-tensor", severity="error"):
    return Fault(code, severity, where, line, f"{where} {code}.", "")


def kept(*findings):
    return [(finding.where, finding.code) for finding in deduplicate(findings)]


def test_one_finding_for_each_path_errors_first():
    warned, error = at("self.a", severity="warning"), at("self.a", 9, "stale-device")

    assert kept(warned, error) == [("self.a", "stale-device")]
    assert kept(at("self.b", 5), at("self.a", 3)) == [
        ("self.a", "member-tensor"),
        ("self.b", "member-tensor"),
    ]
    assert kept(at("self.b", 1, severity="warning"), at("self.a", 3))[0][0] == "self.a"


def test_a_finding_hides_those_inside_it_and_its_own_code_around_it():
    inner, outer = at("self.a.b"), at("self.a", 2, "stale-device")

    assert kept(outer, inner) == [("self.a", "stale-device")]
    assert len(kept(inner, outer)) == 2
    assert kept(inner, replace(outer, code=inner.code)) == [("self.a.b", "member-tensor")]


def test_findings_of_one_line_in_one_container_are_merged():
    first, second, third = (at(f"self.a[{i}]", 4) for i in range(3))
    (merged,) = deduplicate((first, second, third))

    assert merged.message == (
        f"{first.message} In `self.a`, the same holds for `self.a[1]`, `self.a[2]`."
    )
    assert len(deduplicate((first, replace(second, line=5)))) == 2
    assert len(deduplicate((first, replace(second, severity="warning")))) == 2
    assert len(deduplicate((at("self.a", 4), at("self.b", 4)))) == 2
    assert len(deduplicate((at("self.h.a", 4), at("self.h.b", 4)))) == 1
    assert len(deduplicate((at("TABLE[0]", 4), at("TABLE[1]", 4)))) == 2
    assert len(deduplicate((first, replace(at("self.a", 4), code="criterion-state")))) == 2


@pytest.mark.parametrize(
    ("edits", "printed"),
    [
        ((), "Do."),
        ((Edit(3, "a", "b"),), "Do: `b`."),
        ((Edit(3, "a", ""),), "Do:\n    line 3: leave it out"),
        ((Edit(3, "a", "b\nc\nd"),), "Do:\n    line 3: b\n        c\n        d"),
        ((Edit(5, "a", "b"), Edit(3, "c", "d")), "Do:\n    line 3: d\n    line 5: b"),
    ],
)
def test_a_fix_is_printed(edits, printed):
    assert str(CodeFix("Do", edits)) == printed


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Raised("AttributeError", "'Net' object has no attribute 'device'"), "A module has no"),
        (Raised("AttributeError", "'Tensor' object has no attribute 'device'"), ""),
        (Raised("AttributeError", "'Net' object has no attribute 'regster_buffer'"), "`register_b"),
        (Raised("AttributeError", "'Net' object has no attribute 'cuda'"), ""),
        (Raised("AttributeError", "'Net' object has no attribute 'lenses'"), ""),
        (Raised("AttributeError", "module 'torch' has no attribute 'ModuleList'"), "`nn.ModuleLi"),
        (Raised("NameError", "name 'Linear' is not defined"), "`nn.Linear`"),
        (Raised("StopIteration", "", 3, "next(self.parameters())"), "There are no Parameters"),
        (Raised("TypeError", "'module' object is not callable", 3, "nn.parameter(x)"), "The class"),
        (Raised("ValueError", "no"), ""),
    ],
)
def test_some_exceptions_come_with_advice(error, message):
    assert message in advice(error)
    assert advice(error).startswith(". ") is bool(message)


def test_an_exception_in_words():
    assert describe(Raised("KeyError", "", 0)) == "KeyError"
    assert describe(Raised("KeyError", "a\nb", 7)) == "KeyError in line 7: a"
    assert describe(Raised("KeyError", "a:\n  b\nc", 7)) == "KeyError in line 7: a: b"
    assert describe(Raised("KeyError", "a:", 7)) == "KeyError in line 7: a:"
    assert describe(Raised("T", "'CudaTensor' object")) == "T: 'Tensor' object"


def test_names_counts_and_devices_in_words():
    assert [count(1, "tensor"), count(0, "tensor")] == ["1 tensor", "0 tensors"]
    assert join_names(list("abcd")) == "`a`, `b`, `c`, `d`"
    assert join_names(list("abcdef")) == "`a`, `b`, `c`, `d` and 2 more"
    assert op_name("torch.Tensor.sub") == "sub"
    assert on_device("cuda:1", "cuda")
    assert not on_device("cuda:1", "cuda:0")
    assert not on_device("cpu", "cuda")
    assert on_device("cpu", "cpu")


def test_an_exception_is_looked_for_in_every_step():
    raised = [replace(RAISED, line=line) for line in range(1, 7)]
    seen = evidence(
        construction=raised[0],
        broken=raised[1],
        on_device=Placed("", raised[2]),
        runs=(Run("cpu"), Run("cuda", raised[3])),
        training=Training(raised[4]),
        cpu_training=Training(raised[5]),
    )

    assert [exception.line for exception in exceptions(seen)] == [1, 2, 3, 4, 5, 6]
    assert list(exceptions(evidence(training=None))) == []


def test_a_known_message_is_told_with_its_line_if_there_is_one():
    text = "cannot assign 'int' object to buffer 'mean' (torch Tensor or None required)"

    def finding_with(**changes):
        raised = replace(Raised("TypeError", text, 9, "self.mean = 3", "setattr"), **changes)
        (found,) = faults_in_exceptions(evidence(construction=raised))
        return found

    assert finding_with().message.startswith(
        "line 9: a buffer holds a tensor or None, and `mean` was"
    )
    assert finding_with(line=0).message.startswith("a buffer holds")
    assert (finding_with().where, finding_with(code="").where) == ("self.mean = 3", "setattr")


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "passed"),
        ({"undefined": RAISED, "ending": "timeout"}, "not_defined"),
        ({"ending": "crashed", "construction": RAISED}, "crashed"),
        ({"construction": RAISED}, "cannot_grade"),
        ({"broken": RAISED}, "cannot_grade"),
    ],
)
def test_an_audit_comes_to_a_verdict(changes, verdict):
    structure = Structure((WEIGHT, MEAN))
    seen = Evidence(SIMULATED, "2.13.0", 7, structure=structure, **changes)

    assert judge_audit(seen, "Net").verdict == verdict
