"""`SIMULATED_CUDA=2` in the environment turns the device on in every Python process that has it.

`wheres_my_tensor_simulated_cuda.pth` in site-packages asks at each start of Python whether the
variable is set, and only then imports this module. PyTorch is not imported at that time, and may
never be: the device is turned on right after the first `import torch`.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from .errors import SettingError

DEVICES_VARIABLE = "SIMULATED_CUDA"
NOTICE_VARIABLE = "SIMULATED_CUDA_NOTICE"


def requested_devices() -> int:
    """How many devices the environment asks for; 0 if the variable is unset or empty.

    Raises:
        SettingError: the variable is not a number.
    """
    text = os.environ.get(DEVICES_VARIABLE, "").strip()
    if not text.isdecimal() and text:
        raise SettingError(
            f"{DEVICES_VARIABLE} is {text!r}. "
            f"Set it to the number of devices, such as {DEVICES_VARIABLE}=2."
        )
    return int(text or 0)


def install() -> None:
    """Turn the device on now if PyTorch is imported, else as soon as it is."""
    if "torch" in sys.modules:
        turn_on()
    elif not any(isinstance(finder, _AfterTorch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterTorch())  # some Pythons read a .pth file twice (lib, lib64)


def turn_on() -> None:
    """Turn on as many devices as the environment asks for, unless the device is on already.

    A failure is a warning: `import torch` must work with any environment.
    """
    from . import enable, is_enabled

    try:
        if requested_devices() and not is_enabled():
            enable(requested_devices())
            _give_notice()
    except Exception as error:
        warnings.warn(f"The simulated CUDA device stays off: {error}", stacklevel=2)


def _give_notice() -> None:
    """Say on stderr what "cuda" means: nobody can see in a program's output that it has no GPU.

    Once for a program and those that it starts, which inherit the variable; pytest has a header.
    """
    if os.environ.get(NOTICE_VARIABLE) != "0" and "pytest" not in sys.modules and sys.stderr:
        given = f"{DEVICES_VARIABLE}={os.environ[DEVICES_VARIABLE]}"
        print(
            f'"cuda" is simulated in this program, as {given} is set. Unset it to turn that off, '
            f"or set {NOTICE_VARIABLE}=0 to read this no more.",
            file=sys.stderr,
        )
    os.environ[NOTICE_VARIABLE] = "0"


class _AfterTorch(MetaPathFinder):
    """Finds only `torch`, once: the spec is the usual one, and its loader then calls `turn_on`."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of PyTorch; None for everything else."""
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            _call_afterwards(spec.loader)
        return spec


def _call_afterwards(loader: Any) -> None:
    """Let this loader's next `exec_module` be followed by `turn_on`.

    PyTorch must be imported whole before the device is put into it, and no hook of Python's runs
    after an import. So the loader's own instance gets an `exec_module` that takes itself away
    first, does what the class's does, and then turns the device on.
    """
    load = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module  # the instance's attribute; the class's method is back
        load(module)
        turn_on()

    loader.exec_module = exec_module
