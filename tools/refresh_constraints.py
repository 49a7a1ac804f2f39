"""Write constraints.txt: the newest version of everything that works with the pinned torch."""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"

HEADER = """\
# Every dependency, direct and transitive, at the exact version the course was tested with.
# Refreshed by `make constraints`. torch stays where it is, since the notebooks show its outputs: to
# move it, edit its line, refresh, and store what they show then with `make outputs`.
# The extra `mutation` asks for some that CI does not install.
"""

# Dependencies of JupyterLab and its friends on Windows and macOS. They are asked for by name
# because pip, run on one system, never looks at what the others need.
OTHER_SYSTEMS = ["appnope", "colorama", "pywinpty", "win32-setctime"]

# Newer ones refuse a Python that the course promises to work with: Debian 12 has 3.11.2.
HELD_BACK = ["soupsieve<3"]

# torch on Linux brings the CUDA libraries it was built with, and pins them itself.
PINNED_BY_TORCH = re.compile(r"nvidia-|cuda-|triton")


def torch_pin() -> str:
    """Return the line of constraints.txt that names torch."""
    return next(line for line in CONSTRAINTS.read_text().splitlines() if line.startswith("torch=="))


def installed_pins(scratch: Path) -> list[str]:
    """Install the project with all its extras into a new environment; return what is in it."""
    subprocess.run([sys.executable, "-m", "venv", scratch / "venv"], check=True)
    python = scratch / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = ",".join(project["optional-dependencies"])
    # First and alone, so that nothing else has a say in which torch it is.
    subprocess.run([*pip, "install", "--quiet", torch_pin()], check=True)
    subprocess.run([*pip, "install", "--quiet", "-e", f"{ROOT}[{extras}]", *HELD_BACK], check=True)
    freeze = [*pip, "freeze", "--all", "--exclude", "pip", "--exclude", project["name"]]
    pins = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout.splitlines()
    # `+cpu` or `+cu130` names one build of a version, and which to take is up to each machine.
    return [pin.partition("+")[0] for pin in pins if not PINNED_BY_TORCH.match(pin)]


def other_systems_pins(scratch: Path) -> list[str]:
    """Return the newest versions of the packages that only other systems need."""
    report = scratch / "report.json"
    flags = ["--quiet", "--disable-pip-version-check", "--dry-run", "--no-deps"]
    elsewhere = ["--platform", "win_amd64", "--only-binary", ":all:", "--target", f"{scratch}/none"]
    command = [sys.executable, "-m", "pip", "install", *flags, *elsewhere, "--report", str(report)]
    subprocess.run([*command, *OTHER_SYSTEMS], check=True)
    packages = [item["metadata"] for item in json.loads(report.read_text())["install"]]
    return [f"{package['name']}=={package['version']}" for package in packages]


def main() -> None:
    """Resolve in a scratch directory, then replace constraints.txt."""
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        pins = {*installed_pins(scratch), *other_systems_pins(scratch)}
    CONSTRAINTS.write_text(HEADER + "\n".join(sorted(pins, key=str.lower)) + "\n")


if __name__ == "__main__":
    main()
