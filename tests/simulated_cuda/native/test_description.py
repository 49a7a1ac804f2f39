"""docs/simulated_cuda.md describes every part of the native device."""

import re
from pathlib import Path

from grader.simulated_cuda.native import build, switch

PAGE = Path(__file__).parents[3] / "docs" / "simulated_cuda.md"


def test_every_source_file_is_described() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [path.name for path in build.SOURCES if f"**`{path.name}`**" not in text] == []


def test_the_table_of_replaced_names_has_every_part() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## What is replaced")[1].split("\n## ")[0]
    described = re.findall(r"^\| `(\w+)\.py`", section, flags=re.MULTILINE)
    assert sorted(described) == sorted(part.__name__.split(".")[-1] for part in switch.PARTS)
