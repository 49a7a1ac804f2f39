"""Whatever way a class hands in: whose it is, what it answers, what counts, what is refused."""

import os
import stat
import zipfile
from datetime import UTC, datetime

import pytest
from handing_in import NORMALIZER, SCALE, counted, hand_in, notebook, solution, wrong, zipped

from grader.classroom.intake.submissions import collect
from grader.course.catalog import notebook_settings, starter

METADATA = """\
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '4711'
    :email: ada@example.org
  :created_at: 2026-03-01 20:31:28.713837000 Z
submission_2:
  :submitters:
  - :name: Zoë Ünal
    :sid: '4712'
  - :name: Bo Li
    :sid: '4713'
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2026-03-02 01:00:00.000000000 Z
    zone: !ruby/object:ActiveSupport::TimeZone
      name: Europe/Berlin
"""

OF_TOOLS = (
    "venv/lib/python3.11/site-packages", ".venv", "env/Lib/site-packages", "env/bin", "wandb",
    "myenv/lib/python3.12", ".idea", ".vscode", ".history", ".mypy_cache", ".tox/py311/lib",
    "node_modules/x", "build/lib.linux-x86_64", "x.egg-info", "torch-2.9.dist-info",
    "site-packages",
)  # fmt: skip


def left_out(root):
    return {file.file: file.why for file in collect(root).left_out}


def test_a_folder_for_each_learner(tmp_path):
    root = hand_in(
        tmp_path,
        {
            f"Ada Lovelace/{NORMALIZER}.py": solution(),
            f"王小明/week 1/{SCALE}.py": solution(SCALE),
            f"ada/{NORMALIZER} (2).py": solution(),
        },
    )

    assert counted(root) == {
        ("Ada Lovelace", "03"): f"{NORMALIZER}.py",
        ("王小明", "04"): f"week 1/{SCALE}.py",
        ("ada", "03"): f"{NORMALIZER} (2).py",
    }


@pytest.mark.parametrize(
    ("name", "learner"),
    [
        (f"ada_{NORMALIZER}.py", "ada"),
        (f"ada_lovelace_{NORMALIZER}-1.py", "ada_lovelace"),
        (f"Ada Lovelace - {NORMALIZER}.py", "Ada Lovelace"),
        ("ada_03.py", "ada"),
        ("ada.py", "ada"),
        (f"ada_2026_{NORMALIZER}.py", "ada_2026"),
        (f"{NORMALIZER}_ada.py", None),
    ],
)
def test_files_that_begin_with_the_learners_name(tmp_path, name, learner):
    root = hand_in(tmp_path, {name: solution()})

    assert counted(root) == ({(learner, "03"): name} if learner else {})
    assert ("says not whose it is" in left_out(root).get(name, "")) == (learner is None)


def test_canvas(tmp_path):
    root = zipped(
        tmp_path / "submissions.zip",
        {
            f"lovelaceada_4711_90210_{NORMALIZER}-1.py": solution(),
            f"liming_LATE_4712_90211_{NORMALIZER}.py": solution(),
            f"liming_4712_90212_{SCALE}.py": solution(SCALE),
            "nobody_4713_90213_essay.pdf": "",
        },
    )

    intake = collect(root)

    assert [(s.learner, s.learner_id, s.file, s.late) for s in intake.answers] == [
        ("lovelaceada", "4711", f"{NORMALIZER}-1.py", False),
        ("liming", "4712", f"{NORMALIZER}.py", True),
        ("liming", "4712", f"{SCALE}.py", False),
    ]
    assert intake.learners["nobody"] == "4713"


@pytest.mark.parametrize("separator", ["/", ""])
def test_moodle_in_folders_and_without(tmp_path, separator):
    name = f"Ada Lovelace_4711_assignsubmission_file_{separator}{NORMALIZER}.py"
    (submission,) = collect(zipped(tmp_path / "03.zip", {name: solution()})).answers

    assert (submission.learner, submission.learner_id) == ("Ada Lovelace", "4711")
    assert submission.file == f"{NORMALIZER}.py"


def test_two_learners_of_one_name_are_told_apart(tmp_path):
    files = {
        f"Ada Li_{number}_assignsubmission_file_/{NORMALIZER}.py": solution() for number in (1, 2)
    }

    assert set(collect(hand_in(tmp_path, files)).learners) == {"Ada Li (1)", "Ada Li (2)"}


def test_gradescope(tmp_path):
    files = {
        "assignment_9_export/submission_metadata.yml": METADATA,
        f"assignment_9_export/submission_1/{NORMALIZER}.py": solution(),
        "assignment_9_export/submission_2/answer.py": solution(SCALE),
    }

    for root in (hand_in(tmp_path / "folder", files), zipped(tmp_path / "export.zip", files)):
        ada, group = collect(root, due=datetime(2026, 3, 1, 23, tzinfo=UTC)).answers

        assert (ada.learner, ada.learner_id, ada.late) == ("Ada Lovelace", "4711", False)
        assert datetime.fromisoformat(ada.time) == datetime(2026, 3, 1, 20, 31, 28, tzinfo=UTC)
        assert (group.learner, group.learner_id) == ("Zoë Ünal, Bo Li", "4712, 4713")
        assert (group.rubric.number, group.late) == ("04", True)


def test_a_zip_around_the_learners_folders_makes_no_difference(tmp_path):
    files = {f"hand-ins/{name}/{NORMALIZER}.py": solution() for name in ("ada", "bo")}

    assert set(counted(zipped(tmp_path / "all.zip", files))) == {("ada", "03"), ("bo", "03")}


def test_zips_of_learners_in_a_folder_and_in_a_platforms_zip(tmp_path):
    inner = zipped(tmp_path / "inner.zip", {f"mine/{NORMALIZER}.py": solution()}).read_bytes()
    folder = hand_in(tmp_path / "in", {"ada.zip": inner, "bo/homework.zip": inner})
    canvas = zipped(tmp_path / "all.zip", {"ada_1_2_homework.zip": inner})

    assert set(counted(folder)) == {("ada", "03"), ("bo", "03")}
    assert counted(canvas) == {("ada", "03"): f"homework.zip/mine/{NORMALIZER}.py"}
    assert stat.S_IMODE(os.stat(collect(canvas).unpacked.name).st_mode) == 0o700  # no learner's


def test_a_class_tells_the_exercise_where_the_name_does_not(tmp_path):
    root = hand_in(tmp_path, {"ada/model.py": solution(SCALE), "bo/helpers.py": "RATE = 0.1\n"})

    assert counted(root) == {("ada", "04"): "model.py"}
    assert "belongs to no exercise" in left_out(root)["bo/helpers.py"]


def test_the_last_in_time_counts_and_a_starter_replaces_nothing(tmp_path):
    files = {
        f"ada/{NORMALIZER}.py": wrong(),
        f"ada/{NORMALIZER} (1).py": solution(),
        f"ada/course/exercises/{NORMALIZER}.py": starter(NORMALIZER),
    }
    root = hand_in(tmp_path, files)

    assert counted(root) == {("ada", "03"): f"{NORMALIZER} (1).py"}
    assert sorted(left_out(root)) == [
        f"ada/{NORMALIZER}.py",
        f"ada/course/exercises/{NORMALIZER}.py",
    ]


def test_a_late_one_counts_and_is_late(tmp_path):
    root = hand_in(
        tmp_path, {f"ada/a/{NORMALIZER}.py": wrong(), f"ada/b/{NORMALIZER}.py": solution()}
    )
    due = datetime.fromtimestamp(1_770_000_030, tz=UTC)

    (submission,) = collect(root, due=due).answers

    assert (submission.file, submission.late) == (f"b/{NORMALIZER}.py", True)


def test_the_courses_own_solutions_are_not_the_learners(tmp_path):
    root = hand_in(
        tmp_path,
        {
            f"ada/course/exercises/{NORMALIZER}.py": wrong(),
            f"ada/course/solutions/{NORMALIZER}.py": solution(),
            f"ada/course/tests/variants/{NORMALIZER}.py": solution(),
        },
    )

    assert counted(root) == {("ada", "03"): f"course/exercises/{NORMALIZER}.py"}


def test_a_learner_with_an_empty_folder_is_not_forgotten(tmp_path):
    (tmp_path / "bo").mkdir()
    hand_in(tmp_path, {f"ada/{NORMALIZER}.py": solution(), "cy/essay.pdf": ""})

    assert set(collect(tmp_path).learners) == {"ada", "bo", "cy"}


def test_what_tools_leave_behind_is_passed_over(tmp_path):
    clutter = [
        "__MACOSX/x.py",
        ".ipynb_checkpoints/x.py",
        *(f"notebooks/{setting.name}" for setting in notebook_settings()),
        "__pycache__/x.py",
        "._x.py",
        ".DS_Store",
        *(f"{folder}/{NORMALIZER}.py" for folder in OF_TOOLS),
    ]
    root = hand_in(tmp_path / "class", {f"ada/{name}": solution() for name in clutter})
    packed = zipped(tmp_path / "class.zip", {f"ada/{name}": solution() for name in clutter})

    intake, from_zip = collect(root), collect(packed)

    assert (intake.answers, set(intake.learners)) == ([], {"ada"})
    assert left_out(root) == {"ada/": "holds only what tools make"}
    assert (from_zip.answers, from_zip.left_out) == ([], [])


def test_a_learners_own_folder_may_have_the_name_of_a_tools(tmp_path):
    files = {f"{name}/env/{NORMALIZER}.py": solution() for name in ("ada", "bo")}
    root = hand_in(tmp_path, {**files, f"cy/build/week 1/{NORMALIZER}.py": solution()})

    assert {learner for learner, _ in counted(root)} == {"ada", "bo", "cy"}


def test_a_number_counts_only_in_a_files_own_name(tmp_path):
    root = hand_in(
        tmp_path,
        {
            "ada/python3.11/x.py": "import os",
            "bo/week 05/answer.py": solution(),
            "cy/04/notes.py": "import os",
            f"dee/{NORMALIZER}/answer.py": "import os",
            "eve/task_04.py": "import os",
        },
    )

    assert set(counted(root)) == {("bo", "03"), ("dee", "03"), ("eve", "04")}
    assert collect(root).exercises == ("03", "04")


def test_an_environment_does_not_make_a_learners_zip_too_large(tmp_path):
    packages = {f"venv/lib/python3.11/site-packages/m{i}.py": "" for i in range(2_100)}
    zipped(tmp_path / "ada.zip", {f"{NORMALIZER}.py": solution(), **packages})

    assert (set(counted(tmp_path)), left_out(tmp_path)) == ({("ada", "03")}, {})


def member(name, mode=0, **fields):
    info = zipfile.ZipInfo(name, (2026, 3, 1, 12, 0, 0))
    info.external_attr = mode << 16
    for key, value in fields.items():
        setattr(info, key, value)
    return info


@pytest.mark.parametrize(
    ("info", "content", "why"),
    [
        (member(f"../../{NORMALIZER}.py"), "x", "leads out of its zip"),
        (member(f"/etc/{NORMALIZER}.py"), "x", "leads out of its zip"),
        (member(f"..\\..\\{NORMALIZER}.py"), "x", "leads out of its zip"),
        (member(f"C:\\{NORMALIZER}.py"), "x", "leads out of its zip"),
        (member(f"{NORMALIZER}.py", stat.S_IFLNK | 0o777), "/etc/passwd", "symbolic link"),
        (member(f"{NORMALIZER}.py"), b"#" * 12_000_000, "too large (12 MB unpacked"),
    ],
    ids=["up", "absolute", "backslashes", "drive", "link", "bomb"],
)
def test_what_a_hostile_zip_holds_is_refused_with_words(tmp_path, info, content, why):
    zipped(tmp_path / "in" / "eve.zip", {info: content})
    hand_in(tmp_path / "in", {f"ada/{NORMALIZER}.py": solution()})
    before = set(tmp_path.rglob("*"))

    intake = collect(tmp_path / "in")

    assert [submission.learner for submission in intake.answers] == ["ada"]
    (refused,) = intake.left_out
    assert refused.file.startswith("eve.zip/")
    assert why in refused.why
    assert refused.is_answer
    assert set(tmp_path.rglob("*")) == before


def test_zips_that_unpack_to_too_much_or_too_many_or_too_deep_are_refused(tmp_path):
    block = b"#" * 9_000_000
    zipped(tmp_path / "in" / "big.zip", {f"{i}.py": block for i in range(12)})
    zipped(tmp_path / "in" / "many.zip", {f"{i}.txt": "" for i in range(2_001)})
    inner = zipped(tmp_path / "a.zip", {f"{NORMALIZER}.py": solution()}).read_bytes()
    outer = zipped(tmp_path / "b.zip", {"a.zip": inner}).read_bytes()
    zipped(tmp_path / "in" / "deep.zip", {"b.zip": outer})

    refused = left_out(tmp_path / "in")

    assert refused["big.zip"] == "unpacks to 108 MB (at most 100)"
    assert refused["many.zip"] == "holds 2,001 files (at most 2,000)"
    assert "too deep" in refused["deep.zip/b.zip/a.zip"]


def test_a_zip_that_needs_a_password_or_is_broken_is_refused(tmp_path):
    whole = zipped(tmp_path / "ok.zip", {f"{NORMALIZER}.py": solution()}).read_bytes()
    locked = bytearray(whole)
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):  # the flags of the file and of the directory
        offset = whole.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        locked[offset] |= 1
    spoiled = whole.replace(whole[60:70], b"\xff" * 10, 1)
    hand_in(
        tmp_path / "in",
        {"ada.zip": whole[: len(whole) // 2], "bo.zip": bytes(locked), "cy.zip": spoiled},
    )

    intake = collect(tmp_path / "in")

    refused = {file.file: file.why for file in intake.left_out}
    assert "is a broken zip" in refused["ada.zip"]
    assert "is a broken zip" in refused[f"cy.zip/{NORMALIZER}.py"]
    assert refused[f"bo.zip/{NORMALIZER}.py"] == "needs a password"


def test_links_and_pipes_in_a_folder_are_not_followed(tmp_path):
    secret = hand_in(tmp_path / "secret", {"answer.py": solution()})
    root = hand_in(tmp_path / "in", {f"ada/{NORMALIZER}.py": solution()})
    (root / "eve").mkdir()
    (root / "eve" / f"{NORMALIZER}.py").symlink_to(secret / "answer.py")
    (root / "mallory").symlink_to(secret)
    os.mkfifo(root / "eve" / "pipe.py")

    intake = collect(root)

    assert [submission.learner for submission in intake.answers] == ["ada"]
    refused = {file.file: file.why for file in intake.left_out}
    assert "symbolic link" in refused[f"eve/{NORMALIZER}.py"]
    assert "symbolic link" in refused["mallory"]
    assert refused["eve/pipe.py"] == "is no ordinary file"


def test_names_from_macos_zips_are_read_as_they_were_written(tmp_path):
    path = zipped(tmp_path / "all.zip", {f"Zoë Ünal/{NORMALIZER}.py": solution()})
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # macOS leaves the flag out
        start = content.index(mark) + offset
        content[start : start + 2] = (
            int.from_bytes(content[start : start + 2], "little") & ~0x800
        ).to_bytes(2, "little")
    path.write_bytes(bytes(content))

    assert set(counted(path)) == {("Zoë Ünal", "03")}


def test_one_letter_in_two_spellings_is_one_learner(tmp_path):
    root = hand_in(
        tmp_path, {f"José/{NORMALIZER}.py": solution(), f"José/{SCALE}.py": solution(SCALE)}
    )

    assert set(counted(root)) == {("José", "03"), ("José", "04")}


def test_a_notebook_may_answer_several_exercises(tmp_path):
    content = notebook("import torch", solution(), solution(SCALE))

    assert set(counted(hand_in(tmp_path, {"ada/homework.ipynb": content}))) == {
        ("ada", "03"),
        ("ada", "04"),
    }


def test_a_broken_notebook_is_named(tmp_path):
    root = hand_in(tmp_path, {f"ada/{NORMALIZER}.ipynb": b'{"cells": [{'})

    assert "not a notebook" in left_out(root)[f"ada/{NORMALIZER}.ipynb"]
