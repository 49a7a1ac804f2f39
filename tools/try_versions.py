"""Try the course with versions that its pins do not name; each in an environment of its own.

Usage: python tools/try_versions.py [REQUIREMENT ...]

Without requirements: the newest release of each minor version of PyTorch since the oldest that is
allowed, of the other packages the oldest allowed and the newest, and each Python that is on the
path. `python==3.12` is a requirement, too. What was found is kept in
benchmarks/results/versions.json, and the table in docs/testing.md is written from that.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from check import ROOT, outcomes, tests_in
from versions import VERSIONS

RESULTS = ROOT / "benchmarks" / "results" / "versions.json"
PAGE = ROOT / "docs" / "testing.md"
MARK = "<!-- written by tools/try_versions.py -->\n"
# What is run, by the heading of its column.
DEVICE = ("Simulated device", ["tests/simulated_cuda", "-m", "not (search or nightly)"])
AUDIT = ("Audit", ["tests/auditing/test_cases.py", "tests/auditing/test_clean.py"])
JUDGING = ("Judging", ["tests/judge", "tests/probe"])
NOTEBOOKS = ("Notebooks", ["--nbval", "notebooks", "--dist", "loadscope"])
NBVAL = "tests/learning/notebook/test_plain_nbval.py"
PLUGIN = ("pytest plugin", ["tests/test_pytest_plugin.py", NBVAL])
VERIFY = "tools/verify"
COLUMNS = (VERIFY, *(name for name, _ in (DEVICE, AUDIT, JUDGING, NOTEBOOKS, PLUGIN)))
# By package, what its version can break.
AFFECTED = {
    "python": (DEVICE, AUDIT, JUDGING, NOTEBOOKS, PLUGIN),
    "torch": (DEVICE, AUDIT, JUDGING),
    "numpy": (DEVICE, AUDIT, JUDGING),
    "jupyterlab": (NOTEBOOKS,),
    "ipywidgets": (NOTEBOOKS,),
    "matplotlib": (NOTEBOOKS,),
    "pytest": (JUDGING, PLUGIN),
}
VERIFIED = ("python", "torch", "numpy")
Row = dict[str, Any]


def main() -> None:
    """Try each requirement, and write the table after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("requirements", nargs="*", help="such as torch==2.15.0 or numpy==1.26.4")
    requirements = parser.parse_args().requirements or list(all_requirements())
    for requirement in requirements:
        print(f"{requirement}:", flush=True)
        try:
            row = tried(requirement)
        except subprocess.CalledProcessError:
            print("  cannot be installed here", flush=True)
            continue
        rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        rows[requirement] = row
        RESULTS.write_text(json.dumps(dict(sorted(rows.items(), key=_by_version)), indent=1) + "\n")
        PAGE.write_text(page(PAGE.read_text(), rows), encoding="utf-8")


def all_requirements() -> Iterator[str]:
    """Each Python, each minor version of PyTorch, the oldest allowed and newest of the others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pythons = VERSIONS["python"]["tried"] + VERSIONS["python"]["new"]
    yield from (f"python=={version}" for version in pythons if shutil.which(f"python{version}"))
    extras = [line for extra in project["optional-dependencies"].values() for line in extra]
    oldest = dict(
        re.findall(r"^([\w-]+)>=([\d.]+)$", "\n".join(project["dependencies"] + extras), re.M)
    )
    for package in filter(oldest.get, AFFECTED):
        releases = [v for v in _releases(package) if _numbers(v) >= _numbers(oldest[package])]
        minor = {_numbers(version)[:2]: version for version in releases}
        chosen = set(minor.values()) if package == "torch" else {releases[0], releases[-1]}
        yield from (f"{package}=={version}" for version in sorted(chosen, key=_numbers))


def tried(requirement: str) -> Row:
    """Install a requirement beside the course, run what its version can break, and count."""
    package, _, version = requirement.partition("==")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # root judges a class as a user that has to read the packages
        interpreter = f"python{version}" if package == "python" else sys.executable
        subprocess.run([interpreter, "-m", "venv", Path(folder, "venv")], check=True)
        python = Path(folder, "venv", "bin", "python")
        _install(python, requirement, Path(folder, "constraints.txt"))
        row: Row = {"date": str(date.today()), "python": _minor_version(python)}
        if package in VERIFIED:
            row[VERIFY] = _verified(python, Path(folder, "journal.json"))
            print(f"  {VERIFY}: {_in_words(row[VERIFY])}", flush=True)
        for name, arguments in AFFECTED[package]:
            row[name] = _tested(python, arguments, Path(folder, f"{name}.xml"))
            print(f"  {name}: {_in_words(row[name])}", flush=True)
    return row


def _minor_version(python: Path) -> str:
    asked = "import sys; print(*sys.version_info[:2], sep='.')"
    ran = subprocess.run([str(python), "-c", asked], check=True, capture_output=True, text=True)
    return ran.stdout.strip()


def _install(python: Path, requirement: str, constraints: Path) -> None:
    """Install what is asked for first; then the course, with the pins of everything else."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    install = [*pip, "install", "-q", "--no-compile"]
    # The environment's own, so that it is pinned only where the requirement brings one.
    subprocess.run([*pip, "uninstall", "-q", "-y", "setuptools"], check=True)
    if not requirement.startswith("python=="):  # that is the interpreter of the environment
        subprocess.run([*install, requirement], check=True)
    freeze = [*pip, "freeze", "--all"]  # with setuptools, of which a PyTorch can need an older one
    frozen = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout
    chosen = {_name(pin) for pin in frozen.splitlines()}
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    others = [pin for pin in pins if _name(pin) not in chosen]
    constraints.write_text("\n".join([*others, *frozen.splitlines()]))
    subprocess.run([*install, "-c", str(constraints), "-e", f"{ROOT}[notebooks,tests]"], check=True)


def _name(pin: str) -> str:
    return pin.partition("==")[0].lower().replace("_", "-")


def _verified(python: Path, journal: Path) -> Row:
    """How many lines of `tools/verify` are as declared."""
    command = [str(python), str(ROOT / "tools" / "verify")]
    environment = _environment(journal)
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    marks = [line.lstrip()[:1] for line in ran.stdout.splitlines()]
    _show(line.strip() for line in ran.stdout.splitlines() if line.lstrip()[:1] == "✗")
    return {"passed": marks.count("✓"), "failed": marks.count("✗")}


def _tested(python: Path, arguments: list[str], results: Path) -> Row:
    command = [str(python), "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider"]
    command += [f"--junitxml={results}", *arguments]
    environment = _environment(results.with_suffix(".journal.json"))
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    _show(failures(results))
    return {"passed": 0, **outcomes(tests_in(results))}


def failures(results: Path) -> Iterator[str]:
    """Which tests failed, and with which message, from a JUnit file; nothing if there is none."""
    if results.exists():
        for case in ElementTree.parse(results).iter("testcase"):
            for kind in ("failure", "error"):
                for found in case.iter(kind):
                    name = f"{case.get('classname')}::{case.get('name')}"
                    yield f"{name}: {found.get('message', '')[:300]}"


def _show(failed: Iterable[str]) -> None:
    """Print what failed, which the table only counts."""
    for line in failed:
        print(f"    {line}", flush=True)


def _environment(journal: Path) -> dict[str, str]:
    """This program's, without what leads to its own packages, and with nobody's progress."""
    # Container images set the last. Each process would compile PyTorch's Python files again.
    ours = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "OMP_NUM_THREADS": "1", "GRADER_JOURNAL": str(journal)}


def page(text: str, rows: dict[str, Row]) -> str:
    """The page with its table written anew."""
    head, _, _ = text.partition(MARK)
    columns = [name for name in COLUMNS if any(name in row for row in rows.values())]
    lines = [f"| with | {' | '.join(columns)} | Python | on |", "| --- " * (len(columns) + 3) + "|"]
    for requirement, row in sorted(rows.items(), key=_by_version):
        cells = [_in_words(row[name]) if name in row else "" for name in columns]
        what = requirement.replace("==", " ")
        lines.append(f"| {what} | {' | '.join(cells)} | {row['python']} | {row['date']} |")
    return f"{head}{MARK}\n" + "\n".join(lines) + "\n"


def _in_words(counts: Row) -> str:
    others = (f", {counts[name]} {name}" for name in ("failed", "skipped") if counts.get(name))
    return f"{counts['passed']} passed{''.join(others)}"


def _by_version(item: tuple[str, Any]) -> tuple[int, tuple[int, ...]]:
    package, _, version = item[0].partition("==")
    return list(AFFECTED).index(package), _numbers(version)


def _releases(package: str) -> list[str]:
    """All releases that pip finds, oldest first."""
    command = [sys.executable, "-m", "pip", "index", "versions", package]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    listed = found.partition("Available versions: ")[2].partition("\n")[0].split(", ")
    versions = {version.partition("+")[0] for version in listed}
    return sorted(versions, key=_numbers)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0])))


if __name__ == "__main__":
    main()
