"""A process of a batch that stops answering is killed and replaced: no batch waits for ever."""

import multiprocessing
import os
import signal
import sys
from threading import Timer

import pytest
from handing_in import NORMALIZER, hand_in, solution

from grader.classroom.grading import engine as engines
from grader.classroom.grading import prober as probers
from grader.classroom.grading.engine import Engine, device_label
from grader.classroom.grading.marking import GradingJob, Settings
from grader.classroom.results.ledger import read_ledger
from grader.course.catalog import find, solution_file
from grader.probe.containment import worker as workers
from grader.probe.containment.sandbox import Level, best_level
from grader.probe.device import NoCudaDeviceError
from grader.probe.tasks import Exercise

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="probes are forked on Linux")

RUBRIC = find("04")


@pytest.fixture
def children():
    """Gives the children that were started since."""
    before = set(multiprocessing.active_children())
    return lambda: set(multiprocessing.active_children()) - before


def test_a_prober_that_is_stopped_is_killed(monkeypatch, children):
    monkeypatch.setattr(probers, "PATIENCE", 1.0)
    task = Exercise(solution_file(RUBRIC.stem), RUBRIC.class_name, 7, "simulated", RUBRIC.recipe)

    with probers.prober("simulated", Level.PROCESS) as probe:
        (process,) = children()
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises((EOFError, OSError)):
            probe(task, 60.0)

    assert not children()


@pytest.fixture
def graded(tmp_path, children):
    """Sends a signal to the only worker, and gives what then comes of an answer."""
    (path := tmp_path / "answer.py").write_text(solution(), encoding="utf-8")

    def run(sent):
        with Engine(1, Settings("simulated", Level.PROCESS)) as engine:
            (worker,) = children()
            os.kill(worker.pid, sent)
            if sent == signal.SIGKILL:
                worker.join()
            ((job, marked),) = engine.run([GradingJob(NORMALIZER, str(path), "ada.py")])
        assert (job.file, children()) == ("ada.py", set())
        return marked

    return run


@pytest.mark.parametrize("sent", [signal.SIGSTOP, signal.SIGKILL])
def test_a_worker_that_is_stopped_or_killed_is_replaced_and_its_submission_marked(
    graded, monkeypatch, sent
):
    seconds = iter([0.5])  # of the worker that is stopped; those after it have time
    monkeypatch.setattr(workers, "Timer", lambda _, kill: Timer(next(seconds, 300.0), kill))

    marked = graded(sent)

    assert (marked.report.verdict, marked.report.source) == ("passed", "ada.py")
    assert marked.seconds > 0


def test_what_kills_every_worker_is_said_and_named(graded, monkeypatch):
    monkeypatch.setattr(engines, "MOST_TRIES", 0)

    marked = graded(signal.SIGKILL)

    assert marked.report.verdict == "cannot_grade"
    assert "killed from outside" in marked.report.message


def hang(connection, choice):
    signal.pause()


def end(connection, choice):
    os._exit(1)


@pytest.mark.parametrize("driver", [hang, end])
def test_a_driver_that_does_not_answer_is_said(driver, monkeypatch, children):
    monkeypatch.setattr(engines, "ASKING", 0.5)
    monkeypatch.setattr(engines, "_send_device", driver)

    with pytest.raises(NoCudaDeviceError, match="--device simulated"):
        device_label("auto")
    assert not children()


GARBAGE = """\
for number in range(3, 256):
    try:
        os.write(number, b"x" * 100)
    except OSError:
        pass
"""
HANGING = {
    "garbage": ("tampered", f"import os, time\n{GARBAGE}time.sleep(3600)\n"),
    "no exit": ("passed", "import os, time\nos._exit = lambda code: time.sleep(3600)\n"),
    "long": ("not_defined", "raise ValueError('long' * 25_000_000)\n"),
}

# An audited file shares the files of the command, so it must find the right one.
INTO_THE_PIPE = """\
frame = sys._getframe()
while "sender" not in frame.f_locals:
    frame = frame.f_back
os.write(frame.f_locals["sender"].connection.fileno(), b"x" * 100)
"""


@pytest.mark.parametrize("level", Level, ids=str)
def test_a_batch_ends_whatever_is_handed_in(level, tmp_path, monkeypatch, grader):
    if best_level() < level:
        pytest.skip(f"this system reaches the isolation {best_level()} only")
    monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: level)
    files = {f"{name}/{NORMALIZER}.py": f"{solution()}\n{HANGING[name][1]}" for name in HANGING}

    grader("batch", hand_in(tmp_path / "in", files), "--out", tmp_path / "out", "--jobs", 2)

    entries = {entry.learner: entry for entry in read_ledger(tmp_path / "out")}
    verdicts = {name: entry.report.verdict for name, entry in entries.items()}
    assert verdicts == {name: verdict for name, (verdict, _) in HANGING.items()}
    assert {entry.isolation for entry in entries.values()} == {str(level)}


FILLING = "for i in range(400): open(f'{i}.bin', 'wb').write(bytes(2**20))"


@pytest.mark.parametrize("level", Level, ids=str)
def test_no_level_of_a_batch_lets_an_answer_fill_the_disk(level, tmp_path, monkeypatch, grader):
    """A prober makes `signal.signal` a no-op for what it will run; no limit may need it."""
    if best_level() < level:
        pytest.skip(f"this system reaches the isolation {best_level()} only")
    monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: level)
    files = {f"ada/{NORMALIZER}.py": f"{solution()}\n{FILLING}\n"}

    grader("batch", hand_in(tmp_path / "in", files), "--out", tmp_path / "out", "--jobs", 1)

    (entry,) = read_ledger(tmp_path / "out")
    in_memory = "not_defined"  # the file system of level `full` is full, and Python says so
    assert entry.report.verdict == (in_memory if level is Level.FULL else "output_limit")
    assert entry.isolation == str(level)


def test_an_audit_ends_whatever_the_file_does(tmp_path, grader):
    net = "from torch import nn\nclass Net(nn.Module): pass\n"
    path = tmp_path / "net.py"
    for text in ("time.sleep(3600)", "os.kill(os.getpid(), 19)", "while True: pass"):
        path.write_text(f"import os, time\n{net}{text}\n", encoding="utf-8")
        assert "TIME IS UP" in grader("audit", path, "--time-limit", "1.5").out
    path.write_text(
        f"import os, sys, time\n{net}{INTO_THE_PIPE}time.sleep(3600)\n", encoding="utf-8"
    )
    assert "TAMPERED" in grader("audit", path).out
