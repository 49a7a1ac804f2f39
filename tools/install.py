"""Install the course into this Python's environment, with one line that says how far pip is.

python tools/install.py '.[notebooks]'
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator

# `Downloading torch-2.13.0-cp313-cp313-manylinux_2_28_x86_64.whl (888.1 MB)`
_FILE = re.compile(
    r"\s*(?:Downloading|Using cached|Processing) (?:\S*/)?(\w+)-([\w.!+]+)-\S+\.whl"
    r"(?: \(([\d.]+ \wB)\)| .*)?$"
)
_WRITING = re.compile(r"Installing collected packages: (.+)")


def steps(output: Iterable[str]) -> Iterator[str]:
    """What pip is doing, in a few words, from the lines that it prints."""
    count = 0
    for line in output:
        if found := _FILE.match(line):
            count += 1
            name, version, size = found.groups()
            yield f"package {count}: {name} {version}" + (f", {size}" if size else "")
        elif found := _WRITING.match(line):
            yield f"writing {len(found[1].split(', '))} packages to the disk"


def main() -> int:
    """Run pip; return its status, after all that it printed if it failed."""
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    # Python compiles what is imported, once; pip would compile all 200 packages, on one core.
    command += [
        "--no-compile",
        "--progress-bar",
        "off",
        "-c",
        "constraints.txt",
        "-e",
        *sys.argv[1:],
    ]
    output: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None
        _show(steps(_kept(pip.stdout, output)))
    if pip.returncode:
        sys.stderr.write("".join(output))
    return pip.returncode


def _kept(lines: Iterable[str], output: list[str]) -> Iterator[str]:
    for line in lines:
        output.append(line)
        yield line


def _show(steps: Iterable[str]) -> None:
    """One line, which is written over; a log gets only the last one."""
    begun = time.monotonic()
    in_place = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns - 1
    line = ""
    for step in steps:
        minutes, seconds = divmod(int(time.monotonic() - begun), 60)
        line = f"  {minutes}:{seconds:02d}  {step}"
        if in_place:
            print(f"\r\033[K{line[:width]}", end="", flush=True)
    print("" if in_place else line)


if __name__ == "__main__":
    sys.exit(main())
