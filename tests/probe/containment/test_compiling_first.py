"""The simulated device is compiled before the clock of a learner's first answer starts."""

import subprocess
import sys

import pytest

from grader.probe.containment.supervisor import prepare_device

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system runs no shell script")
PROBE_TWICE = """
import os
from grader.course.catalog import find, solution_file
from grader.probe.containment.supervisor import probe_in_child
from grader.probe.tasks import Exercise

rubric = find("04")
task = Exercise(solution_file(rubric.stem), rubric.class_name, 7, "simulated", rubric.recipe)
print(os.getpid(), *(probe_in_child(task).ending for _ in range(2)))
"""


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Writes who asked for the C++ compiler, which fails; nothing was compiled before.

    The compiler's parent is the process that ends it with its caller (native/build.py).
    """
    program, who = tmp_path / "compiler", tmp_path / "asked"
    program.write_text(f'#!/bin/sh\necho $(ps -o ppid= -p $PPID) >> "{who}"\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("CXX", str(program))
    monkeypatch.setenv("SIMULATED_CUDA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SIMULATED_CUDA_IMPLEMENTATION", raising=False)
    return who


def test_the_process_that_waits_compiles_and_only_once(asked):
    # In a new Python: another test may have loaded the device into this one.
    ran = subprocess.run([sys.executable, "-c", PROBE_TWICE], capture_output=True, text=True)

    assert ran.returncode == 0, ran.stderr
    pid, *endings = ran.stdout.split()
    assert endings == ["complete", "complete"]
    assert asked.read_text() == f"{pid}\n"


def test_for_a_gpu_nothing_is_compiled(asked):
    prepare_device("cuda")

    assert not asked.exists()


def test_a_command_says_so_before_it_compiles(asked):
    command = [sys.executable, "-m", "grader.cli", "check", "04", "--device", "simulated"]
    ran = subprocess.run(command, capture_output=True, text=True)

    assert asked.exists()
    assert ran.stderr.startswith("Compiling the simulated CUDA device, once")
