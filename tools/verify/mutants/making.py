"""All mutants of one answer: every rule in every place of the code that the answer uses.

Of an inherited method, a mutant is made only if the class runs it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from verify.mutants import (
    arguments,
    constants,
    effects,
    neighbours,
    registration,
    statements,
)
from verify.mutants.mutant import Mutant, TreeChange, applied

RULES = (
    *constants.RULES,
    *arguments.RULES,
    *neighbours.RULES,
    *statements.RULES,
    *effects.RULES,
    *registration.RULES,
)


def mutants_of(
    source: str, answers: tuple[str, ...], usual: dict[str, object] | None = None
) -> Iterator[tuple[str, Mutant]]:
    """Each mutant with the answer that it is to be tried on.

    A base class or function that several answers use is changed for one of them: the first that
    does not override the changed method. A method that all of them override stays as it is.

    Args:
        source: the file that holds the answers.
        answers: the names of classes in it.
        usual: the arguments that the constructor usually gets.
    """
    tree = ast.parse(source)
    defined = {
        statement.name: statement for statement in tree.body if isinstance(statement, Definition)
    }
    for definition, users in _users(defined, answers):
        seen = {_meaning(source, source, definition)}
        for changed in _changes(definition, usual or {}):
            text = applied(source, changed)
            try:
                meaning = _meaning(text, source, definition)
            except SyntaxError:
                continue
            if meaning in seen:
                continue
            seen.add(meaning)
            mutant = _mutant(changed, definition, source, text)
            method = mutant.edit[0]
            if answer := next((n for n in users if runs(n, definition, method, defined)), None):
                yield answer, mutant


def _meaning(text: str, source: str, definition: Definition) -> str:
    """The tree of the definition in `text`, as a string: the same however it is laid out."""
    lines, more = text.splitlines(), text.count("\n") - source.count("\n")
    assert definition.end_lineno is not None
    return ast.dump(
        ast.parse("\n".join(lines[definition.lineno - 1 : definition.end_lineno + more]))
    )


def _users(
    defined: dict[str, Definition], answers: tuple[str, ...]
) -> list[tuple[Definition, list[str]]]:
    """Every class and function that an answer uses, with all answers that do."""
    users: dict[str, list[str]] = {}
    for answer in answers:
        waiting = [answer]
        while waiting:
            name = waiting.pop(0)
            if name in defined and answer not in users.setdefault(name, []):
                users[name].append(answer)
                waiting += [
                    node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)
                ]
    return [(defined[name], names) for name, names in users.items()]


def _changes(definition: Definition, usual: dict[str, object]) -> Iterator[TreeChange]:
    for node in _code(definition):
        yield from arguments.names(node, usual)
        for rule in RULES:
            yield from rule(node)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it, without annotations, defaults and docstrings."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases", "defaults", "kw_defaults"):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not is_docstring:
                yield from _code(child)


def _mutant(changed: TreeChange, definition: Definition, source: str, text: str) -> Mutant:
    old = [line.strip() for line in source.splitlines()]
    new = [line.strip() for line in text.splitlines()]
    same = _length_of_common_start(old, new)
    rest = _length_of_common_start(old[same:][::-1], new[same:][::-1])
    gone, come = old[same : len(old) - rest], new[same : len(new) - rest]
    edit = (_method_at(definition, same + 1), *gone, "->", *come)
    return Mutant(changed.rule, same + 1, old[same], new[same], text, edit)


def _length_of_common_start(some: list[str], others: list[str]) -> int:
    pairs = enumerate(zip(some, others, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(some), len(others)))


def _method_at(definition: Definition, line: int) -> str:
    functions = [node for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)]
    within = [
        function.name
        for function in functions
        if function.lineno <= line <= (function.end_lineno or line)
    ]
    return within[0] if within else ""


Definition = ast.ClassDef | ast.FunctionDef


def runs(name: str, definition: Definition, method: str, defined: dict[str, Definition]) -> bool:
    """False if the class overrides that method of `definition`, and does not call `super()` there.

    Args:
        name: of the class.
        definition: a class or function of the same file.
        method: the name of one of its methods, `""` for the class's own body.
        defined: all classes and functions of the file.
    """
    line = list(_line_of(name, defined))
    if definition not in line:
        return True  # a function, or a class that is no base class of this one
    return all(_passes_on(ancestor, method) for ancestor in line[: line.index(definition)])


def _line_of(name: str, defined: dict[str, Definition]) -> Iterator[Definition]:
    """The class and its base classes, nearest first."""
    cls = defined.get(name)
    if isinstance(cls, ast.ClassDef):
        yield cls
        for base in cls.bases:
            if isinstance(base, ast.Name):
                yield from _line_of(base.id, defined)


def _passes_on(cls: Definition, method: str) -> bool:
    functions = (statement for statement in cls.body if isinstance(statement, ast.FunctionDef))
    return all(
        any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(function))
        for function in functions
        if function.name == method
    )
