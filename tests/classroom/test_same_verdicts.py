"""A batch says what `grader check` says, about every answer that the course knows."""

import pytest
from handing_in import hand_in, solution

from grader.catalog import rubrics, starter
from grader.classroom.batch import Options, run_batch
from grader.classroom.ledger import latest, read
from grader.grading import grade_file
from grader.loading import execute


def answers(rubric, variants):
    """The text of every answer that is known for an exercise, by what it is called."""
    path = variants / f"{rubric.stem}.py"
    text = path.read_text(encoding="utf-8")
    declared = vars(execute(text, path))
    names = [*declared["ACCEPTED"], *declared["MISTAKES"]]
    own = {name: f"{text}\n\n{rubric.class_name} = {name}\n" for name in names}
    return {"starter": starter(rubric.stem), "solution": solution(rubric.stem)} | own


def said(report):
    """What must be the same; the numbers in messages are drawn afresh each time."""
    checks = [(check.name, check.passed, check.points) for check in report.checks]
    findings = [(each.code, each.severity, each.where, each.line) for each in report.findings]
    return report.verdict, report.score, report.device, report.title, checks, findings


@pytest.mark.slow
def test_every_known_answer_gets_the_verdict_of_grader_check(tmp_path, request):
    variants = request.config.rootpath / "tests" / "variants"
    files, exercises = {}, {}
    for rubric in rubrics():
        for name, text in answers(rubric, variants).items():
            learner = f"{rubric.number} {name}"
            files[f"{learner}/{rubric.stem}.py"] = text
            exercises[learner, rubric.number] = rubric
    root = hand_in(tmp_path / "in", files)

    run_batch(root, tmp_path / "out", Options(jobs=2), lambda _: lambda: None)

    entries = {k: e for k, e in latest(read(tmp_path / "out")).items() if e.is_handed_in}
    assert entries.keys() == exercises.keys()
    for (learner, number), rubric in exercises.items():
        checked = grade_file(rubric, root / learner / f"{rubric.stem}.py")
        assert said(entries[learner, number].report) == said(checked), learner
