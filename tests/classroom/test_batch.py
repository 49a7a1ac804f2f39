"""`grader batch`, `regrade` and `merge`: nothing is graded twice, and nothing is lost."""

import json
from collections import Counter

import pytest
from handing_in import NORMALIZER, SCALE, hand_in, notebook, solution, wrong

from grader.classroom import batch
from grader.classroom.grading import regrade
from grader.classroom.results.ledger import LEDGER_NAME, latest, read_ledger
from grader.course.catalog import starter
from grader.probe.containment.sandbox import best_level


@pytest.fixture
def school(tmp_path):
    """Three learners' submissions."""
    return hand_in(
        tmp_path / "in",
        {
            f"ada/{NORMALIZER}.py": solution(),
            f"bo/{NORMALIZER}.py": wrong(),
            f"bo/{SCALE}.py": solution(SCALE),
            f"cy/{NORMALIZER}.ipynb": notebook("import torch", solution()),
        },
    )


def verdicts(folder):
    return {key: entry.report.verdict for key, entry in latest(read_ledger(folder)).items()}


ALL = {
    ("ada", "03"): "passed",
    ("ada", "04"): "not_attempted",
    ("bo", "03"): "failed",
    ("bo", "04"): "passed",
    ("cy", "03"): "passed",
    ("cy", "04"): "not_attempted",
}


def test_a_class_is_graded_and_summed_up(school, tmp_path, grader, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = grader("batch", "in", "--out", "out", "--jobs", 2)

    assert (ended.status, ended.err) == (0, "")
    assert verdicts(tmp_path / "out") == ALL
    begun = "4 submissions of 3 learners, judged on cuda:0 (simulated), isolated at level "
    assert f"{begun}{best_level()}." in " ".join(ended.out.split())
    assert "A normalizer that follows its model" in ended.out
    entries = latest(read_ledger(tmp_path / "out"))
    assert not entries["ada", "04"].is_handed_in
    assert entries["cy", "03"].report.source.startswith(f"{NORMALIZER}.ipynb cell 2")
    stored = tmp_path / "out" / "submissions" / f"{entries['ada', '03'].submission}.py"
    assert stored.read_text(encoding="utf-8") == solution()


def test_run_again_it_grades_only_what_is_new(school, tmp_path, grader):
    out = tmp_path / "out"
    grader("batch", school, "--out", out)
    before = (out / LEDGER_NAME).read_bytes()

    grader("batch", school, "--out", out)
    assert (out / LEDGER_NAME).read_bytes() == before

    hand_in(school, {f"ada/{SCALE}.py": starter(SCALE), f"dee/{NORMALIZER}.py": solution()})
    grader("batch", school, "--out", out)

    new = [
        json.loads(line) for line in (out / LEDGER_NAME).read_bytes()[len(before) :].splitlines()
    ]
    assert [(entry["learner"], entry["exercise"]) for entry in new] == [
        ("dee", "03"),
        ("ada", "04"),
        ("dee", "04"),
    ]
    assert new[0].get("seconds", 0) == 0  # the same file as ada's
    assert verdicts(out) == ALL | {("dee", "03"): "passed", ("dee", "04"): "not_attempted"}


def test_a_torn_line_is_said_and_its_submission_graded_again(school, tmp_path, grader):
    out = tmp_path / "out"
    grader("batch", school, "--out", out)
    content = (out / LEDGER_NAME).read_bytes()
    (out / LEDGER_NAME).write_bytes(content[:-40])

    ended = grader("batch", school, "--out", out)

    assert "The ledger ended in the middle of a line" in ended.out
    assert verdicts(out) == ALL


def test_what_was_handed_in_alike_is_graded_once(tmp_path, grader):
    files = {f"{name}/{NORMALIZER}.py": wrong() for name in ("ada", "bo", "cy")}

    grader("batch", hand_in(tmp_path / "in", files), "--out", tmp_path / "out")

    entries = list(read_ledger(tmp_path / "out"))
    assert {entry.report.verdict for entry in entries} == {"failed"}
    assert sum(entry.seconds > 0 for entry in entries) == 1


def test_what_cannot_be_graded_is_named_and_exits_2(tmp_path, grader):
    files = {f"ada/{NORMALIZER}.py": solution(), "bo/helpers.py": "RATE = 1\n"}

    ended = grader("batch", hand_in(tmp_path / "in", files), "--out", tmp_path / "out")

    assert ended.status == 2
    assert "bo/helpers.py belongs to no exercise" in ended.out
    assert "bo/helpers.py: belongs" in (tmp_path / "out" / "left_out.txt").read_text()
    assert verdicts(tmp_path / "out")["bo", "03"] == "not_attempted"


def test_a_report_speaks_of_the_file_as_it_was_handed_in(tmp_path, grader):
    files = {f"ada/{NORMALIZER}.py": "import torch\nclass Normalizer(:\n"}

    grader("batch", hand_in(tmp_path / "in", files), "--out", tmp_path / "out")

    (entry,) = read_ledger(tmp_path / "out")
    assert entry.report.message.startswith(f"{NORMALIZER}.py, line 2: Python cannot read")
    assert entry.submission not in str(entry.report)


def test_shards_merged_are_the_whole(school, tmp_path, grader):
    shards = [tmp_path / f"shard{i}" for i in (1, 2)]
    for i, shard in enumerate(shards, start=1):
        grader("batch", school, "--out", shard, "--shard", f"{i}/2")
    parts = [{learner for learner, _ in verdicts(shard)} for shard in shards]

    merged = grader("merge", *shards, "--out", tmp_path / "all")
    again = grader("merge", *shards, "--out", tmp_path / "all")

    assert parts[0] | parts[1] == {"ada", "bo", "cy"}
    assert not parts[0] & parts[1]
    assert verdicts(tmp_path / "all") == ALL
    assert merged.out.startswith("6 results added")
    assert again.out.startswith("0 results added")
    kept = {entry.submission for entry in read_ledger(tmp_path / "all") if entry.is_handed_in}
    assert {path.stem for path in (tmp_path / "all" / "submissions").iterdir()} == kept


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0"])
def test_a_shard_that_is_none(school, tmp_path, grader, shard):
    ended = grader("batch", school, "--out", tmp_path / "out", "--shard", shard)

    assert ended.status == 2
    assert "write 1/4 for the first of four" in ended.err


def test_a_changed_rubric_regrades_what_it_changes_and_says_what_that_did(
    school, tmp_path, grader, monkeypatch
):
    out = tmp_path / "out"
    grader("batch", school, "--out", out)
    assert grader("regrade", out).out.startswith("0 graded again")

    def changed(rubric):
        return "changed" if rubric.number == "03" else batch.rubric_version(rubric)

    monkeypatch.setattr(regrade, "rubric_version", changed)
    entries = latest(read_ledger(out))
    lowered = (
        (out / LEDGER_NAME)
        .read_text()
        .replace('"verdict":"passed","device"', '"verdict":"failed","device"')
    )
    (out / LEDGER_NAME).write_text(lowered)
    ended = grader("regrade", out)

    assert "3 graded again, 1 of them with the same result" in ended.out
    assert "ada, 03: 6 → 6 points, NOT YET → PASSED" in ended.out
    after = latest(read_ledger(out))
    assert Counter(entry.rubric == "changed" for entry in after.values())[True] == 3
    assert after["ada", "03"].report == entries["ada", "03"].report


def test_two_batches_do_not_write_one_ledger(school, tmp_path, grader, monkeypatch):
    monkeypatch.setattr("grader.classroom.results.ledger.PATIENCE", 0.01)
    from grader.classroom.results.ledger import Record

    with Record(tmp_path / "out"):
        ended = grader("batch", school, "--out", tmp_path / "out")

    assert ended.status == 2
    assert "is being written by another grader" in ended.err


def test_results_do_not_go_among_the_submissions(school, grader):
    ended = grader("batch", school, "--out", school / "out")

    assert ended.status == 2
    assert "name another --out" in ended.err


def test_what_is_to_be_merged_must_hold_results(tmp_path, grader):
    (tmp_path / "empty").mkdir()

    ended = grader("merge", tmp_path / "empty", "--out", tmp_path / "out")

    assert ended.status == 2
    assert "no results in" in ended.err
