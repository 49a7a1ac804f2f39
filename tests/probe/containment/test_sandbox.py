"""A sandboxed probe: which sandbox is set up, what it lets through, and when a level is refused."""

import os
import resource
import signal
import threading
from dataclasses import replace

import pytest
from in_sandbox import run_sandboxed

from grader.classroom.grading.prober import cpu_seconds
from grader.course.catalog import find, solution_file
from grader.probe.containment import sandbox
from grader.probe.containment.sandbox import (
    IsolationError,
    Level,
    Limits,
    levels,
    probe_confined,
    profiles,
    syscalls,
)
from grader.probe.containment.supervisor import probe_in_child
from grader.probe.tasks import Exercise

RUBRIC = find("04")


def task(path):
    return Exercise(path, RUBRIC.class_name, 7, "simulated", RUBRIC.recipe)


def test_the_walls_change_nothing_of_the_evidence():
    right = task(solution_file(RUBRIC.stem))

    confined = probe_confined(right, Limits(), Level.PROCESS)

    assert confined.evidence == probe_in_child(right)
    assert confined.evidence.ending == "complete"
    assert confined.isolation is sandbox.best_level()


def test_below_the_level_that_is_asked_for_nothing_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: Level.PROCESS)
    path, trace = tmp_path / "answer.py", tmp_path / "ran"
    path.write_text(f"open({str(trace)!r}, 'w')", encoding="utf-8")

    with pytest.raises(IsolationError, match="reaches the isolation process, and full was asked"):
        probe_confined(task(path), Limits(), Level.FULL)
    assert not trace.exists()


@pytest.mark.skipif(sandbox.best_level() < Level.FILESYSTEM, reason="no sandbox here")
def test_the_modules_next_to_an_answer_can_be_let_in(tmp_path):
    path, other = tmp_path / "answer.py", tmp_path / "scales.py"
    other.write_text("START = 1.0\n", encoding="utf-8")
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    path.write_text("import scales\n" + source.replace('"""One', '"""From scales. One'), "utf-8")

    alone = probe_confined(task(path), Limits(), Level.FILESYSTEM)
    both = replace(task(path), has_modules=True)
    together = probe_confined(both, Limits(), Level.FILESYSTEM)

    assert alone.evidence.undefined is not None
    assert together.evidence.undefined is None


def test_what_a_probe_used_of_the_processor_is_not_forgotten(tmp_path):
    path = tmp_path / "answer.py"
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    path.write_text("import time\nwhile time.process_time() < 1: pass\n" + source, "utf-8")
    before = cpu_seconds()

    probe_confined(task(path), Limits(), Level.PROCESS)

    assert cpu_seconds() - before >= 1


def some_walls(tmp_path, level):
    if sandbox.best_level() < level:
        pytest.skip(f"this system reaches the isolation {sandbox.best_level()} only")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return profiles.KernelSandbox(scratch, (), whole=level is Level.FULL)


@pytest.mark.parametrize("level", [Level.FILESYSTEM, Level.FULL])
def test_a_grader_that_is_installed_among_packages_keeps_its_answers(level, tmp_path, monkeypatch):
    library = tmp_path / "lib" / "python3"
    package = library / "site-packages" / "grader"
    for folder in (package / "course", package / "probe", library / "site-packages" / "torch"):
        folder.mkdir(parents=True)
        (folder / "text.py").write_text("text", encoding="utf-8")
    (library / "os.py").write_text("os", encoding="utf-8")
    monkeypatch.setattr(profiles, "PACKAGE", package)
    monkeypatch.setattr(profiles, "_folders", lambda: iter((library, tmp_path / "lib")))
    kept_by = some_walls(tmp_path, level)
    profiles.libraries.cache_clear(), profiles.listable_folders.cache_clear()

    def look():
        names = ("os.py", "site-packages/torch/text.py", "site-packages/grader/probe/text.py")
        read = [(library / name).read_text("utf-8") for name in names]
        return [*read, *os.listdir(library / "site-packages")]

    try:
        assert sorted(run_sandboxed(kept_by, look)) == ["grader", "os", "text", "text", "torch"]
        answer = package / "course" / "text.py"
        assert run_sandboxed(kept_by, lambda: answer.read_text("utf-8")) == "PermissionError"
    finally:
        profiles.libraries.cache_clear(), profiles.listable_folders.cache_clear()


@pytest.mark.parametrize("level", [Level.FILESYSTEM, Level.FULL])
def test_nothing_below_the_grader_can_be_read_but_what_probes(level, tmp_path):
    kept_by = some_walls(tmp_path, level)

    for path in (
        solution_file("04_parameter_or_buffer"),
        profiles.PACKAGE / "course" / "catalog.py",
    ):
        assert run_sandboxed(kept_by, path.read_text) == "PermissionError"


@pytest.mark.parametrize("level", [Level.FILESYSTEM, Level.FULL])
@pytest.mark.skipif(not syscalls.can_filter(), reason="no libseccomp here")
def test_other_processes_are_out_of_reach(level, tmp_path):
    kept_by, parent = some_walls(tmp_path, level), os.getpid()
    before = resource.getrlimit(resource.RLIMIT_CPU)
    acts = (
        lambda: resource.prlimit(parent, resource.RLIMIT_CPU, (0, 0)),
        lambda: os.setpriority(os.PRIO_PROCESS, parent, 19),
        lambda: os.sched_setaffinity(parent, {0}),
        lambda: os.kill(parent, signal.SIGCONT),
        lambda: os.kill(-1, signal.SIGCONT),
        os.fork,
    )

    for act in acts:
        assert run_sandboxed(kept_by, act) in ("PermissionError", "ProcessLookupError")
    assert resource.getrlimit(resource.RLIMIT_CPU) == before


@pytest.mark.parametrize("level", [Level.FILESYSTEM, Level.FULL])
def test_a_process_keeps_what_it_needs_for_itself(level, tmp_path):
    def live():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.prlimit(0, resource.RLIMIT_CORE)
        os.kill(os.getpid(), signal.SIGCONT)
        os.sched_setaffinity(0, os.sched_getaffinity(0))
        thread = threading.Thread(target=print)
        thread.start()
        thread.join()
        return "lived"

    assert run_sandboxed(some_walls(tmp_path, level), live) == "lived"


def test_a_level_that_is_not_reached_prints_no_traceback(monkeypatch, capfd):
    def refused(*_):
        raise PermissionError("not here")

    monkeypatch.setattr(profiles.landlock, "restrict", refused)
    levels.best_level.cache_clear()
    try:
        assert levels.best_level() is Level.PROCESS
    finally:
        levels.best_level.cache_clear()

    assert capfd.readouterr() == ("", "")
