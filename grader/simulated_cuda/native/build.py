"""Compile the device for the PyTorch installed: `python -m grader.simulated_cuda.native.build`.

PyTorch's C++ interface changes with each release, so a library serves one PyTorch. Its name tells
which: the version, and a hash of our source, PyTorch's commit and the platform. A library with
another name is never loaded.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

from ..errors import LibraryError

HERE = Path(__file__).parent
SOURCE = HERE / "source"
SOURCES = sorted(path for path in SOURCE.rglob("*") if path.is_file())
RULES = HERE / "generate_rules.py"
DTYPES = HERE / "dtypes"  # which dtypes CUDA's kernels refuse, a table for each minor version
LOG = logging.getLogger(__name__)
PACKAGED = HERE / "built"  # where a wheel of ours carries libraries
_CHOOSE = "Set SIMULATED_CUDA_CACHE to a folder that only you can write."
SUFFIX = {"Windows": ".dll", "Darwin": ".dylib"}.get(platform.system(), ".so")


@cache
def name() -> str:
    """The library's file name, for this source, PyTorch and platform."""
    import torch

    # One library serves the CPU and the CUDA builds of a release: it is of their common part.
    release = str(torch.__version__).partition("+")[0]
    digest = hashlib.sha256()
    for part in (release, torch.version.git_version, sysconfig.get_platform()):
        digest.update(str(part).encode() + b"\0")
    for path in (*SOURCES, RULES, dtype_table()):
        digest.update(path.read_bytes())
    return f"simulated_cuda-torch-{release}-{digest.hexdigest()[:12]}{SUFFIX}"


def dtype_table() -> Path:
    """The table of the installed PyTorch's minor version, or of the nearest older one."""
    tables = {_minor(path.stem): path for path in DTYPES.iterdir()}
    here = _torch_minor()
    return tables[max((known for known in tables if known <= here), default=min(tables))]


def _minor(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")[:2]))


def _torch_minor() -> tuple[int, ...]:
    import torch

    return _minor(str(torch.__version__))


def cache_folder() -> Path:
    """Where built libraries are kept: `usual_folder`, or where that cannot be written and lacks the
    library, a folder of this user's among the temporary files.

    Raises:
        LibraryError: there is no such folder either.
    """
    usual = usual_folder()
    there = (usual / name()).exists() or _can_be_written(usual)
    return usual if there else _temporary_folder()


def usual_folder() -> Path:
    """`SIMULATED_CUDA_CACHE`, or PyTorch's own cache, which all environments of a user share.

    The latter is `TORCH_HOME`, by default ~/.cache/torch: `torch.hub` keeps its downloads there.
    """
    import torch.hub

    chosen = os.environ.get("SIMULATED_CUDA_CACHE")
    return Path(chosen) if chosen else Path(torch.hub.get_dir()).parent / "simulated_cuda"


def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _temporary_folder() -> Path:
    """A folder that only this user can write: whoever writes a library there runs code here."""
    user = os.getuid() if hasattr(os, "getuid") else "own"  # Windows has one for each user
    folder = Path(tempfile.gettempdir(), f"simulated_cuda-{user}")
    try:
        folder.mkdir(mode=0o755, exist_ok=True)
        seen = folder.lstat()  # of a link itself, which another user can have laid there
    except OSError as error:
        raise LibraryError(f"No folder for the library: {error}. {_CHOOSE}") from None
    if user != "own" and (seen.st_uid != user or seen.st_mode & 0o022):
        raise LibraryError(f"{folder} can be written by another user. {_CHOOSE}")
    return folder


def built_library() -> Path | None:
    """The library, if it was built already: in this package or in the cache."""
    if (packaged := PACKAGED / name()).exists():
        return packaged  # without a look at the cache, which a wheel does not need
    cached = cache_folder() / name()
    return cached if cached.exists() else None


def compiler() -> str | None:
    """The C++ compiler: `CXX`, or the system's."""
    asked = os.environ.get("CXX")
    return next(
        filter(None, map(shutil.which, [asked] if asked else ["c++", "g++", "clang++"])), None
    )


def log_of_failure() -> Path:
    """The compiler's output; the file exists only if it failed for this library."""
    return (cache_folder() / name()).with_suffix(".log")


def find_or_build() -> Path:
    """The library; compile it if there is none, once for this user, PyTorch and platform.

    Raises:
        LibraryError: there is no compiler, or it failed.
    """
    from filelock import FileLock

    if there := built_library():
        return there
    if log_of_failure().exists():
        raise LibraryError(_failed())
    folder = cache_folder()
    if folder != usual_folder():
        LOG.warning("%s cannot be written: the library goes to %s.", usual_folder(), folder)
    with FileLock(folder / f"{name()}.lock"):
        return built_library() or build(folder / name())


def build(out: Path) -> Path:
    """Compile to `out`, which appears whole or not at all.

    Raises:
        LibraryError: there is no compiler, or it failed.
    """
    program = compiler()
    if program is None:
        raise LibraryError(
            "No C++ compiler was found (c++, g++ or clang++). Install one, such as Debian's g++ or "
            "Apple's command line tools, or set CXX."
        )
    LOG.info("Compiling the simulated CUDA device, once; it takes half a minute at most.")
    with tempfile.TemporaryDirectory(dir=out.parent, ignore_cleanup_errors=True) as folder:
        made = Path(folder) / out.name
        rules = [sys.executable, "-P", str(RULES), f"{folder}/rules.h", str(dtype_table())]
        for command in (rules, command_line(program, Path(folder), "-o", str(made))):
            if text := _output_of_failure(command, folder):
                log_of_failure().write_text(f"{' '.join(command)}\n\n{text}")
                raise LibraryError(_failed())
        made.replace(out)
    log_of_failure().unlink(missing_ok=True)
    return out


# A process group of its own runs the compiler. Its input is a pipe from us: when that closes, since
# we were killed, it ends the compiler and removes the folder.
_RUN = """
import os, shutil, signal, subprocess, sys, threading
folder, *command = sys.argv[1:]
signal.signal(signal.SIGTERM, lambda *_: None)  # which only what it starts shall heed
run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
killed = []
def watch():
    os.read(0, 1)
    killed.append(True)
    os.killpg(0, signal.SIGTERM) if hasattr(os, "killpg") else run.terminate()
threading.Thread(target=watch, daemon=True).start()
status = run.wait()
if killed:
    shutil.rmtree(folder, ignore_errors=True)
os._exit(status)
"""


def _output_of_failure(command: list[str], folder: str) -> str:
    """Run it; what it wrote, if it failed."""
    with subprocess.Popen(
        [sys.executable, "-P", "-S", "-c", _RUN, folder, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=_without_device(),
    ) as run:
        assert run.stdout is not None
        text = run.stdout.read()
        return (text or "It failed.") if run.wait() else ""


def command_line(program: str, rules: Path, *more: str) -> list[str]:
    """The compiler's command; `rules` is the folder of rules.h, `more` are options such as `-o`."""
    libraries = Path(_torch_folder(), "lib")
    return [
        *(program, "-O1", "-shared", *compile_options(rules), str(SOURCE / "library.cpp"), *more),
        *(f"-L{libraries}", "-ltorch", "-ltorch_cpu", "-lc10", "-ltorch_python"),
    ]


def compile_options(rules: Path) -> list[str]:
    """What the compiler needs to understand the source.

    PyTorch's headers are included as the system's, so that warnings are of our source only.
    """
    import torch

    headers = Path(_torch_folder(), "include")
    position_independent = [] if platform.system() == "Windows" else ["-fPIC"]
    # Newer headers need C++20, in which the standard library's are larger: a second, and 50 MB.
    standard = "-std=c++17" if _torch_minor() < (2, 14) else "-std=c++20"
    return [
        *(standard, *position_independent, "-fvisibility=hidden", "-finline-functions"),
        *(f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", f"-I{rules}"),
        *("-DAT_PER_OPERATOR_HEADERS", "-isystem", str(SOURCE / "lean"), "-isystem", str(headers)),
        *("-isystem", str(headers / "torch/csrc/api/include")),
    ]


def _torch_folder() -> Path:
    import torch

    return Path(torch.__file__).parent


def _without_device() -> dict[str, str]:
    """This environment, for a child that must not ask for the library that is being built."""
    return {name: value for name, value in os.environ.items() if name != "SIMULATED_CUDA"}


def _failed() -> str:
    return (
        f"The simulated CUDA device could not be compiled. The compiler's words are in "
        f"{log_of_failure()}; delete that file to try again."
    )


def state() -> str:
    """`built_library`, `to build`, `failed` or `no compiler`."""
    if built_library():
        return "built"
    if log_of_failure().exists():
        return "failed"
    return "to build" if compiler() else "no compiler"


def main() -> int:
    """Build, and print the path of the library; with `--state`, print `state()` only."""
    if "--state" in sys.argv:
        print(state())
        return 0
    log_of_failure().unlink(missing_ok=True)
    try:
        print(find_or_build())
    except LibraryError as error:
        print(f"{error}\nThe slower Python device stands in.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
