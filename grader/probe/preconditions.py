"""What a probe needs before it starts: PyTorch, and a seed."""

from __future__ import annotations

import secrets


def no_torch(error: ImportError) -> str:
    """Why nothing can be graded where PyTorch is not there: no fault of the learner's."""
    return (
        f"PyTorch cannot be imported here ({error}), so nothing can be graded; this says nothing "
        "about your answer. Install it with `pip install torch`, in the same environment as the "
        "grader."
    )


def fresh_seed() -> int:
    return secrets.randbits(31)
