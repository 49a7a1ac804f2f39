"""Every example of docs/device.md, run as a reader would, each section in a new folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from in_pytest import environment

PAGE = Path(__file__).parents[2] / "docs" / "device.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = {
    text.partition("\n")[0].lstrip("# "): BLOCK.findall(text)
    for text in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if "```" in text
}

# The Python device has neither the streams that PyTorch's own tests set nor a limit of memory.
NATIVE = {"Run every test on each device", "Out of memory"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the page's commands are a shell's")


def commands(console: str) -> list[tuple[str, list[str]]]:
    """Each command of a console block, with the lines that it prints."""
    shown = (part.splitlines() for part in console.split("$ ")[1:])
    return [(command, lines) for command, *lines in shown]


@pytest.mark.search
@pytest.mark.parametrize("title", SECTIONS)
def test_a_section(title: str, tmp_path: Path) -> None:
    needed = {"SIMULATED_CUDA_IMPLEMENTATION": "native"} if title in NATIVE else {}
    variables = environment(tmp_path, **needed)
    ran = 0
    for kind, text in SECTIONS[title]:
        if kind == "console":
            for command, lines in commands(text):
                ended = subprocess.run(
                    command, shell=True, cwd=tmp_path, env=variables,
                    capture_output=True, text=True,
                )  # fmt: skip
                printed = ended.stderr + ended.stdout
                assert ended.returncode == 0, printed
                assert [line for line in lines if line not in printed] == [], printed
                ran += 1
        else:
            name = text.partition("\n")[0].removeprefix("# ")
            (tmp_path / name).write_text(text, encoding="utf-8")
    assert ran


def test_every_block_is_a_file_or_a_command() -> None:
    blocks = [block for section in SECTIONS.values() for block in section]

    assert PAGE.read_text(encoding="utf-8").count("```") == 2 * len(blocks)
    assert {kind for kind, _ in blocks} == {"python", "ini", "console"}
    files = [text for kind, text in blocks if kind != "console"]
    assert [text for text in files if not re.match(r"# \w+\.(py|ini)\n", text)] == []
