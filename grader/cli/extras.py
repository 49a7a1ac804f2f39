"""What a plain `pip install wheres-my-tensor` leaves out, and the command that adds it.

An audit, the pytest plugin and the simulated device need nothing of it.
"""

from __future__ import annotations

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
    "ray": "cluster",
    "watchfiles": "learn",
}


def how_to_get(error: ModuleNotFoundError) -> str:
    """What to install, if `error` is about a package of an extra; else `""`."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return ""
    return (
        f"This needs {package}, which is not installed here. Install what belongs to it:\n"
        f'    python -m pip install "wheres-my-tensor[{EXTRAS[package]}]"'
    )
