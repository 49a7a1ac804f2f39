"""An environment for pytest in a process of its own: with the device's plugin, and no other."""

import os
import sys
import sysconfig
from importlib.machinery import PathFinder
from pathlib import Path

from grader.simulated_cuda.native import build

PACKAGE = build.HERE.parent
CACHE = str(build.cache_folder())
# Of the worker that the test runs in: with them, an inner pytest takes its folder for a worker's.
NOT_PASSED_ON = ("SIMULATED_CUDA", "PYTEST_XDIST")
# What torch.testing._internal imports from `expecttest`, where that is not installed.
EXPECTTEST = "from unittest import TestCase\n"


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """This process's, with the plugin as if it was installed, and the .pth file of the device.

    `folder` is where the test works; files that stand in for an installation go next to it.
    """
    installed = folder.with_name(f"{folder.name}-installed")
    installed.mkdir(exist_ok=True)
    (installed / "sitecustomize.py").write_text((PACKAGE / "startup.pth").read_text())
    if not PathFinder.find_spec("expecttest"):  # not the stub of another test
        (installed / "expecttest.py").write_text(EXPECTTEST)
    ours = {name: text for name, text in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
    return {
        **ours,
        "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "-p grader.simulated_cuda.pytest_plugin -p xdist -p no:cacheprovider",
        "PYTHONPATH": os.pathsep.join([str(installed), str(PACKAGE.parents[1]), *sys.path[1:]]),
        "SIMULATED_CUDA_CACHE": CACHE,
        "SIMULATED_CUDA_IMPLEMENTATION": os.environ.get("SIMULATED_CUDA_IMPLEMENTATION", "native"),
        **variables,
    }
