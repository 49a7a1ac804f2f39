"""Make an environment, and install the course into it: with uv where it is on PATH, else with pip.

python tools/install.py --venv .venv     # makes the environment
python tools/install.py '.[notebooks]'   # installs into this Python's, with one line of progress

uv is given the indexes of pip's own settings, so both install the same. If uv fails, pip follows.
"""

import ast
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
# `Downloading torch (846.9MiB)`, `Resolved 131 packages in 803ms`
_OF_UV = re.compile(r"\s*(Downloading [\w.-]+ \([\d.]+\w+\)|(?:Resolved|Prepared) \d+ packages?)")

# `pip config list` names a setting by its source; a later source overrides an earlier one.
_SOURCES = ("global", "install", ":env:")
_UV_OPTIONS = {
    "find-links": "--find-links",
    "index-url": "--default-index",
    "extra-index-url": "--index",
}


def steps(output: Iterable[str]) -> Iterator[str]:
    """What pip or uv is doing, in a few words, from the lines that it prints."""
    count = 0
    for line in output:
        if found := _FILE.match(line):
            count += 1
            name, version, size = found.groups()
            yield f"package {count}: {name} {version}" + (f", {size}" if size else "")
        elif found := _WRITING.match(line):
            yield f"writing {len(found[1].split(', '))} packages to the disk"
        elif found := _OF_UV.match(line):
            yield found[1]


def main() -> int:
    """Do it with uv, else without; gives the last one's status."""
    with_uv, without = _commands(sys.argv[1:])
    if uv := shutil.which("uv"):
        if not _run([uv, *with_uv, "--python", sys.executable, *uv_options(_pip_settings())]):
            return 0
        print("uv failed, as it says above. Going on without it.", file=sys.stderr)
    return _run([sys.executable, "-m", *without])


def _commands(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments of uv, and those of Python's `-m`, for the same."""
    if arguments[0] == "--venv":  # `--seed` brings pip, which `venv` does by itself
        return ["venv", "--seed", "--allow-existing", arguments[1]], ["venv", arguments[1]]
    expected = ["-c", "constraints.txt", "-e", *arguments]
    # Python compiles what is imported, once; pip would compile all 200 packages, on one core.
    options = ["--disable-pip-version-check", "--no-compile", "--progress-bar", "off"]
    return ["pip", "install", *expected], ["pip", "install", *options, *expected]


def uv_options(settings: str) -> list[str]:
    """Where uv finds packages, so that it installs what pip would.

    Args:
        settings: what `pip config list` prints.
    """
    lines = (line.partition("=") for line in settings.splitlines())
    values = {name: value for name, _, value in lines}
    # As pip does: the best version of all indexes, not of the first that has the package.
    options = ["--index-strategy", "unsafe-best-match"]
    for name, option in _UV_OPTIONS.items():
        found = [values[key] for source in _SOURCES if (key := f"{source}.{name}") in values]
        for address in ast.literal_eval(found[-1]).split() if found else ():
            options += [option, address]
    return options


def _pip_settings() -> str:
    """Nothing where this Python has no pip."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _run(command: list[str]) -> int:
    """Run a command; its status, after all that it printed if it failed."""
    output: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        assert running.stdout is not None
        _show(steps(_kept(running.stdout, output)))
    if running.returncode:
        sys.stderr.write("".join(output))
    return running.returncode


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
    if line:
        print("" if in_place else line)


if __name__ == "__main__":
    sys.exit(main())
