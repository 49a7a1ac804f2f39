"""Each place that the glossary names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "glossary.md"


def test_every_place_it_names_is_there():
    named = re.findall(r"`((?:grader|exercises|tests)/[\w./]*)`", PAGE.read_text(encoding="utf-8"))

    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []
