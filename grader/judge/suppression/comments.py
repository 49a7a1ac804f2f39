"""Comments by which code says that a finding is meant: `# grader: ignore[member-tensor]`.

A comment holds for the statement that it stands in, and alone on its line for the statement below.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from grader.judge.codes import Code
from grader.judge.fixes.source_file import SourceFile, is_block
from grader.schema import Finding, Location

UNUSED = "unused-ignore"  # the code of a warning that no rule gives: a comment that does nothing
EXAMPLE = f"`# grader: ignore[{Code.MEMBER_TENSOR}]`"
_MARK = re.compile(r"#\s*grader:\s*ignore\b(?:\s*\[([^\]]*)\])?")


@dataclass(frozen=True)
class Comment:
    """One such comment.

    Attributes:
        codes: that it names.
        is_alone: whether nothing else stands on its line.
    """

    line: int
    codes: tuple[str, ...]
    is_alone: bool


def comments_in(code: SourceFile) -> list[Comment]:
    """The comments of a file in their order; text in strings is none."""
    if "grader:" not in code.text:
        return []
    found = []
    tokens = tokenize.generate_tokens(io.StringIO(code.text).readline)
    # A notebook's cell with a magic command is no Python: what stands above it counts.
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokens:
            match = _MARK.match(token.string) if token.type == tokenize.COMMENT else None
            if match:
                codes = tuple(filter(None, re.split(r"[\s,]+", match[1] or "")))
                line, column = token.start
                found.append(Comment(line, codes, not token.line[:column].strip()))
    return found


def comments_on(finding: Finding, code: SourceFile) -> list[Comment]:
    """The comments in `code`, its file, that mark a finding as meant."""
    comments = comments_in(code) if finding.line else []
    if not comments:
        return []
    lines = _lines_of(finding.line, code)
    above = lines.start - 1
    alone = {comment.line for comment in comments if comment.is_alone}
    while above in alone:
        above -= 1
    return [
        comment
        for comment in comments
        if finding.code in comment.codes
        and (comment.line in lines or above < comment.line < lines.start)
    ]


def _lines_of(line: int, code: SourceFile) -> range:
    """The lines of the statement at a line, or that line if the statement contains others."""
    site = code.site(line)
    if site is None or is_block(site.statement):
        return range(line, line + 1)
    return range(site.statement.lineno, (site.statement.end_lineno or line) + 1)


def unused_comments(
    files: Iterable[SourceFile], classes: Iterable[Location], used: Iterable[tuple[str, int]]
) -> Iterator[Finding]:
    """A warning of each comment in the audited classes that marks no finding.

    Args:
        files: that the classes are in.
        classes: by name and file.
        used: file and line of the comments that marked one.
    """
    audited = {(cls.file, cls.path) for cls in classes}
    known = set(used)
    for code in files:
        comments = [c for c in comments_in(code) if (code.name, c.line) not in known]
        for comment in comments:
            if any((code.name, name) in audited for name in classes_around(comment.line, code)):
                yield _unused_warning(comment, code)


def classes_around(line: int, code: SourceFile) -> Iterator[str]:
    for node in ast.walk(code.tree):
        if isinstance(node, ast.ClassDef) and node.lineno <= line <= (node.end_lineno or 0):
            yield node.name


def _unused_warning(comment: Comment, code: SourceFile) -> Finding:
    known = [code.value for code in Code]
    unknown = [name for name in comment.codes if name not in known]
    message = "The audit found nothing here that this comment could mark as meant."
    fix = "Remove the comment."
    if not comment.codes:
        message = "The comment names no code, so it marks nothing."
        fix = f"Name what is meant: {EXAMPLE}. `grader explain` lists the codes."
    elif unknown:
        message = f"There is no code {', '.join(f'`{name}`' for name in unknown)}."
        fix = "Correct it: `grader explain` lists the codes."
    where, line = f"line {comment.line}", comment.line
    return Finding(UNUSED, "warning", where, line, message, fix, code.line(line), file=code.name)
