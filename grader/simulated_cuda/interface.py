"""What both implementations of the simulated device offer to the package around them."""

from __future__ import annotations

from typing import Protocol

from .common.patches import Patch


class Device(Protocol):
    """Puts a CUDA device into this process's PyTorch and takes it out again.

    The modules `native.switch` and `python_device.switch` have each of these as a function.
    """

    def turn_on(self) -> None:
        """Put the device into PyTorch; `set_count` follows. Called while it is off."""

    def replaced(self) -> list[Patch]:
        """Every name of PyTorch that `turn_on` replaces. To be asked while the device is on."""

    def set_count(self, devices: int, *, follow: bool) -> None:
        """Let there be this many devices, less those that CUDA_VISIBLE_DEVICES hides if `follow`.

        The Python device never follows it.
        """

    def turn_off(self) -> None:
        """Give PyTorch back every name that `turn_on` replaced."""

    def adopt_fork(self) -> None:
        """Let this forked child use the device that its parent had on."""

    def prepare_short_process(self) -> None:
        """Spare a process that ends after one short task what PyTorch would import for others."""
