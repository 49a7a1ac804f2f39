"""Every answer that the course knows is judged as declared, and a sample in a batch as alone."""

import pytest
from handing_in import hand_in, solution

from grader import verification
from grader.catalog import rubrics, starter
from grader.classroom.batch import Options, run_batch
from grader.classroom.results.ledger import latest, read
from grader.grading import grade_file
from grader.loading import execute

BATCHED_EACH = 6


@pytest.fixture
def checked(monkeypatch):
    """The report on each answer that is verified, by its class, or its folder in the course."""
    reports = {}

    def remember(rubric, path, device, class_name):
        report = grade_file(rubric, path, device, class_name)
        reports[class_name or path.parent.name] = report
        return report

    monkeypatch.setattr(verification, "grade_file", remember)
    return reports


def answers(rubric, variants):
    """The texts of the starter, the solution and a sample of the others, by the same names."""
    path = variants / f"{rubric.stem}.py"
    text = path.read_text(encoding="utf-8")
    declared = vars(execute(text, path))
    names = [*declared["ACCEPTED"], *declared["MISTAKES"]][::BATCHED_EACH]
    own = {name: f"{text}\n\n{rubric.class_name} = {name}\n" for name in names}
    return {"exercises": starter(rubric.stem), "solutions": solution(rubric.stem)} | own


def said(report):
    """What must be the same; the numbers in messages are drawn afresh each time."""
    checks = [(check.name, check.passed, check.points) for check in report.checks]
    findings = [(each.code, each.severity, each.where, each.line) for each in report.findings]
    return report.verdict, report.score, report.device, report.title, checks, findings


@pytest.mark.parametrize("rubric", rubrics(), ids=lambda rubric: rubric.stem)
def test_each_answer_is_judged_as_declared_and_in_a_batch_as_alone(
    rubric, checked, tmp_path, request
):
    texts = answers(rubric, request.config.rootpath / "tests" / "variants")
    root = hand_in(
        tmp_path / "in", {f"{name}/{rubric.stem}.py": text for name, text in texts.items()}
    )

    wrong = [line for line, is_right in verification.verify_exercise(rubric) if not is_right]
    run_batch(root, tmp_path / "out", Options(jobs=1), lambda _: lambda: None)

    assert wrong == []
    entries = latest(read(tmp_path / "out")).values()
    graded = {each.learner: said(each.report) for each in entries if each.is_handed_in}
    assert graded == {name: said(checked[name]) for name in texts}
