"""What a seed draws, and how an exam is scored."""

import pytest

from grader.course.items.drawing import DRAWN, FIXED, draw, to_fix
from grader.learning.journal import Reading
from grader.learning.quiz.exam import ExamResult, score, sit

SEED = "ada-2026"


def answered(seed=SEED, wrong=()):
    sitting = sit(seed)
    for module in sitting.waiting:
        is_wrong = module.key in wrong
        sitting.answer(module, "B" if is_wrong else module.right, True)
    return sitting


@pytest.fixture(scope="module")
def scored(tmp_path_factory) -> ExamResult:
    """A working module judged wrong; of the three, the first is fixed."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("exam")
        patch.setenv("GRADER_JOURNAL", str(folder / "journal.json"))
        patch.chdir(folder)
        first = to_fix(SEED)[0]
        (folder / f"exam-{SEED}").mkdir()
        file = folder / f"exam-{SEED}" / f"{first.key}.py"
        file.write_text(first.fixed)
        working = next(module for module in draw(SEED) if module.behaviour == "works")
        return score(answered(wrong=[working.key]), print)


def test_a_seed_draws_the_same_balanced_ten():
    for seed in map(str, range(50)):
        drawn = draw(seed)
        kinds = [module.behaviour for module in drawn]
        assert drawn == draw(seed)
        assert len({module.key for module in drawn}) == 10
        assert {kind: kinds.count(kind) for kind in DRAWN} == DRAWN
        assert set(to_fix(seed)) <= set(drawn)
        assert [module.behaviour for module in to_fix(seed)] == [
            "raises",
            "raises",
            "silently wrong",
        ]
    assert len(to_fix(SEED)) == sum(FIXED.values())


def test_every_module_is_drawn_by_some_seed_in_every_place():
    drawn = [draw(str(seed)) for seed in range(300)]

    assert len({module.key for ten in drawn for module in ten}) >= 40
    assert all({ten[i].behaviour for ten in drawn} == set(DRAWN) for i in range(10))


def test_answers_are_kept_and_the_first_counts():
    sitting = sit(SEED)
    module = sitting.waiting[0]
    sitting.answer(module, "A", False)
    sit(SEED).answer(module, "B", True)

    assert sit(SEED).exam.readings == {module.key: Reading("A", False)}
    assert sit().seed == SEED, "the last one goes on"
    assert len(sit(SEED).waiting) == 9
    assert len(sit("another").waiting) == 10


def test_where_nothing_can_be_kept_an_exam_is_asked_all_the_same(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "file" / "journal.json"))
    sitting = sit(SEED)

    notice = sitting.answer(sitting.waiting[0], "A", False)

    assert "This is not kept in your progress" in notice
    assert len(sitting.waiting) == 9


def test_a_result_counts_out_of_ten_and_out_of_three(scored):
    assert "9 of 10 read right, 1 of 3 fixed" in scored.heading
    assert scored.heading in scored.text()


def test_every_answer_is_explained_the_right_ones_too(scored):
    lines = list(scored.lines())

    assert [line.look for line in lines].count("bad") == 1
    assert all(line.why for line in lines[:10])
    (missed,) = [line for line in lines if line.look == "bad"]
    assert ": It works. You said: It is silently wrong: " in missed.heading
    assert missed.heading.endswith("You were sure.")
    assert missed.why.startswith("It moves, trains")
    assert all(line.heading.partition(":")[0] in scored.to_html() for line in lines)


def test_a_fix_that_is_open_says_why_and_that_one_may_go_on(scored):
    *_, second, third = scored.lines()

    assert (second.look, second.why) == ("open", "It is unchanged.")
    assert third.look == "open"
    assert scored.text().endswith("Fix more and run this again for a new result.")
