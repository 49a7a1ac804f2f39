"""Methods such as `to` that a learner overrides, in an exercise that is not audited."""

from __future__ import annotations

from collections.abc import Iterator

from grader.evidence import Evidence, Movement, Place, Structure, TensorFact
from grader.judge.report import Finding
from grader.judge.rules.registration import unregistered
from grader.judge.wording import listed, on_device


def overridden(evidence: Evidence) -> Iterator[Finding]:
    """`to-override`: one that leaves registered tensors behind, or moves what nobody registered."""
    for place in (evidence.structure or Structure()).overrides[:1]:
        if behind := registered_left_behind(evidence):
            yield _forgetful(place, behind)
        elif moved := _moved_by_hand(evidence):
            yield _by_hand(place, moved)


def registered_left_behind(evidence: Evidence) -> list[str]:
    """The registered tensors that a move with an overridden method did not move."""
    if not (evidence.structure or Structure()).overrides:
        return []
    facts = [fact for move in evidence.movements for fact in _stayed(move)]
    return list(dict.fromkeys(fact.path for fact in facts if fact.role != "plain"))


def _stayed(move: Movement) -> list[TensorFact]:
    return [fact for fact in move.tensors if not on_device(fact.device, "cuda")]


def _moved_by_hand(evidence: Evidence) -> list[str]:
    plain = {fact.path for fact in unregistered(evidence) if fact.device == "cpu"}
    arrived = (f for move in evidence.movements for f in move.tensors if f not in _stayed(move))
    return list(dict.fromkeys(fact.path for fact in arrived if fact.path in plain))


def _forgetful(place: Place, behind: list[str]) -> Finding:
    method = place.path.rsplit(".", 1)[-1]
    return Finding(
        "to-override",
        "error",
        place.path,
        place.line,
        f"`{method}` is overridden, and leaves {listed(behind)} on the CPU, which PyTorch's own "
        "would move.",
        f"Drop the override: `{method}` of `nn.Module` moves all that is registered.",
    )


def _by_hand(place: Place, moved: list[str]) -> Finding:
    method = place.path.rsplit(".", 1)[-1]
    return Finding(
        "to-override",
        "error",
        place.path,
        place.line,
        f"`{method}` is overridden, and moves {listed(moved)}, which PyTorch would not. But a "
        f"parent's `.to()` never calls its children's `{method}`, and `state_dict()` does not hold "
        "what is not registered.",
        "Register what it moves; then no override is needed.",
    )
