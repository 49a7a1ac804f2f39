"""All rewrites of one answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from verify.rewrites import classes, expressions, naming, registration
from verify.rewrites.answer import AnswerTree

RULES = (*registration.RULES, *naming.RULES, *classes.RULES, *expressions.RULES)


@dataclass(frozen=True)
class Rewrite:
    """An answer in another form.

    Attributes:
        rule: what was done, such as `nn buffer`.
        source: the whole file.
    """

    rule: str
    source: str


def rewrites_of(source: str, class_name: str, names_matter: bool) -> Iterator[Rewrite]:
    """What each rule that applies makes of a right answer.

    Args:
        source: the file that holds the answer.
        class_name: the class in it that answers the exercise.
        names_matter: whether tensors and layers must keep their names.
    """
    for rule in RULES:
        tree = ast.parse(source)
        classes_in_it = (node for node in tree.body if isinstance(node, ast.ClassDef))
        cls = next(node for node in classes_in_it if node.name == class_name)
        if rule(AnswerTree(tree, cls, names_matter)):
            changed = ast.unparse(ast.fix_missing_locations(tree))
            yield Rewrite(rule.__name__.strip("_").replace("_", " "), changed)
