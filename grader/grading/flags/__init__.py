"""Points a person at the lines of a submission that no answer needs. It parses and runs nothing.

A flag is no verdict and costs no points: honest code may have a reason for each of these lines. The
rules read the syntax tree; whoever knows them can get around them, so a file without flags proves
nothing. docs/isolation.md#flags lists what is flagged and what is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import get_args

from grader.grading.flags.hidden_code import hidden_code_flags
from grader.grading.flags.imports import file_flags, import_flags
from grader.grading.flags.normal_form import syntax_tree
from grader.grading.flags.patches import patch_flags
from grader.grading.flags.solution import solution_flags
from grader.grading.flags.source import Source, TooDeepError
from grader.grading.flags.surroundings import surroundings_flags
from grader.schema import Flag, FlagKind, Rubric

LONGEST = 200_000  # characters; the longest of our solutions has 2,400
MOST_FLAGS = 20
RULES: tuple[Callable[[Source], Iterator[Flag]], ...] = (
    import_flags,
    patch_flags,
    hidden_code_flags,
    file_flags,
)
_ORDER = {kind: rank for rank, kind in enumerate(get_args(FlagKind))}


def flags_in(
    text: str, rubric: Rubric, class_name: str = "", modules: Mapping[str, bytes] = {}
) -> tuple[Flag, ...]:
    """The lines of a submission that a person should look at, imports first.

    Args:
        text: the submission, decoded. One that Python cannot parse has no flags: it cannot run.
        rubric: the exercise that it answers.
        class_name: the class that answers it; the exercise's, unless given.
        modules: the learner's own files that it imports, by their paths from there.
    """
    own = frozenset(re.split("[./]", file)[0] for file in modules)
    found = _flags(text, rubric, class_name or rubric.class_name, own)
    for file, content in modules.items():
        for flag in _flags(content.decode("utf-8", "replace"), rubric, rubric.class_name, own):
            where = f"`{file}`, line {flag.line}" if flag.line else f"`{file}`"
            found.add(Flag(flag.kind, 0, f"{where}: {flag.text}"))
    return first_of(found)


def _flags(text: str, rubric: Rubric, class_name: str, modules: frozenset[str]) -> set[Flag]:
    """Those of one file, which may import `modules` of the learner's own."""
    if len(text) > LONGEST:
        size = f"is {len(text):,} characters long: too long to be read for flags"
        return {Flag("unread", 0, size)}
    tree = syntax_tree(text)
    if tree is None:
        return set()
    try:
        source = Source(tree, modules)
        flags = {flag for rule in RULES for flag in rule(source)}
        flags.update(surroundings_flags(source, rubric))
        flags.update(solution_flags(tree, rubric, class_name))
    except (TooDeepError, RecursionError):
        return {Flag("unread", 0, "is nested too deeply to be read for flags")}
    return flags


def in_order(flags: set[Flag]) -> tuple[Flag, ...]:
    """By kind, then by line."""
    return tuple(sorted(flags, key=lambda flag: (_ORDER[flag.kind], flag.line, flag.text)))


def first_of(flags: set[Flag]) -> tuple[Flag, ...]:
    """At most `MOST_FLAGS`, in order; a last one says how many there are besides."""
    ordered = in_order(flags)
    if len(ordered) <= MOST_FLAGS:
        return ordered
    more = Flag("unread", 0, f"has {len(ordered) - MOST_FLAGS} more such lines")
    return (*ordered[:MOST_FLAGS], more)
