"""What a plain `pip install wheres-my-tensor` leaves out, and the command that adds it.

An audit, the pytest plugin and the simulated device need nothing of it.
"""

from __future__ import annotations

from grader.cli.environment import home

# By the name that is imported; tests/cli/test_extras.py compares it with pyproject.toml.
EXTRAS = {
    "IPython": "notebooks",
    "anywidget": "notebooks",
    "fsrs": "learn",
    "ipywidgets": "notebooks",
    "matplotlib": "notebooks",
    "platformdirs": "learn",
    "prompt_toolkit": "learn",
    "pyseccomp": "classroom",
    "watchfiles": "learn",
}


def how_to_get(error: ModuleNotFoundError) -> str:
    """What to install, if `error` is about a package of an extra; else `""`."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return ""
    pip = "uv pip" if home() == "uv" else "python -m pip"
    return (
        f"This needs {package}, which is not installed here. Install what belongs to it:\n"
        f'    {pip} install "wheres-my-tensor[{EXTRAS[package]}]"'
    )
