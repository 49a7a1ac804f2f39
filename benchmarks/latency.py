"""What the benchmarks of latency share: pairs of a time and `import torch` beside it, told."""

from __future__ import annotations

import statistics

# By exercise: what it took, and what `import torch` took next to it.
Taken = dict[str, list[tuple[float, float]]]


def median_ratio(taken: Taken) -> float:
    """The median over every exercise."""
    return _ratio([pair for pairs in taken.values() for pair in pairs])


def tell(taken: Taken, limit: float) -> int:
    """Print every exercise and the median; 1 if that is above the limit."""
    for stem, pairs in taken.items():
        took = statistics.median(seconds for seconds, _ in pairs)
        print(f"{stem:26} {took:6.3f} s   x {_ratio(pairs):.3f}")
    everything = [pair for pairs in taken.values() for pair in pairs]
    ratio = median_ratio(taken)
    verdict = "ok" if ratio <= limit else "TOO SLOW"
    print(f"{'import torch':26} {statistics.median(torch for _, torch in everything):6.3f} s")
    print(f"{'median':26}            x {ratio:.3f}   at most {limit}   {verdict}")
    return int(ratio > limit)


def _ratio(pairs: list[tuple[float, float]]) -> float:
    return statistics.median(took / torch for took, torch in pairs)
