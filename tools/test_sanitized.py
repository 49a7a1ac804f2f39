"""Build the simulated device with AddressSanitizer and UBSan, and run its tests over that.

PyTorch itself is not instrumented: a fault is in our code, or in memory that our code gave it.
A fault ends the process, and so fails the test that made it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from check import ROOT

sys.path.insert(0, str(ROOT))

from grader.simulated_cuda.native import build

FLAGS = (
    *("-g1", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"),
    # vptr wants the type information of PyTorch's classes, which its libraries keep to themselves.
    *("-fno-sanitize-recover=undefined", "-fno-sanitize=vptr"),
)
# Without the calls that crash PyTorch's own kernels too: AddressSanitizer makes these slow.
TESTS = (
    *("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/simulated_cuda"),
    *("--deselect", "tests/simulated_cuda/native/test_no_crash.py::test_calls_of_every_operator"),
)


def preloaded(program: str) -> str:
    """The libraries that must be loaded before Python: exceptions are thrown through both."""
    names = ("libasan.so", "libstdc++.so")
    commands = [[program, f"-print-file-name={name}"] for name in names]
    found = [subprocess.check_output(command, text=True).strip() for command in commands]
    return ":".join(str(Path(path).resolve()) for path in found)


def main() -> int:
    """Build and run; 0 only if every part passed."""
    program = build.compiler()
    if sys.platform != "linux" or program is None:
        sys.exit("This needs Linux and g++.")
    with tempfile.TemporaryDirectory() as folder:
        rules = [str(build.RULES), str(Path(folder, "rules.h")), str(build.dtype_table())]
        subprocess.run([sys.executable, "-P", *rules], check=True)
        library = Path(folder, build.name())
        command = build.command_line(program, Path(folder), "-o", str(library), *FLAGS)
        subprocess.run(command, check=True)
        environment = {
            **os.environ,
            "SIMULATED_CUDA_CACHE": folder,
            "SIMULATED_CUDA_IMPLEMENTATION": "native",
            "LD_PRELOAD": preloaded(program),
            # Python never frees what it holds at exit. A refused allocation is an OutOfMemoryError.
            "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
        }
        chosen = sys.argv[1:] or TESTS
        return subprocess.run([sys.executable, *chosen], cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
