"""Every fix that is printed leads home.

A fix is pasted into the code it speaks of. Then the finding is gone, there is no new one on the
lines that were pasted, and no check is lost. What is no code to paste is printed as words.
"""

from itertools import islice

import pytest
import torch
from declared import judge_of, starter_and_mistakes
from pasting import assert_fixes_work, code_in_words, loaded

from grader.auditing.one_module import audit
from grader.course.catalog import find, stems
from grader.judge.fixes import apply_edits
from grader.schema.report import Edit, Finding
from verify.try_mutants import mutants_of_exercise

# Of a tensor that the constructor makes, and a call makes again elsewhere, the first is told first.
TWO_FAULTS_OF_ONE_NAME = ("self.kept = future(length)",)
EVERY = 97
# To reach what is nested in the batch takes a function that calls itself; the module that chooses
# its device holds no tensor that could be asked for it; a replica has no Parameter to ask, and some
# other tensor must be chosen; how to compute a buffer again is the author's choice; what NumPy
# cannot read may be copied or computed in torch; how a class registers and moves is for its author
# to write.
IN_WORDS = (
    "01b_spectrum_plot",
    "02b_module_in_forty_lines",
    "07_moving_inputs",
    "09c_replicas",
    "12b_training_script",
    "14_big_models",
)


@pytest.mark.search
@pytest.mark.parametrize("stem", stems())
def test_fixes_of_the_starter(stem, tmp_path):
    name, text, judge = next(starter_and_mistakes(stem, tmp_path))

    assert name == "the starter"
    report = assert_fixes_work(text, judge)
    assert stem in IN_WORDS or any(finding.edits for finding in report.findings)


@pytest.mark.search
@pytest.mark.parametrize("stem", stems())
def test_fixes_of_a_sample_of_mutants(stem, tmp_path):
    for name, mutant in islice(mutants_of_exercise(find(stem)), 5, None, EVERY):
        if mutant.after not in TWO_FAULTS_OF_ONE_NAME:
            assert_fixes_work(mutant.source, judge_of(stem, name, tmp_path))


def test_the_fix_of_an_audit_passes_the_exercise_on_the_same_bug(tmp_path):
    _, text, judge = next(starter_and_mistakes("03_member_tensors", tmp_path))
    made = loaded(text, tmp_path).Normalizer
    found = audit(lambda: made([0.5], [2.0]), torch.rand(8, 1), "simulated").findings
    fixed = apply_edits(text, [edit for finding in found for edit in finding.edits])

    assert judge(fixed).verdict == "passed"


def test_an_edit_replaces_the_statement_and_nothing_else():
    source = "def f(self):\n    self.a = 1  # kept\n    self.b = [\n        2,\n    ]\n"
    edits = (
        Edit(2, "self.a = 1", "self.a = 2\nself.c = 3"),
        Edit(3, "self.b = [\n        2,\n    ]", "self.b = (2,)"),
    )

    changed = apply_edits(source, edits)

    assert changed == ("def f(self):\n    self.a = 2\n    self.c = 3  # kept\n    self.b = (2,)\n")


def test_an_edit_of_another_file_is_refused():
    with pytest.raises(ValueError, match="line 1 is not"):
        apply_edits("a = 1\n", [Edit(1, "b = 1", "b = 2")])


@pytest.mark.parametrize(
    ("fix", "is_code"),
    [
        ("Use `nn.ModuleList`, or `persistent=False`, or `.to()`.", False),
        ("Call `super().__init__()` first.", False),
        ("Write `x = x.to(device)`.", True),
        ("Write `self.register_buffer(name, tensor)`.", True),
        ("Write `if a is None:`.", True),
    ],
)
def test_what_looks_like_code_is_noticed(fix, is_code):
    finding = Finding("member-tensor", "error", "self.a", 1, "", fix)

    assert bool(code_in_words(finding)) is is_code
