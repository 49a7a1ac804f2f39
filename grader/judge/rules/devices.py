"""Tensors that are put on one device for good."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from grader.evidence import Evidence, TensorFact
from grader.judge.report import Finding

_NAMED = re.compile(r"\.cuda\(|[\"']cuda")


def hard_coded(evidence: Evidence) -> Iterator[Finding]:
    """`hard-coded-device`: a constructor, called on the CPU, that made a plain tensor elsewhere.

    A registered one may be there because CUDA is available; whether it can leave again is seen in
    the runs.
    """
    for fact in evidence.tensors:
        is_elsewhere = fact.device not in ("cpu", "meta")
        if is_elsewhere and fact.role == "plain" and not is_result(fact):
            yield _made_elsewhere(fact)


def put_by_name(evidence: Evidence) -> Iterator[Finding]:
    """`hard-coded-device`, as a warning: registered, so it can move on, but made for CUDA only."""
    for fact in evidence.tensors:
        is_elsewhere = fact.device not in ("cpu", "meta")
        if is_elsewhere and fact.role != "plain" and _NAMED.search(fact.value):
            yield replace(
                _made_elsewhere(fact),
                severity="warning",
                message=f"`{fact.path}` is put on {fact.device} by the constructor. It can move "
                "on from there, but where there is no CUDA the constructor raises.",
                fix="Leave that to whoever moves the module: `.to()` takes it along.",
            )


def is_result(fact: TensorFact) -> bool:
    """Whether it came out of an operation on a Parameter."""
    return fact.requires_grad and not fact.is_leaf


def _made_elsewhere(fact: TensorFact) -> Finding:
    return Finding(
        "hard-coded-device",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is made on {fact.device}, whatever device the module is meant for: it "
        "fails on a machine without CUDA, and on any other GPU.",
        "Make it on the CPU and register it; `.to()` of the module then moves it with the rest.",
    )
