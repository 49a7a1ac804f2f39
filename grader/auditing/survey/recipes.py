"""Recipes, by which a project says how its classes are built and called.

In pyproject.toml:

    [tool.grader.audit.recipes."mypackage.nets.Attention"]
    arguments = "dim=32, heads=4"
    inputs = "torch.randn(2, 10, 32), mask=None"

    [tool.grader.audit.recipes."mypackage.server.*"]
    skip = "needs a running server"
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from grader.auditing.survey.survey import AuditPlan
from grader.errors import GraderError

PLACE = "[tool.grader.audit.recipes]"


class RecipeError(GraderError):
    """A file of recipes cannot be read. The message says which line or key, and what to write."""


@dataclass(frozen=True)
class ClassRecipe:
    """What a project says of one class; None where it says nothing.

    Attributes:
        arguments: what stands between the constructor's parentheses, as Python source.
        inputs: what stands between the parentheses of the call.
        skip: why the class is not to be audited.
    """

    arguments: str | None = None
    inputs: str | None = None
    skip: str | None = None


KEYS = tuple(ClassRecipe.__dataclass_fields__)


@dataclass(frozen=True)
class Recipes:
    """Recipes by a pattern of dotted names, in the file's order."""

    tables: Mapping[str, Mapping[str, str]]

    def of(self, name: str) -> ClassRecipe:
        """The recipe of the class `name`; where several patterns match, the last says each key."""
        merged: dict[str, str] = {}
        for pattern, table in self.tables.items():
            if fnmatchcase(name, pattern):
                merged |= table
        return ClassRecipe(**merged)


def written_recipes(plans: Mapping[str, AuditPlan]) -> str:
    """Plans by the dotted names of their classes, to be written into pyproject.toml."""
    tables = []
    for name, plan in sorted(plans.items()):
        lines = [f"{PLACE[:-1]}.{json.dumps(name)}]"]
        if plan.arguments:
            lines.append(f"arguments = {json.dumps(plan.arguments)}")
        tables.append("\n".join([*lines, f"inputs = {json.dumps(plan.inputs)}"]))
    return "\n\n".join(tables)


def read_recipes(path: Path | None) -> Recipes:
    """The recipes of a TOML file; none without a file.

    Raises:
        RecipeError: it is no TOML, or a recipe has an unknown key or a value that is no text.
        OSError: it cannot be read.
    """
    if path is None:
        return Recipes({})
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path} is not TOML: {error}.") from None
    tables = document
    for key in ("tool", "grader", "audit", "recipes"):
        tables = tables.get(key, {})
    return Recipes({name: _valid_table(path, name, table) for name, table in tables.items()})


def _valid_table(path: Path, name: str, table: Any) -> Mapping[str, str]:
    where = f'{path}: [tool.grader.audit.recipes."{name}"]'
    if not isinstance(table, dict):
        raise RecipeError(f"{where} is no table. Give it the keys {', '.join(KEYS)}.")
    for key, value in table.items():
        if key not in KEYS:
            raise RecipeError(f"{where} has an unknown key `{key}`. Known: {', '.join(KEYS)}.")
        if not isinstance(value, str):
            raise RecipeError(
                f'{where}: `{key}` is no text. Write Python source: {key} = "dim=32".'
            )
    return table
