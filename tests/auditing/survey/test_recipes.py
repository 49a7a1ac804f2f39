"""Recipes in pyproject.toml: patterns, and what is said of mistakes in them."""

import pytest

from grader.auditing.configuration import nearest_pyproject
from grader.auditing.survey.recipes import ClassRecipe, RecipeError, read_recipes, written_recipes
from grader.auditing.survey.survey import AuditPlan


def written(tmp_path, text):
    path = tmp_path / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_last_pattern_that_matches_says_each_key(tmp_path):
    text = """
    [tool.grader.audit.recipes."net.*"]
    arguments = "dim=8"
    inputs = "torch.ones(2, 8)"
    [tool.grader.audit.recipes."net.Wide"]
    arguments = "dim=16"
    """
    recipes = read_recipes(written(tmp_path, text))

    assert recipes.of("net.Wide") == ClassRecipe("dim=16", "torch.ones(2, 8)")
    assert recipes.of("net.Deep") == ClassRecipe("dim=8", "torch.ones(2, 8)")
    assert recipes.of("other.Wide") == ClassRecipe()


def test_a_file_without_recipes_has_none(tmp_path):
    assert read_recipes(written(tmp_path, "[project]\n")).of("net.Wide") == ClassRecipe()
    assert read_recipes(None).of("net.Wide") == ClassRecipe()


def test_what_was_guessed_can_be_kept(tmp_path):
    plans = {
        "net.Wide": AuditPlan("dim=8, act='relu'", "x=torch.randn(2, 8)"),
        "net.Own": AuditPlan("", 'mode="sum"'),
    }
    recipes = read_recipes(written(tmp_path, written_recipes(plans)))

    assert recipes.of("net.Wide") == ClassRecipe("dim=8, act='relu'", "x=torch.randn(2, 8)")
    assert recipes.of("net.Own") == ClassRecipe(None, 'mode="sum"')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = ", "is not TOML"),
        ('[tool.grader.audit.recipes."a.B"]\nargs = "1"', "unknown key `args`"),
        ('[tool.grader.audit.recipes."a.B"]\narguments = 1', "`arguments` is no text"),
        ('[tool.grader.audit.recipes]\n"a.B" = "1"', "is no table"),
    ],
)
def test_mistakes_are_named(tmp_path, text, message):
    with pytest.raises(RecipeError, match=message):
        read_recipes(written(tmp_path, text))


def test_the_nearest_pyproject_counts(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    path = written(tmp_path, "")

    assert nearest_pyproject(inner) == path
