"""Level `process`: a working folder of its own, and nothing that Python writes lands elsewhere."""

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

import pytest
import torch
from handing_in import hand_in
from in_sandbox import run_sandboxed

from grader.classroom.batch import BatchOptions, run_batch
from grader.classroom.results.ledger import read_ledger
from grader.course.catalog import find, solution_file
from grader.probe.containment.sandbox import Level, Limits, probe_confined, profiles, users
from grader.probe.containment.sandbox.profiles import ProcessSandbox
from grader.probe.tasks import Exercise

RUBRIC = find("04")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks a process to try it in")


@pytest.fixture
def scratch(tmp_path):
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def kept(scratch, act):
    """What `act` gives in a process that is kept at this level: text, or the error's name."""
    return run_sandboxed(ProcessSandbox(scratch, ()), act)


def in_reach(path):
    """Ways to write, remove or replace a file."""
    mine = Path("mine")
    return {
        "write": lambda: path.write_text("changed"),
        "append": lambda: open(path, "a"),
        "update": lambda: open(path, "r+"),
        "os.open": lambda: os.open(path, os.O_WRONLY),
        "remove": path.unlink,
        "rename away": lambda: path.rename("mine"),
        "rename over": lambda: (mine.write_text("x"), mine.replace(path)),
        "truncate": lambda: os.truncate(path, 0),
        "chmod": lambda: path.chmod(0o777),
        "rmtree": lambda: shutil.rmtree(path.parent),
        "copy": lambda: (mine.write_text("x"), shutil.copy(mine, path)),
        "by a link": lambda: (mine.symlink_to(path), mine.write_text("changed")),
        "by a link to the folder": lambda: (
            mine.symlink_to(path.parent),
            os.unlink(mine / path.name),
        ),
        "by ..": lambda: Path("..", path.parent.name, path.name).write_text("changed"),
        "by a descriptor": lambda: os.unlink(path.name, dir_fd=os.open(path.parent, os.O_RDONLY)),
    }


@pytest.mark.parametrize("way", in_reach(Path("x/y")))
def test_a_file_of_the_teachers_stays_as_it_is(way, scratch, tmp_path):
    path = tmp_path / "marks" / "model.pt"
    path.parent.mkdir()
    path.write_text("the teacher's", encoding="utf-8")

    assert kept(scratch, in_reach(path)[way]) == "PermissionError"
    assert path.read_text(encoding="utf-8") == "the teacher's"
    assert stat.S_IMODE(path.stat().st_mode) != 0o777


def test_its_own_folder_is_its_own(scratch):
    def work():
        torch.save(torch.ones(2), "model.pt")
        Path("notes").mkdir()
        Path("notes", "a.txt").write_text("a")
        Path("notes", "a.txt").rename("b.txt")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as file:
            Path(folder, "inner").mkdir()
            file.write(b"x")
        open(os.devnull, "w").close()
        shutil.rmtree("notes")
        return sorted(os.listdir())

    assert kept(scratch, work) == ["b.txt", "model.pt"]


def test_an_honest_save_does_not_overwrite_the_teachers(tmp_path, monkeypatch):
    monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: Level.PROCESS)
    monkeypatch.chdir(tmp_path)
    teachers = tmp_path / "model.pt"
    teachers.write_text("the teacher's", encoding="utf-8")
    answer = tmp_path / "answer.py"
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    answer.write_text(f'{source}\ntorch.save(CenterScale(3).state_dict(), "model.pt")\n', "utf-8")
    task = Exercise(answer, RUBRIC.class_name, 7, "simulated", RUBRIC.recipe)

    confined = probe_confined(task, Limits(), Level.PROCESS)

    assert (confined.evidence.ending, confined.isolation) == ("complete", Level.PROCESS)
    assert confined.evidence.undefined is None
    assert teachers.read_text(encoding="utf-8") == "the teacher's"


as_root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become somebody else"
)


@pytest.fixture
def reachable_scratch():
    """One that other users reach; pytest's own folders are closed to them."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        Path(folder, "scratch").mkdir()
        yield Path(folder, "scratch")


@as_root
def test_root_becomes_a_user_that_no_other_process_is(reachable_scratch, tmp_path, monkeypatch):
    monkeypatch.setattr(users, "others_may_read", lambda path: True)
    monkeypatch.setattr(profiles, "is_enabled", lambda: True)
    scratch = reachable_scratch
    results = tmp_path / "results"
    results.mkdir(mode=0o700)
    parent = os.getpid()

    def look():
        attempts = []
        for act in (lambda: os.listdir(results), lambda: os.kill(parent, 0), lambda: os.setuid(0)):
            try:
                act()
            except PermissionError:
                attempts.append("refused")
        Path("mine").write_text("x")
        return [os.getuid(), *os.getgroups(), *attempts]

    first, second = kept(scratch, look), kept(scratch, look)

    assert first[1:] == ["refused"] * 3
    assert first[0] not in (0, second[0])


@as_root
@pytest.mark.parametrize("readable", [True, False])
def test_root_stays_root_where_nobody_else_could_read_what_is_needed(
    readable, reachable_scratch, tmp_path, monkeypatch
):
    monkeypatch.setattr(users, "others_may_read", lambda path: readable)
    monkeypatch.setattr(profiles, "is_enabled", lambda: not readable)
    monkeypatch.setattr(profiles, "cache_folder", lambda: tmp_path / "missing" / "cache")

    assert kept(reachable_scratch, os.getuid) == 0


def test_who_may_read(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "file").touch()
    reachable = users.others_may_read(Path(os.sep))

    inner.chmod(0o700)

    assert reachable
    assert not users.others_may_read(inner / "file")
    assert not users.others_may_read(inner / "missing")


@as_root
def test_a_batch_of_roots_runs_answers_as_users_that_cannot_write_a_result(tmp_path, monkeypatch):
    """As in Gradescope's container, where a forged results.json once gave full marks."""
    results = tmp_path / "results"
    results.mkdir(mode=0o700)
    (results / "results.json").write_text("no result yet", encoding="utf-8")
    forge = f"""
import os
print("user", os.getuid())
try:
    torch.save(torch.ones(1), "{results}/results.json")  # not seen by Python's audit hooks
except RuntimeError:
    print("refused")
"""
    monkeypatch.setattr(users, "others_may_read", lambda path: True)
    for module in ("classroom.batch", "probe.containment.sandbox.levels"):
        monkeypatch.setattr(f"grader.{module}.best_level", lambda: Level.PROCESS)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        answer = solution_file(RUBRIC.stem).read_text(encoding="utf-8") + forge
        hand_in(Path(folder, "in"), {f"ada/{RUBRIC.stem}.py": answer})
        run_batch(
            Path(folder, "in"), Path(folder, "out"), BatchOptions(jobs=1), lambda _: lambda: None
        )
        (entry,) = read_ledger(Path(folder, "out"))

    assert (entry.report.verdict, entry.isolation) == ("passed", "process")
    who, *rest = entry.report.printed.splitlines()
    assert who != "user 0"
    assert rest == ["refused"]
    assert (results / "results.json").read_text(encoding="utf-8") == "no result yet"
