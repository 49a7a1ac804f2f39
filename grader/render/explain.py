"""`grader explain`: what each finding's code means, in a line from its rule, or as its page."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from grader.errors import GraderError
from grader.judge import RULES

HERE = Path(__file__).parent


class UnknownCodeError(GraderError, LookupError):
    """No finding has that code."""


def summaries() -> dict[str, str]:
    """By code, in alphabetical order, what it means in one line."""
    return {code.value: RULES[code].summary.replace("`", "") for code in sorted(RULES)}


def finding_page(code: str) -> str:
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
    nearest += [known for known in codes if code in known and known not in nearest]
    listed = "`grader explain` lists all."
    return f"Do you mean {' or '.join(nearest)}? {listed}" if nearest else listed


def _folder() -> Path:
    """Beside the package in a checkout, inside it where it was installed from a wheel."""
    beside = HERE.parents[1] / "docs" / "findings"
    return beside if beside.is_dir() else HERE / "findings_pages"
