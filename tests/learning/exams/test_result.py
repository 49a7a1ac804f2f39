"""What a seed draws, and how an exam is scored."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from grader.course.exam.drawing import DRAWN, FIXED, draw, to_fix
from grader.course.exam.pool import fixed_source
from grader.learning.exams.fixing import ExamError
from grader.learning.exams.handing_in import ScoredExam, hand_in
from grader.learning.exams.result import ExamResult
from grader.learning.exams.sitting import Judgement, sit

SEED = "ada-2026"
ENDLESS = """\
    def __call__(self, *inputs):
        while True:
            pass

"""


def answered(seed=SEED, wrong=()):
    sitting = sit(seed)
    for module in sitting.waiting:
        is_wrong = module.name in wrong
        other = next(outcome for outcome in module.outcomes if outcome != module.truth.outcome)
        sitting.answer(module, other if is_wrong else module.truth.outcome, "certain")
    return sitting


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory) -> ExamResult:
    """One module judged wrong; of the three, the first is fixed."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("exam")
        patch.setenv("GRADER_JOURNAL", str(folder / "journal.json"))
        first = to_fix(SEED)[0]
        (folder / f"exam-{SEED}").mkdir()
        file = folder / f"exam-{SEED}" / f"{first.name}.py"
        file.write_text(fixed_source(first))
        return hand_in(answered(wrong=[draw(SEED)[0].name]), folder, print).result


def test_a_seed_draws_the_same_balanced_ten():
    for seed in map(str, range(50)):
        drawn = draw(seed)
        kinds = [module.kind for module in drawn]
        assert drawn == draw(seed)
        assert len({module.name for module in drawn}) == 10
        assert {kind: kinds.count(kind) for kind in DRAWN} == DRAWN
        assert set(to_fix(seed)) <= set(drawn)
        assert [module.kind for module in to_fix(seed)] == ["raises", "raises", "silently wrong"]
    assert len(to_fix(SEED)) == sum(FIXED.values())


def test_every_module_is_drawn_by_some_seed_in_every_place():
    drawn = [draw(str(seed)) for seed in range(300)]

    assert len({module.name for ten in drawn for module in ten}) >= 40
    assert all({ten[i].kind for ten in drawn} == set(DRAWN) for i in range(10))


def test_answers_are_kept_and_the_first_counts():
    sitting = sit(SEED)
    module = sitting.waiting[0]
    sitting.answer(module, "works", "guess")
    sit(SEED).answer(module, "silently wrong", "certain")

    assert sit(SEED).answers == {module.name: Judgement("works", "guess")}
    assert sit().seed == SEED, "the last one goes on"
    assert len(sit(SEED).waiting) == 9
    assert len(sit("another").waiting) == 10


def test_a_damaged_file_says_what_to_do(journal):
    answered()
    file = next((journal.parent / "exams").glob("*.json"))
    file.write_text("{")

    with pytest.raises(ExamError, match="Delete it"):
        sit(SEED)


def test_points_are_for_right_answers_and_fixes(handed_in):
    assert (handed_in.found, handed_in.fixed, handed_in.points, handed_in.of) == (9, 1, 10, 13)


def test_a_working_module_that_was_judged_wrong_is_explained(handed_in):
    working = next(module for module in draw(SEED) if module.kind == "works")
    answers = {**handed_in.answers, working.name: Judgement("silently wrong", "guess")}
    text = ScoredExam(replace(handed_in, answers=answers), {}, Path()).text()

    assert f"✗ {working.name}: works (you said: silently wrong)\n    It moves, trains" in text


@pytest.mark.parametrize("fixed", [1, 3])
def test_whoever_fixed_all_three_is_not_told_to_fix_more(handed_in, fixed):
    text = ScoredExam(replace(handed_in, fixed=fixed), {}, Path()).text()

    assert ("Fix more" in text) == (fixed < 3)


def test_a_result_has_the_digest_of_the_rest(handed_in):
    assert handed_in == handed_in.signed()
    assert replace(handed_in, found=10).signed().digest != handed_in.digest
