"""Bring what the rules say of themselves to docs/findings/index.md."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.judge.findings import RULES  # noqa: E402

INDEX = ROOT / "docs" / "findings" / "index.md"
HEADER = "| code | in one line | loud or silent |\n| --- | --- | --- |\n"


def refreshed() -> str:
    """What the index should say: its words, and a row for each rule."""
    rows = (
        f"| [`{code}`]({code}.md) | {RULES[code].summary} | {RULES[code].shows} |\n"
        for code in sorted(RULES)
    )
    before, _, _ = INDEX.read_text(encoding="utf-8").partition(HEADER)
    return before + HEADER + "".join(rows)


if __name__ == "__main__":
    INDEX.write_text(refreshed(), encoding="utf-8")
