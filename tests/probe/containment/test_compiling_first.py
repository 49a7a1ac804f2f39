"""The simulated device is compiled before the clock of a learner's first answer starts."""

import subprocess
import sys

import pytest

from grader.probe.containment.supervisor import prepare_device

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system runs no shell script")


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


def test_the_process_that_waits_says_so_and_compiles_only_once(asked, course):
    # In a new Python: another test may have loaded the device into this one.
    command = [sys.executable, "-m", "grader.cli", "check", "03", "04", "--device", "simulated"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as ran:
        printed, errors = ran.communicate()

    assert printed.count("NOT ATTEMPTED") == 2
    assert asked.read_text() == f"{ran.pid}\n"
    assert errors.startswith("Compiling the simulated CUDA device, once")


def test_for_a_gpu_nothing_is_compiled(asked):
    prepare_device("cuda")

    assert not asked.exists()
