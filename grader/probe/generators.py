"""The random number generators that a module may draw from."""

from __future__ import annotations

import random

import numpy
import torch

_cpu_generator = torch.default_generator
# Modules that augment choose by them: `if random.random() < self.p`.
_seed_python, _seed_numpy = random.seed, numpy.random.seed
_state_of_python, _state_of_numpy = random.getstate, numpy.random.get_state


def seed_generators(seed: int) -> None:
    """Seed Python and NumPy, and, as `torch.manual_seed` does, PyTorch on the CPU and on CUDA.

    For each backend that is not initialised, `torch.manual_seed` queues the call together with its
    traceback, and frames are what the learner's code must not get.
    """
    _cpu_generator.manual_seed(seed)
    _seed_python(seed)
    _seed_numpy(seed % 2**32)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)


def generator_states() -> tuple[object, ...]:
    """The states of the generators on the CPU, which are others after a draw."""
    numpys = _state_of_numpy(legacy=False)["state"]
    drawn = _cpu_generator.get_state().numpy().tobytes()
    return drawn, _state_of_python(), numpys["key"].tobytes(), numpys["pos"]
