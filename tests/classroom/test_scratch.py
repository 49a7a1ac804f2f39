"""What killed batches leave is removed at the next one; what is in use stays."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from grader.classroom.scratch import LOCK, Scratch, sweep

HOLDS = """
import time
from grader.classroom.scratch import Scratch
scratch = Scratch()
print(scratch.name, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(folder, seconds):
    then = time.time() - seconds
    os.utime(folder, (then, then))
    return folder


@pytest.fixture
def other():
    """Another process that uses a folder, and the folder."""
    with subprocess.Popen([sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True) as run:
        folder = Path(run.stdout.readline().strip())
        (folder / "large").write_bytes(b"0" * 1000)
        yield run, aged(folder, 5)
        run.kill()


def test_a_folder_in_use_stays_and_goes_when_its_owner_was_killed(other):
    process, folder = other

    assert sweep() == 0
    process.send_signal(signal.SIGKILL)
    process.wait()

    assert sweep() == 1
    assert not folder.exists()


def test_a_folder_that_was_just_made_stays(temporary):
    (temporary / "grader-new").mkdir()
    (temporary / "grader-new" / LOCK).touch()
    (temporary / "grader-probe").mkdir()

    assert sweep() == 0


def test_a_probes_folder_goes_when_no_probe_lives_that_long(temporary):
    (temporary / "grader-old").mkdir()
    aged(temporary / "grader-old", 4_000)

    assert sweep() == 1


def test_only_folders_with_the_graders_prefix_go_and_no_links(temporary):
    elsewhere = temporary / "mine"
    elsewhere.mkdir()
    (elsewhere / "thesis.tex").touch()
    aged(elsewhere, 10_000)
    (temporary / "grader-link").symlink_to(elsewhere)

    assert sweep() == 0
    assert (elsewhere / "thesis.tex").exists()


def test_it_is_removed_when_it_is_done_with():
    scratch = Scratch()

    scratch.remove()

    assert not Path(scratch.name).exists()
