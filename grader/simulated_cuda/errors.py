"""The exceptions of the simulated device: `except SimulatedCudaError` catches each of them."""


class SimulatedCudaError(Exception):
    """The device cannot be had as asked for; the message says why and what to do."""


class LibraryError(SimulatedCudaError, RuntimeError):
    """There is no native library for this PyTorch, and none can be built here."""


class SettingError(SimulatedCudaError, ValueError):
    """A variable of the environment has a value that means nothing."""
