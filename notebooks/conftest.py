"""What `pytest --nbval notebooks/` needs to know; it works with `--nbval-lax` too."""

import os
import tempfile
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Run the notebooks as a learner who has done nothing yet, in this environment."""
    if not config.pluginmanager.hasplugin("nbval"):
        return
    option = config.option
    if not option.nbval_kernel_name:
        option.nbval_current_env = True
    if not option.nbval_sanitize_with:
        option.nbval_sanitize_with = str(Path(__file__).with_name("nbval_sanitize.cfg"))
    journal = tempfile.TemporaryDirectory(prefix="journal-")
    config.add_cleanup(journal.cleanup)
    os.environ["GRADER_JOURNAL"] = str(Path(journal.name, "journal.json"))
