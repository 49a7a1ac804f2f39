"""Try the course with versions that its pins do not name, each in an environment of its own.

`nox -f tools/noxfile.py -s torch -- 2.15.0`, and `numpy`, `jupyterlab`, `ipywidgets` or `pytest`
likewise; `-s python-3.12` for a Python. Write what came of it into the table of docs/testing.md.
"""

import re
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent.parent
nox.options.default_venv_backend = "venv"

DEVICE = ["tests/simulated_cuda", "-m", "not (search or nightly)"]
AUDIT = ["tests/auditing/test_cases.py", "tests/auditing/test_clean.py"]
JUDGING = ["tests/judge", "tests/probe"]
NOTEBOOKS = ["--nbval", "notebooks", "--dist", "loadscope"]
FREEZE = ["python", "-m", "pip", "freeze"]
PLUGIN = ["tests/test_pytest_plugin.py", "tests/learning/notebook/test_plain_nbval.py"]


def _try(session: nox.Session, package: str, *suites: list[str]) -> None:
    """Install what is asked for first; then the course, with the pins of everything else."""
    session.chdir(ROOT)
    if package:
        session.install(f"{package}=={session.posargs[0]}")
    frozen = str(session.run_install(*FREEZE, silent=True)).split()
    chosen = {_name(pin) for pin in frozen}
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n")
    constraints = Path(session.create_tmp(), "constraints.txt")
    constraints.write_text("\n".join(pin for pin in pins if _name(pin) not in chosen))
    session.install("-c", str(constraints), "-e", f"{ROOT}[notebooks,tests]", *frozen)
    for suite in suites:
        session.run("python", "-m", "pytest", "-q", "-n", "auto", *suite, success_codes=[0, 1])
    if suites[0] is DEVICE:
        session.run("python", "tools/verify", success_codes=[0, 1])


def _name(pin: str) -> str:
    return re.split("[= @]", pin)[0].lower().replace("_", "-")


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def python(session: nox.Session) -> None:
    """Another Python, with the pinned versions."""
    _try(session, "", DEVICE, AUDIT, JUDGING, NOTEBOOKS, PLUGIN)


@nox.session
def torch(session: nox.Session) -> None:
    """Another PyTorch."""
    _try(session, "torch", DEVICE, AUDIT, JUDGING)


@nox.session
def numpy(session: nox.Session) -> None:
    """Another NumPy."""
    _try(session, "numpy", DEVICE, AUDIT, JUDGING)


@nox.session
@nox.parametrize("package", ["jupyterlab", "ipywidgets", "matplotlib"])
def notebooks(session: nox.Session, package: str) -> None:
    """Another package of the notebooks: `-s "notebooks(package='ipywidgets')" -- 8.1.0`."""
    _try(session, package, NOTEBOOKS)


@nox.session
def pytest(session: nox.Session) -> None:
    """Another pytest."""
    _try(session, "pytest", JUDGING, PLUGIN)
