"""`index-device`: a table on the CPU and its index on the GPU, or lengths on the GPU."""

from __future__ import annotations

from grader.judge.findings.base import Cause, Code, Fault, How, Rule


class IndexDevice(Rule):
    """A CUDA tensor can be indexed from the CPU, but not the reverse."""

    code = Code.INDEX_DEVICE
    summary = "A CPU table is indexed from the GPU, or lengths are on the GPU."
    shows = "loud"

    def explain(self, cause: Cause) -> Fault:
        """PyTorch refused the index, or the lengths of packed sequences."""
        if cause.how is How.LENGTHS:
            return self.finding(
                cause,
                f"line {cause.line}: the lengths of packed sequences must be a CPU tensor, and "
                f"they are on {cause.expected} when the whole batch has moved.",
                "Bring the lengths back to the CPU for this call.",
            )
        how = "make it a buffer"
        if cause.how is How.MADE:
            how = f"make it on the input's device in {cause.used}"
        return self.finding(
            cause,
            f"line {cause.line}: the table is on the CPU, and its index is on {cause.expected}. A "
            "CUDA tensor can be indexed from the CPU, but not the reverse.",
            f"Move the table, not the index: {how}.",
        )
