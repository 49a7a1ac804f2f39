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
from collections.abc import Collection, Iterable, Mapping, Set
from typing import TypeVar

from grader.course import solution_of, starter_of
from grader.grading.flags.normal_form import statements_of, syntax_tree
from grader.schema import Rubric

ENOUGH = 60  # nodes: about four statements such as `mask = self.mask[:length].to(x.device)`
SHARED = 0.8
A_CLASS = 10
COMMON = 0.3
MOST_HOLDERS = 100  # a statement in more answers than that tells nothing

Who = TypeVar("Who")
Statements = dict[int, int]  # by a statement's hash, its size; texts of a large class would not fit


def clusters(answers: Iterable[tuple[Who, str]], rubric: Rubric) -> list[list[Who]]:
    """The groups of two or more that are alike, each in the order of `answers`.

    Args:
        answers: who gave it, and its source; all are to the same exercise, no two by the same.
        rubric: the exercise's.
    """
    solution = solution_of(rubric).read_text(encoding="utf-8")
    given = _statements(starter_of(rubric)).keys() | _statements(solution).keys()
    rests = {who: _without(_statements(text), given) for who, text in answers}
    common = _common(rests.values())
    holders: dict[frozenset[int], list[Who]] = defaultdict(list)
    sizes: Statements = {}
    for who, statements in rests.items():
        rest = _without(statements, common)
        if sum(rest.values()) >= ENOUGH:
            holders[frozenset(rest)].append(who)
            sizes.update(rest)
    order = {who: rank for rank, who in enumerate(rests)}
    groups = ([who for rest in joined for who in holders[rest]] for joined in _join(holders, sizes))
    return [sorted(group, key=order.__getitem__) for group in groups if len(group) > 1]


def _statements(text: str) -> Statements:
    tree = syntax_tree(text)
    try:
        return {hash(statement): size for statement, size in statements_of(tree)} if tree else {}
    except RecursionError:
        return {}


def _without(statements: Statements, others: Set[int]) -> Statements:
    return {statement: size for statement, size in statements.items() if statement not in others}


def _common(rests: Collection[Statements]) -> set[int]:
    if len(rests) < A_CLASS:
        return set()
    counts = Counter(statement for rest in rests for statement in rest)
    return {statement for statement, count in counts.items() if count > COMMON * len(rests)}


def _join(
    rests: Mapping[frozenset[int], list[Who]], sizes: Statements
) -> list[list[frozenset[int]]]:
    """The rests in groups that are connected by being alike."""
    index: dict[int, list[frozenset[int]]] = defaultdict(list)
    group_of = {rest: [rest] for rest in rests}
    for rest in rests:
        candidates = {other for statement in rest for other in index[statement]}
        for other in candidates:
            if group_of[rest] is not group_of[other] and _are_alike(rest, other, sizes):
                joined = group_of[other] + group_of[rest]
                group_of.update(dict.fromkeys(joined, joined))
        for statement in rest:
            if len(index[statement]) < MOST_HOLDERS:
                index[statement].append(rest)
    return list({id(group): group for group in group_of.values()}.values())


def _are_alike(one: frozenset[int], other: frozenset[int], sizes: Statements) -> bool:
    shared = sum(sizes[statement] for statement in one & other)
    larger = max(sum(sizes[statement] for statement in rest) for rest in (one, other))
    return shared >= max(ENOUGH, SHARED * larger)
