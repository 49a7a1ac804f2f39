"""The three lists of dependencies agree: pyproject.toml, environment.yml, constraints.txt."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distributions, requires
from itertools import product
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CORE = PROJECT["dependencies"]
EXTRAS = PROJECT["optional-dependencies"]

# Where conda-forge has another name for what PyPI has.
PYPI_NAMES = {"pytorch": "torch"}
# What pip adds to a conda environment, along with the project itself.
FROM_PYPI = {"fsrs", "pyseccomp", "tzdata"}  # conda-forge calls the last python-tzdata
BUILT_FOR_CUDA = ("nvidia-", "cuda-", "triton")

SYSTEMS = [
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
]
VERSIONS = tomllib.loads((ROOT / "grader" / "cli" / "doctor" / "versions.toml").read_text())[
    "python"
]
Pins = dict[NormalizedName, Version]
PYTHONS = VERSIONS["tried"] + VERSIONS["new"]


def everything(extra: str) -> list[str]:
    """Return what an extra asks for, and the extras that it names."""
    named = [Requirement(line) for line in EXTRAS[extra]]
    own = [str(r) for r in named if r.name != PROJECT["name"]]
    others = [extra for r in named if r.name == PROJECT["name"] for extra in sorted(r.extras)]
    return own + [line for other in others for line in everything(other)]


def bounds(lines: list[str]) -> dict[str, SpecifierSet]:
    """Return what each package must satisfy, by its name on PyPI."""
    requirements = [Requirement(line) for line in lines]
    return {PYPI_NAMES.get(r.name, canonicalize_name(r.name)): r.specifier for r in requirements}


@pytest.fixture(scope="module")
def conda() -> list:
    return yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]


@pytest.fixture(scope="module")
def pins() -> Pins:
    text = (ROOT / "constraints.txt").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    pairs = [line.split("==") for line in lines]
    assert all(len(pair) == 2 for pair in pairs), "every line of constraints.txt is name==version"
    versions = {canonicalize_name(name): Version(version) for name, version in pairs}
    assert len(versions) == len(lines), "a package is pinned twice"
    return versions


def test_conda_gets_the_same_packages_and_bounds(conda):
    listed = bounds([line for line in conda if isinstance(line, str)])
    assert "cxx-compiler" in listed  # the native simulated device is compiled
    del listed["cxx-compiler"]
    python = listed.pop("python")
    listed.pop("pip")

    needed = bounds(CORE + everything("notebooks") + everything("classroom"))
    assert listed == {name: needed[name] for name in needed.keys() - FROM_PYPI}
    assert python == SpecifierSet(PROJECT["requires-python"])


def test_conda_installs_the_project_itself_with_pip(conda):
    assert {"pip": ["-e .[notebooks,classroom]"]} in conda


def test_what_the_project_asks_for_is_pinned_and_satisfied(pins):
    lines = {*CORE, *(line for extra in EXTRAS for line in everything(extra))}

    assert [str(r) for r in map(Requirement, lines) if not is_pinned(r, pins)] == []


def is_pinned(requirement: Requirement, pins: Pins, prereleases: bool | None = None) -> bool:
    """Whether a pin satisfies the requirement."""
    pin = pins.get(canonicalize_name(requirement.name))
    return pin is not None and requirement.specifier.contains(pin, prereleases=prereleases)


def test_no_pin_names_a_build_of_torch(pins):
    # torch==2.13.0 accepts the CPU's build and those for CUDA; torch==2.13.0+cpu only the one.
    assert pins["torch"].local is None


def test_no_pin_refuses_the_oldest_python_that_is_promised(pins):
    # Not only its minor version: Debian 12 has 3.11.2, and pip says only that nothing fits.
    oldest = PROJECT["requires-python"].removeprefix(">=") + ".0"
    installed = {
        canonicalize_name(distribution.name): distribution for distribution in distributions()
    }
    asked = {
        name: installed[name].metadata.get("Requires-Python") or ""
        for name, pin in pins.items()
        if name in installed and Version(installed[name].version).public == str(pin)
    }

    assert "torch" in asked
    assert [name for name, python in asked.items() if oldest not in SpecifierSet(python)] == []


@cache
def metadata_of(name: str) -> list[Requirement]:
    """Return all that a package may ask for; nothing if it is not installed here."""
    try:
        return [Requirement(line) for line in requires(name) or []]
    except PackageNotFoundError:
        return []  # another system's, such as pywinpty: pinned, but not here to be asked


def asked_for(package: Requirement, system: dict[str, str]) -> Iterator[Requirement]:
    """Yield what a package asks for on a system: the requirements whose markers hold there."""
    for requirement in metadata_of(package.name):
        marker = requirement.marker
        contexts = [{**system, "extra": extra} for extra in package.extras | {""}]
        if marker is None or any(marker.evaluate(context) for context in contexts):
            yield requirement


def test_what_these_ask_for_in_turn_is_pinned_and_satisfied(pins):
    missing = []
    for system, python in product(SYSTEMS, PYTHONS):
        versions = {"python_version": python, "python_full_version": f"{python}.0"}
        missing += unpinned({**system, **versions}, pins)

    assert missing == []


def unpinned(system: dict[str, str], pins: Pins) -> Iterator[str]:
    """What no pin satisfies on a system, of all that is asked for in turn."""
    waiting = [Requirement(f"{PROJECT['name']}[{','.join(EXTRAS)}]")]
    seen = set()
    while waiting:
        package = waiting.pop()
        if str(package) in seen:
            continue
        seen.add(str(package))
        for requirement in asked_for(package, system):
            # torch built for CUDA names the exact versions of these itself.
            if package.name == "torch" and requirement.name.startswith(BUILT_FOR_CUDA):
                continue
            if is_pinned(requirement, pins, prereleases=True):
                waiting.append(requirement)
            else:
                yield f"{system}: {package.name} asks for {requirement}"
    assert len(seen) > len(PROJECT["dependencies"])
