"""Notes: what a reader of the report should know and no check or finding says."""

from __future__ import annotations

from collections.abc import Iterator

from grader.schema import Evidence


def notes(evidence: Evidence) -> Iterator[str]:
    """Each note in full."""
    if evidence.uncompiled:
        yield (
            "`torch.compile` does nothing on the simulated device: your code ran uncompiled. On a "
            "GPU it is compiled at the first call."
        )
