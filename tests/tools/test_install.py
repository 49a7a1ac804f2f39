"""`make grade` sets up .venv with uv where it is on PATH, and without it elsewhere: the same."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="plays uv with a shell script")

TOOL = Path(__file__).resolve().parents[2] / "tools" / "install.py"
INSTALL = runpy.run_path(str(TOOL))
EXTRAS = ".[notebooks]"
EXPECTED = ["-c", "constraints.txt", "-e", EXTRAS]
SETTINGS = """\
:env:.extra-index-url='https://example.org/one https://example.org/two'
global.extra-index-url='https://example.org/elsewhere'
global.find-links='/wheels'
global.timeout='60'
install.index-url='https://example.org/simple?a=b'
"""
PLAYED = """\
import json, sys
if sys.argv[1:] == ["config", "list"]:
    print({settings!r})
else:
    with open({calls!r}, "a") as file:
        print(json.dumps([{name!r}, *sys.argv[1:]]), file=file)
    print("failed:", {name!r})
    sys.exit({status})
"""


@pytest.fixture
def played(tmp_path):
    """Runs the tool where pip, venv and perhaps uv only write down how they are called."""
    calls, modules, path = tmp_path / "calls", tmp_path / "modules", tmp_path / "bin"
    calls.touch()
    modules.mkdir()
    path.mkdir()

    def play(name, status):
        return PLAYED.format(name=name, status=status, calls=str(calls), settings=SETTINGS)

    def run(*arguments, uv=None, pip=0):
        for name in ("pip", "venv"):
            (modules / f"{name}.py").write_text(play(name, pip), encoding="utf-8")
        if uv is not None:
            (modules / "uv.py").write_text(play("uv", uv), encoding="utf-8")
            script = path / "uv"
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{modules}/uv.py" "$@"\n')
            script.chmod(0o755)
        environment = {**os.environ, "PATH": str(path), "PYTHONPATH": str(modules)}
        command = [sys.executable, str(TOOL), *arguments]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return [json.loads(line) for line in calls.read_text().splitlines()], ran

    return run


def without_options(call):
    """A call of uv up to what says for which Python, and with which indexes."""
    cut = call.index("--python")
    assert call[cut + 1] == sys.executable
    return call[:cut]


def test_uv_installs_where_it_is(played):
    (call,), ran = played(EXTRAS, uv=0)

    assert without_options(call) == ["uv", "pip", "install", *EXPECTED]
    assert call[-len(INSTALL["uv_options"](SETTINGS)) :] == INSTALL["uv_options"](SETTINGS)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_uv_makes_an_environment_with_pip_over_one_that_is_there(played):
    (call,), ran = played("--venv", "env", uv=0)

    assert without_options(call) == ["uv", "venv", "--seed", "--allow-existing", "env"]
    assert ran.returncode == 0


def test_pip_installs_from_the_same_constraints_where_there_is_no_uv(played):
    (call,), ran = played(EXTRAS)

    assert call[:2] == ["pip", "install"]
    assert call[-len(EXPECTED) :] == EXPECTED
    assert ran.returncode == 0


def test_python_makes_the_environment_where_there_is_no_uv(played):
    assert played("--venv", "env")[0] == [["venv", "env"]]


def test_where_uv_fails_pip_follows_and_both_say_why(played):
    calls, ran = played(EXTRAS, uv=2, pip=1)

    assert [name for name, *_ in calls] == ["uv", "pip"]
    assert ran.returncode == 1
    assert ran.stderr.splitlines() == [
        "failed: uv",
        "uv failed, as it says above. Going on without it.",
        "failed: pip",
    ]


def test_uv_is_told_pips_indexes_and_the_environment_overrides_a_file():
    assert INSTALL["uv_options"](SETTINGS) == [
        *["--index-strategy", "unsafe-best-match"],
        *["--find-links", "/wheels"],
        *["--default-index", "https://example.org/simple?a=b"],
        *["--index", "https://example.org/one"],
        *["--index", "https://example.org/two"],
    ]
    assert INSTALL["uv_options"]("") == ["--index-strategy", "unsafe-best-match"]


def test_the_progress_line_says_what_uv_does():
    printed = [
        "Using Python 3.11.7 environment at: .venv\n",
        "Resolved 131 packages in 803ms\n",
        "Downloading torch (846.9MiB)\n",
        " Downloaded torch\n",
        "Prepared 130 packages in 21.05s\n",
    ]

    assert list(INSTALL["steps"](printed)) == [
        "Resolved 131 packages",
        "Downloading torch (846.9MiB)",
        "Prepared 130 packages",
    ]
