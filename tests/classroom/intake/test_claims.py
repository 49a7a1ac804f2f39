"""A hand-in says nothing about other learners, and nothing about the time; its platform does."""

import os
import zipfile
from datetime import UTC, datetime

import pytest
from handing_in import NORMALIZER, SCALE, counted, hand_in, solution, wrong, zipped

from grader.classroom.intake.documents import UnreadableError
from grader.classroom.intake.submissions import collect
from grader.classroom.results.ledger import latest, read_ledger

DUE = datetime(2026, 3, 1, tzinfo=UTC)
BEFORE, AFTER = (2026, 1, 1, 0, 0, 0), (2026, 3, 10, 0, 0, 0)
METADATA = "submission_metadata.yml"
STOLEN = "{}:\n  :submitters:\n  - :name: ada\n    :sid: '4711'\n  :created_at: 2030-01-01\n"
LAYERS = "".join(f"  - &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
BOMB = f"a:\n  - &a0 [x]\n{LAYERS}submission_2:\n  :submitters:\n  - :name: *a11\n"
MERGES = "".join(f"b{i}: &b{i}\n  <<: [{', '.join([f'*b{i - 1}'] * 9)}]\n" for i in range(1, 12))
HARMFUL = {
    "somebody else's name": STOLEN.format("submission_2"),
    "somebody else's folder": STOLEN.format("work"),
    "no YAML": "a: b: [",
    "a tag": "!!python/object/apply:os.system ['true']",
    "nested aliases": BOMB,
    "merged aliases": f"b0: &b0\n  x: 1\n{MERGES}",
    "a date that is none": "submission_2:\n  :created_at: 2030-02-31\n",
    "a list": "- submission_2\n",
    "brackets": "[" * 100_000,
    "no text": b"\xff\xfe\x00\xd8",
}
# Ada's right answer and Bo's wrong one, as each way to hand in has them; {} is Bo's own folder.
CLASSES = {
    "plain": (f"ada/{NORMALIZER}.py", "bo/"),
    "Moodle's": (
        f"ada_4711_assignsubmission_file_/{NORMALIZER}.py",
        "bo_4712_assignsubmission_file_/",
    ),
    "Canvas's": (f"ada_4711_90210_{NORMALIZER}.py", "bo_4712_90211_work.zip/"),
    "nbgrader's": (f"ada/{NORMALIZER}/{NORMALIZER}.py", f"bo/{NORMALIZER}/"),
}
SHAPES = ["", "submission_2/", "work.zip/", "work.zip/assignment_9_export/", "assignment_9_export/"]


def handed_in(folder, files):
    """Writes files; a part of a path that ends in `.zip` is one."""
    plain, zips = {}, {}
    for name, content in files.items():
        before, is_zip, inside = name.partition(".zip/")
        if is_zip:
            zips.setdefault(f"{before}.zip", {})[inside] = content
        else:
            plain[name] = content
    for name, inside in zips.items():
        plain[name] = zipped(folder.parent / "inner" / "work.zip", inside).read_bytes()
    return hand_in(folder, plain)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_learners_own_metadata_are_an_ordinary_file(tmp_path, kind):
    ada, bo = CLASSES[kind]
    name = "submitted" if kind == "nbgrader's" else "in"
    cases = [("", text) for text in HARMFUL] + [(shape, "somebody else's name") for shape in SHAPES]
    for i, (shape, text) in enumerate(cases):
        own = f"{bo}{shape}"
        own = own.replace("work.zip/", "", 1) if own.count(".zip/") > 1 else own
        metadata = {f"{own}{METADATA}": HARMFUL[text]}
        files = {ada: solution(), f"{own}{NORMALIZER}.py": wrong(), **metadata}

        intake = collect(handed_in(tmp_path / str(i) / name, files))

        learners = [submission.learner for submission in intake.answers]
        (left_out,) = (file for file in intake.left_out if file.parts[-1] == METADATA)
        assert (shape, text, learners) == (shape, text, ["ada", "bo"])
        assert sorted(intake.learners) == ["ada", "bo"]
        assert "neither a Python file" in left_out.why


@pytest.mark.parametrize("text", ["nested aliases", "merged aliases", "no YAML", "a list"])
def test_gradescopes_own_are_read_in_bounded_time_or_named(tmp_path, text):
    files = {METADATA: HARMFUL[text], f"submission_2/{NORMALIZER}.py": solution()}

    root = hand_in(tmp_path / "in", files)

    if text == "nested aliases":
        assert list(collect(root).learners) == ["submission_2"]
    else:
        with pytest.raises(UnreadableError, match=METADATA):
            collect(root)


@pytest.mark.parametrize(
    "name",
    [
        "ada_4711_assignsubmission_file_",
        "ada_4711_90210_work",
        "ada",
        "submission_1",
        "assignment_1_export/submission_1",
    ],
)
@pytest.mark.parametrize("own", ["bo/", "bo/work.zip/", "bo.zip/"])
def test_a_folder_with_a_platforms_name_inside_a_learners_is_that_learners(tmp_path, own, name):
    files = {f"ada/{NORMALIZER}.py": solution(), f"{own}{name}/{NORMALIZER}.py": wrong()}

    found = collect(handed_in(tmp_path / "in", files))

    assert {(each.learner, each.learner_id) for each in found.answers} == {
        ("ada", ""),
        ("bo", ""),
    }


def test_moodles_name_ends_where_moodle_ended_it(tmp_path):
    file = f"Bo Li_4712_assignsubmission_file_x_4711_assignsubmission_file_{NORMALIZER}.py"

    (submission,) = collect(hand_in(tmp_path / "in", {file: solution()})).answers

    assert (submission.learner, submission.learner_id) == ("Bo Li", "4712")


@pytest.mark.parametrize("kind", ["plain", "Moodle's"])
@pytest.mark.parametrize("packed", [True, False], ids=["in the platform's zip", "in a folder"])
def test_a_date_in_a_learners_zip_makes_nothing_earlier(tmp_path, kind, packed):
    _, bo = CLASSES[kind]
    old = zipfile.ZipInfo(f"{NORMALIZER}.py", BEFORE)
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr(old, solution())
    if packed:
        root = tmp_path / "class.zip"
        with zipfile.ZipFile(root, "w") as file:
            file.writestr(zipfile.ZipInfo(f"{bo}work.zip", AFTER), inner.read_bytes())
            file.writestr(zipfile.ZipInfo(f"cy{bo[2:]}{NORMALIZER}.py", BEFORE), solution())
    else:
        root = hand_in(tmp_path / "in", {f"{bo}work.zip": inner.read_bytes()})
        os.utime(root / bo / "work.zip", (DUE.timestamp() + 60,) * 2)

    late = {each.learner: each.late for each in collect(root, due=DUE).answers}

    assert late == ({"bo": True, "cy": False} if packed else {"bo": True})


def test_a_date_in_a_learners_zip_does_not_choose_what_counts(tmp_path):
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr(zipfile.ZipInfo(f"{NORMALIZER}.py", (2030, 1, 1, 0, 0, 0)), wrong())
    files = {"ada/first.zip": inner.read_bytes(), f"ada/{NORMALIZER}.py": solution()}

    assert counted(hand_in(tmp_path / "in", files)) == {("ada", "03"): f"{NORMALIZER}.py"}


@pytest.mark.parametrize("name", ["timestamp.txt", METADATA])
@pytest.mark.parametrize("own", [f"bo/{NORMALIZER}/", f"bo/{NORMALIZER}.zip/", "bo/work.zip/"])
def test_a_learner_who_writes_the_time_is_late_all_the_same(tmp_path, own, name):
    said = {
        "timestamp.txt": "2026-01-01 12:00:00.000000 UTC",
        METADATA: "work:\n  :created_at: 2026-01-01\n",
    }
    files = {f"{own}{name}": said[name], f"{own}{NORMALIZER}.py": solution()}
    root = handed_in(tmp_path / "in", files)
    for path in [*root.rglob("*.py"), *root.rglob("*.zip")]:
        os.utime(path, (DUE.timestamp() + 60,) * 2)

    (submission,) = collect(root, due=DUE).answers

    assert (submission.late, submission.document.origin.receipt) == (True, "")


def test_in_a_whole_batch_nobody_loses_a_mark_to_it(tmp_path, grader):
    stolen = zipped(
        tmp_path / "stolen.zip",
        {f"x/{NORMALIZER}.py": wrong(), METADATA: STOLEN.format("x"), "y/" + METADATA: BOMB},
    )
    files = {
        f"ada/{NORMALIZER}.py": solution(),
        "bo/work.zip": stolen.read_bytes(),
        f"bo/{SCALE}.py": solution(SCALE),
    }

    grader("batch", hand_in(tmp_path / "in", files), "--out", tmp_path / "out", "--jobs", 1)

    entries = latest(read_ledger(tmp_path / "out"))
    assert {key: entry.report.verdict for key, entry in entries.items()} == {
        ("ada", "03"): "passed",
        ("ada", "04"): "not_attempted",
        ("bo", "03"): "failed",
        ("bo", "04"): "passed",
    }
