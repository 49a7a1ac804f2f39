"""Which of many answers to one exercise say the same, apart from what everybody was given.

1. An answer comes down to the set of its statements, without comments, layout and local names.
2. What the starter or the solution says is taken out, and in a class of `A_CLASS` or more also what
   over `COMMON` of the answers say: honest answers agree on that.
3. Two answers are alike if `SHARED` of the larger of the rests is in both, and that is `ENOUGH`.
4. A cluster is what is connected by being alike.

Sizes are numbers of nodes in the syntax tree. Equal rests are found by their hash and others by an
index of statements, so the cost grows with the number of answers and not with its square.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TypeVar

from grader.catalog import solution_file, starter
from grader.static_analysis.normal_form import parsed, statements_of

ENOUGH = 60  # nodes: about four statements such as `mask = self.mask[:length].to(x.device)`
SHARED = 0.8
A_CLASS = 10
COMMON = 0.3
MOST_HOLDERS = 100  # a statement in more answers than that tells nothing

Who = TypeVar("Who")
Statements = dict[str, int]


def clusters(answers: Mapping[Who, str], stem: str) -> list[list[Who]]:
    """The groups of two or more that are alike, each in the order of `answers`.

    Args:
        answers: the source of each, all to the same exercise.
        stem: the exercise's.
    """
    rests = _without_what_was_given({who: _statements(text) for who, text in answers.items()}, stem)
    holders: dict[frozenset[str], list[Who]] = defaultdict(list)
    sizes: Statements = {}
    for who, rest in rests.items():
        if sum(rest.values()) >= ENOUGH:
            holders[frozenset(rest)].append(who)
            sizes.update(rest)
    order = {who: place for place, who in enumerate(answers)}
    groups = ([who for rest in joined for who in holders[rest]] for joined in _join(holders, sizes))
    return [sorted(group, key=order.__getitem__) for group in groups if len(group) > 1]


def _statements(text: str) -> Statements:
    tree = parsed(text)
    try:
        return dict(statements_of(tree)) if tree else {}
    except RecursionError:
        return {}


def _without_what_was_given(found: dict[Who, Statements], stem: str) -> dict[Who, Statements]:
    solution = solution_file(stem).read_text(encoding="utf-8")
    given = _statements(starter(stem)).keys() | _statements(solution).keys()
    counts = Counter(statement for statements in found.values() for statement in statements)
    most = COMMON * len(found) if len(found) >= A_CLASS else len(found)
    common = {statement for statement, count in counts.items() if count > most}
    return {
        who: {each: size for each, size in rest.items() if each not in given | common}
        for who, rest in found.items()
    }


def _join(
    rests: Mapping[frozenset[str], list[Who]], sizes: Statements
) -> list[list[frozenset[str]]]:
    """The rests in groups that are connected by being alike."""
    index: dict[str, list[frozenset[str]]] = defaultdict(list)
    group_of = {rest: [rest] for rest in rests}
    for rest in rests:
        candidates = {other for each in rest for other in index[each]}
        for other in candidates:
            if group_of[rest] is not group_of[other] and _are_alike(rest, other, sizes):
                joined = group_of[other] + group_of[rest]
                group_of.update(dict.fromkeys(joined, joined))
        for each in rest:
            if len(index[each]) < MOST_HOLDERS:
                index[each].append(rest)
    return list({id(group): group for group in group_of.values()}.values())


def _are_alike(one: frozenset[str], other: frozenset[str], sizes: Statements) -> bool:
    shared = sum(sizes[each] for each in one & other)
    larger = max(sum(sizes[each] for each in rest) for rest in (one, other))
    return shared >= max(ENOUGH, SHARED * larger)
