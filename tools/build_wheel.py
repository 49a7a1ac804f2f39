"""Build the wheel with the simulated device's libraries, and try it where there is no compiler.

Usage: python tools/build_wheel.py [--glibc 2.28] [--libraries-only] OUT [PYTHON ...]

Each PYTHON is an interpreter that has a PyTorch (this one, if none is given): the wheel carries a
library for each. Then it is installed next to that PyTorch, in an environment without a compiler
and with an empty cache, and must use its library. The release workflow compiles Linux's libraries
with `--libraries-only --glibc 2.28`, in the image that PyTorch's own wheels are built in.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = Path("grader", "simulated_cuda", "native", "built")
# Prints the implementation in use, and where its library comes from.
TRY = """
import torch
from grader.simulated_cuda import simulated_cuda
from grader.simulated_cuda.native import build
with simulated_cuda(devices=2):
    there = torch.nn.Linear(3, 1).cuda()(torch.ones(2, 3, device="cuda")).sum().device
print(torch.__version__, simulated_cuda.implementation(), there, build.find_or_build().parent.name)
"""


def main() -> None:
    """Compile, build and try; raise `CalledProcessError` at what fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the folder for the wheel, or for the libraries")
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", default=[sys.executable])
    parser.add_argument("--libraries-only", action="store_true", help="compile, and no more")
    parser.add_argument("--glibc", help="the newest glibc that a library may ask for")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        libraries = asked.out if asked.libraries_only else Path(folder, "libraries")
        for python in asked.pythons:
            library = compile_for(python, libraries)
            print(f"{library.name}: glibc {newest_glibc(library) or 'not asked for'}", flush=True)
            if asked.glibc and _numbers(newest_glibc(library)) > _numbers(asked.glibc):
                sys.exit(
                    f"It asks for more than glibc {asked.glibc}: compile it on an older system."
                )
        if not asked.libraries_only:
            wheel = build(libraries, asked.out, Path(folder, "source"))
            for number, python in enumerate(asked.pythons):
                print(f"{wheel.name}: {tried(wheel, python, Path(folder, f'venv-{number}'))}")


def compile_for(python: str, folder: Path) -> Path:
    """Copy the library for this Python's PyTorch into a folder; compile it if there is none."""
    command = [python, "-W", "ignore", "-m", "grader.simulated_cuda.native.build"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(ran.stdout.strip(), folder))


def newest_glibc(library: Path) -> str:
    """The newest version of glibc whose symbols an ELF file names; empty on other systems."""
    found = set(re.findall(rb"\bGLIBC_(\d+(?:\.\d+)+)", library.read_bytes()))
    return max((version.decode() for version in found), key=_numbers, default="")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, filter(None, version.split("."))))


def build(libraries: Path, out: Path, scratch: Path) -> Path:
    """The wheel of this checkout with these libraries; the checkout stays as it is."""
    make = [sys.executable, "-m", "build", "--no-isolation"]
    subprocess.run([*make, "--sdist", "--outdir", scratch, ROOT], check=True, stdout=sys.stderr)
    (sdist,) = scratch.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(scratch, filter="data")
    source = scratch / sdist.name.removesuffix(".tar.gz")
    shutil.copytree(libraries, source / BUILT)
    made = scratch / "wheel"
    subprocess.run([*make, "--wheel", "--outdir", made, source], check=True, stdout=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(next(made.glob("*.whl")), out))


def tried(wheel: Path, python: str, home: Path) -> str:
    """What `TRY` prints where the wheel is installed next to this Python's packages.

    `PATH` has no program, so no compiler; the cache is empty.
    """
    packages = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    theirs = subprocess.run(packages, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    subprocess.run([python, "-m", "venv", "--without-pip", home], check=True)
    inside = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    (site_packages,) = home.rglob("site-packages")
    (site_packages / "neighbours.pth").write_text(theirs)  # their .pth files are not read
    install = [sys.executable, "-m", "pip", "--python", str(inside), "install", "--quiet"]
    subprocess.run(
        [*install, "--no-deps", "--no-index", "--ignore-installed", str(wheel)], check=True
    )
    kept = {name: value for name, value in os.environ.items() if name not in ("CXX", "PYTHONPATH")}
    alone = {"PATH": str(home / "empty"), "SIMULATED_CUDA_CACHE": str(home / "cache")}
    command = [str(inside), "-W", "error::UserWarning:grader", "-c", TRY]
    ran = subprocess.run(
        command, check=True, cwd=home, env={**kept, **alone}, stdout=subprocess.PIPE, text=True
    )
    if ran.stdout.split()[1:] != ["native", "cuda:0", "built"]:
        sys.exit(f"{wheel.name} does not use its library: {ran.stdout}")
    return ran.stdout.strip()


if __name__ == "__main__":
    main()
