"""Which implementation of the simulated device this process tests."""

from grader.simulated_cuda import implementation

IS_NATIVE = implementation() == "native"
