"""The cells of a notebook, called in a report by the class that is written in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, structs

from grader.judge.wording import OWN_CELL, is_cell
from grader.schema import Evidence


def name_cells(evidence: Evidence, own: str) -> tuple[Evidence, dict[str, str]]:
    """The evidence with cells called `<the cell>` and `<the cell of Base>`, and these names.

    Args:
        evidence: of a class in this process; it names a cell's file as IPython does.
        own: the file that the class under judgement is written in; `""` if that is not known.
    """
    files = {cls.file: cls.path for cls in reversed(evidence.classes) if is_cell(cls.file)}
    names = {file: f"<the cell of {name}>" for file, name in files.items()}
    if is_cell(own):  # also where nothing could be built, so that no class is known
        names[own] = OWN_CELL
    return _renamed(evidence, names) if names else evidence, names


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple):
        return tuple(_renamed(item, names) for item in value)
    if isinstance(value, Struct):
        fields = {
            field: _renamed(getattr(value, field), names) for field in value.__struct_fields__
        }
        return structs.replace(value, **fields)
    return value
