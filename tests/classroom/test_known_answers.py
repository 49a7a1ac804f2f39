"""Every answer that the course knows is judged as declared, and a sample in a batch as alone.

Golden files hold what is told of each starter and mistake, and a starter's printed report:

python -m pytest --refresh-golden tests/classroom/test_known_answers.py
"""

from dataclasses import replace
from functools import cache

import pytest
from handing_in import hand_in, solution
from telling import wording

from grader.classroom.batch import BatchOptions, run_batch
from grader.classroom.results.ledger import latest, read_ledger
from grader.course.catalog import all_rubrics, find, starter
from grader.grading.grade import grade_file
from grader.learning.help import for_learner
from grader.loading import execute, read_source
from grader.render.text import to_text
from verify import verify as verification
from verify.variants import variants_file

BATCHED_EACH = 12
# Several exercises share a batch: to start one takes as long as to grade ten answers.
GROUPS = [all_rubrics()[first::6] for first in range(6)]
SEED = 7


@pytest.fixture
def checked(monkeypatch):
    """The report on each answer that is verified, by its class, or its folder in the course."""
    reports = {}

    def remember(rubric, path, device, class_name):
        with pytest.MonkeyPatch.context() as patch:
            if path.parent.name == "exercises" or class_name in declared(rubric.stem)["MISTAKES"]:
                # Of several things wrong with random numbers, the first that shows is told.
                patch.setattr("grader.grading.grade.fresh_seed", lambda: SEED)
            report = grade_file(rubric, path, device, class_name)
        reports[class_name or path.parent.name, rubric.number] = report
        return report

    monkeypatch.setattr(verification, "grade_file", remember)
    return reports


@cache
def declared(stem):
    """The names in the file of variants; ACCEPTED and MISTAKES list its classes."""
    path = variants_file(stem)
    return vars(execute(read_source(path), path))


def answers(rubric):
    """The texts of the starter, the solution and a sample of the others, by the same names."""
    text, known = read_source(variants_file(rubric.stem)), declared(rubric.stem)
    names = [*known["ACCEPTED"], *known["MISTAKES"]][::BATCHED_EACH]
    own = {name: f"{text}\n\n{rubric.class_name} = {name}\n" for name in names}
    return {"exercises": starter(rubric.stem), "solutions": solution(rubric.stem)} | own


def stable(report):
    """What must be the same; the numbers in messages are drawn afresh each time."""
    checks = [(check.name, check.passed, check.points) for check in report.checks]
    findings = [
        (finding.code, finding.severity, finding.where, finding.line) for finding in report.findings
    ]
    return report.verdict, report.score, report.device, report.title, checks, findings


def messages(rubric, reports):
    """What the starter and each mistake are told; no mistake has full marks."""
    lines = []
    for name in ("exercises", *declared(rubric.stem)["MISTAKES"]):
        report = reports[name, rubric.number]
        assert report.score < report.max_score, name
        assert not all(check.passed and check.status == "run" for check in report.checks), name
        shown = "the starter" if name == "exercises" else name
        lines += [f"=== {shown}: {report.verdict}", *wording(report), ""]
    return "\n".join(lines)


OF_A_GROUP = pytest.mark.parametrize(
    "group", GROUPS, ids=lambda group: " ".join(rubric.number for rubric in group)
)


@pytest.mark.slow
@OF_A_GROUP
def test_each_answer_is_judged_as_declared(group, checked, golden):
    lines = [line for rubric in group for line in verification.verify_exercise(rubric)]

    assert [line for line, is_right in lines if not is_right] == []
    for rubric in group:
        golden(f"messages_{rubric.stem}", messages(rubric, checked))
        report = replace(checked["exercises", rubric.number], source=f"exercises/{rubric.stem}.py")
        golden(f"starter_{rubric.stem}", to_text(for_learner(rubric, report), 100) + "\n")


@pytest.mark.search
@pytest.mark.slow
@OF_A_GROUP
def test_a_sample_is_judged_in_a_batch_as_alone(group, tmp_path):
    texts = {
        (name, rubric.number): (f"{name}/{rubric.stem}.py", text)
        for rubric in group
        for name, text in answers(rubric).items()
    }
    root = hand_in(tmp_path / "in", dict(texts.values()))

    run_batch(root, tmp_path / "out", BatchOptions(jobs=1), lambda _: lambda: None)

    entries = latest(read_ledger(tmp_path / "out"))
    graded = {key: stable(entry.report) for key, entry in entries.items() if entry.is_handed_in}
    alone = {
        (name, number): stable(grade_file(find(number), root / file))
        for (name, number), (file, _) in texts.items()
    }
    assert graded == alone
