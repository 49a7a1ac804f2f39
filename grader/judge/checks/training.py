"""Whether training reaches what should be trained, and a checkpoint brings the result back."""

from __future__ import annotations

from grader.judge.attribution import Shown
from grader.judge.checks.graded_answer import GradedAnswer, Problems
from grader.judge.wording import explained, join_names
from grader.schema import Trained


def training(answer: GradedAnswer) -> Problems:
    """Messages about gradients that are missing and about values that changed or did not.

    1. The step raised: nothing else is known.
    2. No Parameter requires a gradient: there is nothing to train.
    3. A tensor that should be trained is not, see `_training_problems`. Which those are, the rubric
       says; where names are free, each that requires a gradient.
    4. Another tensor changed: one of the rubric's, or one that requires no gradient. A further
       Parameter may change: `parameters` reports it. So may what is not saved, such as a table
       that a longer input makes grow.
    """
    evidence, rubric = answer.evidence, answer.rubric
    training = evidence.training
    if training is None:
        return
    if training.raised:
        yield f"a training step raised {explained(training.raised)}"
        return
    should_train = {tensor.name for tensor in rubric.tensors if tensor.role == "parameter"}
    trained = {tensor.name: tensor for tensor in training.tensors}
    if not rubric.names_matter:
        should_train = {name for name, tensor in trained.items() if tensor.requires_grad}
    parameters = [tensor for tensor in training.tensors if tensor.role == "parameter"]
    if not any(tensor.requires_grad for tensor in parameters):
        yield "there is nothing to train: `parameters()` returns no tensor that requires a gradient"
        return
    yield from _training_problems(sorted(should_train), trained)
    known = {tensor.name for tensor in rubric.tensors}
    unsaved = {fact.name for fact in evidence.tensors if not fact.persistent}
    changed = sorted(
        name
        for name, tensor in trained.items()
        if tensor.changed
        and name not in should_train
        and (name in known or (not tensor.requires_grad and name not in unsaved))
    )
    if changed:
        yield f"a training step changed {join_names(changed)}, which should stay the same"


def _training_problems(names: list[str], trained: dict[str, Trained]) -> Problems:
    """Why tensors that should be trained are not.

    1. Each that cannot be: no Parameter, a buffer, or without `requires_grad`.
    2. Together, those that no gradient reaches.
    3. Together, those with a gradient that is zero, so that a step changes nothing.
    """
    facts = {name: trained.get(name) for name in names}
    trainable = {name: fact for name, fact in facts.items() if fact and not _why_untrained(fact)}
    yield from (f"`{n}` {_why_untrained(facts[n])}" for n in names if n not in trainable)
    unreached = [name for name, fact in trainable.items() if not fact.has_gradient]
    if unreached:
        them = "it" if len(unreached) == 1 else "them"
        yield (
            f"no gradient reaches {join_names(unreached)}: `forward` does not use {them}, or "
            f"detaches {them}"
        )
    flat = [name for name, fact in trainable.items() if fact.has_gradient and not fact.changed]
    if flat:
        yield (
            f"a step of SGD changed nothing in {join_names(flat)}: the gradient is zero. Does the "
            "result depend on this, is no activation stuck where it is flat, and does each step "
            "between have a way back (`torch.normal` has none)?"
        )


def _why_untrained(trained: Trained | None) -> str:
    if trained is None:
        return "is not in `parameters()`, so nothing trains it"
    if trained.role == "buffer":
        return "is a buffer, so nothing trains it"
    return "" if trained.requires_grad else "has requires_grad=False, so it is not trained"


def checkpoint(answer: GradedAnswer) -> Problems:
    """Whether the trained module, saved and loaded elsewhere, is the same: the rules have looked.

    Yields the messages of the audit's findings on reloading, then on tensors that a move parts.
    """
    for shown in (Shown.RELOAD, Shown.PARTED):
        yield from (
            sighting.finding.message for sighting in answer.audited if sighting.shown is shown
        )
