"""`[tool.grader.audit]` in pyproject.toml: what it may say, and where it is looked for."""

from pathlib import Path

import pytest

from grader.auditing.configuration import (
    AuditOptions,
    ConfigurationError,
    options_for,
    read_options,
)


def written(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_option(tmp_path: Path):
    path = written(
        tmp_path,
        """
        [tool.grader.audit]
        select = ["member-tensor", "replica"]
        ignore = ["replica"]
        baseline = "known.json"
        device = "simulated"
        time-limit = 300
        """,
    )

    assert read_options(path) == AuditOptions(
        select=("member-tensor", "replica"),
        ignore=("replica",),
        baseline=tmp_path / "known.json",
        device="simulated",
        time_limit=300,
    )


def test_the_nearest_file_counts(tmp_path: Path):
    inner = tmp_path / "src" / "models"
    inner.mkdir(parents=True)
    written(tmp_path, '[tool.grader.audit]\nignore = ["replica"]\n')

    assert options_for(inner).ignore == ("replica",)
    written(inner.parent, "[project]\n")
    assert options_for(inner) == AuditOptions()


def test_a_table_is_another_readers(tmp_path: Path):
    path = written(tmp_path, '[tool.grader.audit.recipes."a.B"]\narguments = "3"\n')

    assert read_options(path) == AuditOptions()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('ignored = ["replica"]', "no option `ignored`. Do you mean `ignore`?"),
        ('ignore = "replica"', "`ignore` must be a list of codes"),
        ('ignore = ["replicas"]', "there is no code replicas. Do you mean replica?"),
        ("time-limit = true", "`time-limit` must be a number of seconds"),
        ('device = "gpu"', "`device` must be one of auto, cuda, simulated"),
        ("device =", "is not TOML"),
    ],
)
def test_what_cannot_be_understood_is_refused(tmp_path: Path, line: str, message: str):
    path = written(tmp_path, f"[tool.grader.audit]\n{line}\n")

    with pytest.raises(ConfigurationError, match=r"pyproject\.toml") as refused:
        read_options(path)

    assert message in str(refused.value)
