"""The cheat sheet as a PDF: one page, and made from what docs/cheat_sheet.md says now."""

import runpy
from pathlib import Path

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "cheat_sheet.py"))
PRINTED = TOOL["PDF"].read_bytes()


def test_it_is_one_page():
    assert TOOL["pages"](PRINTED) == 1


def test_it_is_current():
    made_from = PRINTED.rstrip().rpartition(b"% ")[2].decode()
    assert made_from == TOOL["digest"](), "run: python tools/cheat_sheet.py"
