"""Killed at any moment and started again, a batch repeats nothing and loses nothing."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from handing_in import NORMALIZER, hand_in, solution, wrong

from grader.classroom.results.ledger import LEDGER_NAME, read_ledger
from grader.course.catalog import starter

SUBMISSIONS, KILLS = 100, 8
KINDS = {
    "passed": solution(),
    "failed": wrong(),
    "not_attempted": starter(NORMALIZER),
    "not_defined": "import torch\n",
}
PATIENCE = 600


def start(*arguments):
    command = [sys.executable, "-m", "grader.cli", "batch", *map(str, arguments), "--jobs", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def wait_for_size(path, size, batch):
    """Until the ledger has grown to so many bytes, or the batch has ended."""
    deadline = time.monotonic() + PATIENCE
    while batch.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.stat().st_size >= size:
            return
        time.sleep(0.001)


def status(pid):
    """The state and the parent of a process; None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            state, parent = file.read().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state in "ZX" else (state, int(parent))


def below(pid):
    """Every process below one, by its id."""
    all_of_them = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    own = [process for process in all_of_them if (status(process) or ("", 0))[1] == pid]
    return own + [below_it for child in own for below_it in below(child)]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_killed_at_random_moments_it_ends_as_if_nothing_had_been(tmp_path):
    expected, files = {}, {}
    for i in range(SUBMISSIONS):
        verdict = list(KINDS)[i % len(KINDS)]
        learner = f"learner {i:03}"
        expected[learner] = verdict
        files[f"{learner}/{NORMALIZER}.py"] = f"{KINDS[verdict]}\n# by {learner}\n"
    root, out = hand_in(tmp_path / "in", files), tmp_path / "out"
    drawn = random.Random(7)
    moments = sorted(drawn.random() for _ in range(KILLS))

    for moment in moments:
        batch = start(root, "--out", out)
        wait_for_size(out / LEDGER_NAME, moment * SUBMISSIONS * 1_000, batch)
        time.sleep(drawn.random() * 0.2)
        started = below(batch.pid)
        batch.send_signal(signal.SIGKILL)
        batch.wait()
        deadline = time.monotonic() + PATIENCE
        while any(map(status, started)):
            assert time.monotonic() < deadline, "a process outlived the batch"
            time.sleep(0.01)
    last = start(root, "--out", out)
    errors = last.communicate(timeout=PATIENCE)[1]

    assert (last.returncode, errors) == (0, b"")
    entries = list(read_ledger(out))
    assert {entry.learner: entry.report.verdict for entry in entries} == expected
    assert set(Counter(entry.learner for entry in entries).values()) == {1}
