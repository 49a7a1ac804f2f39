"""Bring what the rules say of themselves to docs/findings/index.md and to the README's count."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.judge.findings import RULES  # noqa: E402

INDEX, README = ROOT / "docs" / "findings" / "index.md", ROOT / "README.md"
HEADER = "| code | in one line | loud or silent |\n| --- | --- | --- |\n"


def refreshed() -> Iterator[tuple[Path, str]]:
    """The files, and what they should say."""
    rows = (
        f"| [`{code}`]({code}.md) | {RULES[code].summary} | {RULES[code].shows} |\n"
        for code in sorted(RULES)
    )
    before, _, _ = INDEX.read_text(encoding="utf-8").partition(HEADER)
    yield INDEX, before + HEADER + "".join(rows)
    readme = README.read_text(encoding="utf-8")
    yield README, re.sub(r"one of \d+ faults", f"one of {len(RULES)} faults", readme)


def main() -> None:
    """Write them."""
    for path, text in refreshed():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
