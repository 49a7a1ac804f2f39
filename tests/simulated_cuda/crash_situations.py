"""Run the situations of `crashing/`: crash_situations.py [NAME ...]

Each runs in a forked child of a process in which the device was never on, so that none sees what
another did. Prints one JSON line for each: its name, its exit status and its error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import traceback
import warnings
from contextlib import suppress
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from crashing import situations

from grader.simulated_cuda import implementation

SECONDS = 300  # that one situation may take: only one that hangs does, even on a busy machine


def main() -> None:
    warnings.simplefilter("ignore")
    all_situations = situations()
    names = sys.argv[1:] or list(all_situations)
    torch.set_num_threads(1)
    implementation()  # compiles the library, if need be
    for name in names:
        errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (the child writes to it)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setpgid(0, 0)
                os.dup2(errors.fileno(), 2)
                signal.alarm(SECONDS)
                all_situations[name]()
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(ProcessLookupError):  # what it forked, and left, would hold our output open
            os.killpg(child, signal.SIGKILL)
        errors.seek(0)
        print(json.dumps({"name": name, "status": status, "error": errors.read()}), flush=True)


if __name__ == "__main__":
    main()
