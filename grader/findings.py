"""The pages of docs/findings/: what each finding's code means."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from grader.errors import GraderError

PACKAGE = Path(__file__).parent
_ROW = re.compile(r"^\| \[`([a-z-]+)`\]\(\1\.md\) \| (.+?) \|", re.MULTILINE)


class UnknownCodeError(GraderError, LookupError):
    """No finding has that code."""


def summaries() -> dict[str, str]:
    """By code, in the order of the index, what it means in one line."""
    index = (_folder() / "index.md").read_text(encoding="utf-8")
    return {code: summary.replace("`", "") for code, summary in _ROW.findall(index)}


def page(code: str) -> str:
    """The page on `code`, in Markdown.

    Raises:
        UnknownCodeError: there is none.
    """
    codes = list(summaries())
    if code not in codes:
        raise UnknownCodeError(f"There is no finding {code}. {_perhaps(code, codes)}")
    return (_folder() / f"{code}.md").read_text(encoding="utf-8")


def _perhaps(code: str, codes: list[str]) -> str:
    nearest = get_close_matches(code, codes, cutoff=0.5)
    nearest += [each for each in codes if code in each and each not in nearest]
    listed = "`grader explain` lists all."
    return f"Do you mean {' or '.join(nearest)}? {listed}" if nearest else listed


def _folder() -> Path:
    """Beside the package in a checkout, inside it where it was installed from a wheel."""
    beside = PACKAGE.parent / "docs" / "findings"
    return beside if beside.is_dir() else PACKAGE / "findings_pages"
