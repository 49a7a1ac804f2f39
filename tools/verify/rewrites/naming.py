"""Attributes and helpers under other names, and attributes behind properties."""

from __future__ import annotations

import ast

from verify.rewrites.answer import (
    REGISTERED,
    AnswerTree,
    attribute_of_self,
    called_name,
    is_layer,
)

CALLED_BY_NAME = frozenset(("reset_parameters",))  # by those who build a model on meta, as FSDP


def attributes_renamed(answer: AnswerTree) -> bool:
    """Every attribute under another name; where names matter, those that hold no tensor."""
    names = _plain(answer) if answer.names_matter else answer.attributes()
    return _rename(answer, {name: f"the_{name}" for name in names})


def helpers_renamed(answer: AnswerTree) -> bool:
    """Every helper method under another name."""
    names = (helper.name for helper in answer.helpers if helper.name not in CALLED_BY_NAME)
    return _rename(answer, {name: f"_{name}" for name in names})


def properties(answer: AnswerTree) -> bool:
    """A property in front of every attribute that holds no tensor."""
    names = _plain(answer)
    _rename(answer, {name: f"_{name}" for name in names})
    for name in names:
        code = f"@property\ndef {name}(self):\n    return self._{name}"
        answer.cls.body += ast.parse(code).body
        for method in (method for method in answer.methods if method.name != "__init__"):
            for node in ast.walk(method):
                is_read = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
                if is_read and method.name != name and attribute_of_self(node) == f"_{name}":
                    node.attr = name  # type: ignore[attr-defined]
    return bool(names)


def _plain(answer: AnswerTree) -> list[str]:
    """The attributes that hold neither a registered tensor nor a layer."""
    return [
        name
        for node, name in answer.assigned()
        if not is_layer(node.value) and called_name(node.value) not in REGISTERED
    ]


def _rename(answer: AnswerTree, names: dict[str, str]) -> bool:
    for node in ast.walk(answer.cls):
        if isinstance(node, ast.Attribute) and attribute_of_self(node) in names:
            node.attr = names[node.attr]
        elif isinstance(node, ast.FunctionDef) and node.name in names:
            node.name = names[node.name]
        elif isinstance(node, ast.Call) and called_name(node) == "self.register_buffer":
            name = node.args[0]
            if isinstance(name, ast.Constant) and name.value in names:
                name.value = names[name.value]
    return bool(names)


RULES = (attributes_renamed, helpers_renamed, properties)
