"""What a seed draws, how an exam is scored, and what its verification notices."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from msgspec.structs import replace

from grader.course.exam.drawing import DRAWN, FIXED, draw, to_fix
from grader.course.exam.pool import fixed_source
from grader.learning.exams import fixing
from grader.learning.exams.fixing import ExamError, judge_fix
from grader.learning.exams.handing_in import ScoredExam, hand_in
from grader.learning.exams.result import ExamResult, exam_problems, read_result
from grader.learning.exams.sitting import Judgement, sit
from grader.probe.containment.limits import Limits

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


def test_what_was_handed_in_is_verified(handed_in, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(handed_in.line() + "\n")

    assert len(path.read_text().splitlines()) == 1
    assert list(exam_problems(read_result(path), SEED, print)) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"found": 10}, "It claims 10 of 10 modules judged right; scored again: 9."),
        ({"fixed": 3}, "It claims 3 of 3 fixes; run again: 1."),
        ({"of": 10}, "It counts 10 points in all; an exam has 13."),
        ({"seed": "easier"}, "Its modules are not those that the seed draws."),
        ({"pool": "other"}, "It was drawn from another version of the pool: other"),
    ],
)
def test_a_new_digest_hides_nothing(handed_in, changes, expected):
    forged = replace(handed_in, **changes).signed()

    assert any(problem.startswith(expected) for problem in exam_problems(forged, "", print))


def test_a_changed_line_and_another_s_exam_are_noticed(handed_in):
    changed = replace(handed_in, found=10)

    assert (
        next(exam_problems(changed, "", print)) == "The digest does not fit: the line was changed."
    )
    assert (
        next(exam_problems(handed_in, "bob", print))
        == f"It is exam {SEED}; the one given out was bob."
    )


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "result.json"
    path.write_bytes(b"\xff{}")

    with pytest.raises(ExamError, match="holds no result"):
        read_result(path)


def test_the_picture_is_whole_and_escapes_the_seed(tmp_path):
    seed, lines = "<ada> & 'b'", []
    handed = hand_in(answered(seed), tmp_path, lines.append)
    stored = Path(handed.folder / "result.svg").read_text(encoding="utf-8")

    root = ElementTree.fromstring(stored)
    texts = [
        "".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")
    ]
    assert "10 of 13 points" in texts
    assert any(seed in text for text in texts)
    assert {module.name for module in draw(seed)} <= set(texts)
    assert "http" not in stored.replace("http://www.w3.org/2000/svg", "")
    assert handed.folder.parent == tmp_path
    assert lines[0] == f"Running fix 1 of 3: {to_fix(seed)[0].name} (at most 60 s)"
    assert len(lines) == 3


def test_a_fix_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(fixing, "LIMITS", Limits(seconds=30, cpu_seconds=2))
    module = to_fix(SEED)[0]

    endless = module.source.replace("    def forward", f"{ENDLESS}    def forward")

    assert "Is there a loop that never ends?" in judge_fix(module, endless).message
