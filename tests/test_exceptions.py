"""The exceptions that a caller may catch, as the table in `grader.errors` lists them."""

import importlib
import pkgutil

import pytest

import grader
from grader import GraderError, check, errors

TABLE = [line.split("|")[1:3] for line in errors.__doc__.splitlines() if line.startswith("| `")]


def descendants():
    for module in pkgutil.walk_packages(grader.__path__, "grader."):
        skipped = (".__main__", "_run", "nbgrader_cell", ".native")
        if not any(part in module.name for part in skipped):
            importlib.import_module(module.name)
    return {cls.__name__: cls for cls in GraderError.__subclasses__()}


def test_the_table_names_each_with_its_other_base():
    listed = {name.strip().strip("`"): base.strip() for name, base in TABLE}
    found = {
        name: next((base.__name__ for base in cls.__bases__ if base is not GraderError), "")
        for name, cls in descendants().items()
    }

    assert listed == found


def test_one_except_clause_is_enough():
    with pytest.raises(GraderError, match="There is no exercise 99"):
        check("99")


def test_the_version_is_the_installed_one():
    assert grader.__version__.count(".") == 2
