"""Faults that raise nothing: what is not trained, not saved, not shared any more."""

from __future__ import annotations

from collections.abc import Iterator

from grader.evidence import Evidence, Place, Structure, TensorFact
from grader.judge.outputs import differences
from grader.judge.report import Finding
from grader.judge.rules.devices import is_result
from grader.judge.rules.registration import held_in, member_tensor, moved_before, unregistered
from grader.judge.rules.stray_findings import layer_in_forward
from grader.judge.wording import told


def untrained(evidence: Evidence) -> Iterator[Finding]:
    """Tensors that got a gradient although `parameters()` does not list them."""
    training = evidence.training
    if training is None:
        return
    yield from (layer_in_forward(place.path, place.line) for place in training.newcomers)
    facts = {fact.path: fact for fact in unregistered(evidence)}
    registered = {fact.path for fact in evidence.tensors if fact.role != "plain"}
    for place in training.strays:
        if place.path not in registered:
            yield from _stray_leaf(place, facts)


def _stray_leaf(place: Place, facts: dict[str, TensorFact]) -> Iterator[Finding]:
    fact = facts.get(place.path)
    results = [each for each in facts.values() if is_result(each)]
    if fact and fact.holder:
        together = [each for each in facts.values() if each.holder == fact.holder]
        yield held_in(fact, together)
    elif fact and "." in fact.path.removeprefix("self."):
        yield held_in(fact, [fact])
    elif fact:
        yield member_tensor(fact, ", it gets a gradient that no optimizer sees")
    elif results:
        yield next(
            (moved_before(each) for each in results if each.line == place.line),
            moved_before(results[0]),
        )
    elif place.line:
        yield layer_in_forward(place.path, place.line)


def moved_on_cuda(evidence: Evidence) -> Iterator[Finding]:
    """`moved-before-registration`, seen where the constructor was given a CUDA device."""
    for fact in (evidence.on_device or Structure()).tensors:
        if fact.role == "plain" and is_result(fact):
            yield moved_before(fact)


def trained_buffers(evidence: Evidence) -> Iterator[Finding]:
    """`parameter-or-buffer`: buffers that require a gradient, constants that are Parameters."""
    for fact in evidence.tensors:
        if fact.role == "buffer" and fact.requires_grad and fact.is_leaf:
            yield Finding(
                "parameter-or-buffer",
                "error",
                fact.path,
                fact.line,
                f"`{fact.path}` requires a gradient, but is a buffer: `parameters()` does not list "
                "it, so no optimizer will train it.",
                "Make it a Parameter in `__init__`.",
            )
        elif fact.role == "parameter" and _looks_constant(fact):
            yield _constant_parameter(fact)


def _looks_constant(fact: TensorFact) -> bool:
    is_frozen = not fact.requires_grad and "requires_grad=False" in fact.value
    return is_frozen or (fact.fixed and bool(fact.value))


def _constant_parameter(fact: TensorFact) -> Finding:
    return Finding(
        "parameter-or-buffer",
        "warning",
        fact.path,
        fact.line,
        f"`{fact.path}` looks like a constant, but is a Parameter: one `requires_grad_(True)` on "
        "the module, or an optimizer with weight decay, and it changes.",
        "If nothing should train it, make it a buffer in `__init__`.",
    )


def hidden_modes(evidence: Evidence) -> Iterator[Finding]:
    """`python-container`: dropout that `eval()` does not reach."""
    for place in (evidence.structure or Structure()).never_told:
        if place.value.startswith(("Dropout", "AlphaDropout", "FeatureAlpha")) and evidence.random:
            holder = place.path.split("[")[0]
            yield Finding(
                "python-container",
                "error",
                holder,
                place.line,
                f"`{place.path}` is a {place.value} that the module does not know: `eval()` does "
                "not switch it off, and the outputs stay random.",
                "Keep modules in PyTorch's own containers, `nn.ModuleList` and `nn.ModuleDict`.",
            )


def parted_ties(evidence: Evidence) -> Iterator[Finding]:
    """`tied-weights`: Parameters that share memory, until a move gives each its own."""
    before = {fact.path: fact for fact in evidence.tensors if fact.is_parameter}
    after = {f.path: f for move in evidence.movements for f in move.tensors}
    for first, second in _sharing(sorted(before.values(), key=lambda fact: fact.line)):
        mine, theirs = after.get(first.path), after.get(second.path)
        if mine and theirs and mine.storage != theirs.storage:
            yield Finding(
                "tied-weights",
                "error",
                second.path,
                second.line,
                f"`{first.path}` and `{second.path}` share memory, but are two Parameters: a move "
                "copies each on its own, and from then on they go separate ways.",
                "Tie them by assigning the Parameter itself, or use one in both places.",
            )


def _sharing(facts: list[TensorFact]) -> Iterator[tuple[TensorFact, TensorFact]]:
    first_with: dict[int, TensorFact] = {}
    for fact in facts:
        first = first_with.setdefault(fact.storage, fact)
        if fact.storage and fact.identity != first.identity:
            yield first, fact


def optimizers(evidence: Evidence) -> Iterator[Finding]:
    """`stale-optimizer`, and `criterion-state` where a loss's Parameters are left out."""
    for optimizer in evidence.optimizers:
        loss = next((n for n in optimizer.forgotten if "loss" in n or "criterion" in n), "")
        if optimizer.strangers:
            harm = (
                f"updates {optimizer.strangers} tensors that the module no longer uses: they were "
                "replaced after the optimizer was built"
            )
        elif optimizer.raised:
            harm = f"keeps a state that did not move with the module: {told(optimizer.raised)}"
        elif loss:
            yield _forgotten_loss(loss, optimizer.path, optimizer.line)
            continue
        else:
            continue
        yield Finding(
            "stale-optimizer",
            "error",
            optimizer.path,
            optimizer.line,
            f"`{optimizer.path}` {harm}.",
            "Build the optimizer last: after the module is complete and has been moved.",
        )


def _forgotten_loss(name: str, optimizer: str, line: int) -> Finding:
    return Finding(
        "criterion-state",
        "error",
        f"self.{name}",
        line,
        f"`self.{name}` belongs to the loss function and has to be trained, but `{optimizer}` was "
        "not given it.",
        "Give the optimizer the criterion's parameters too, after the model's.",
    )


def lost(evidence: Evidence) -> Iterator[Finding]:
    """`lost-from-checkpoint`: a reloaded module that gives other outputs."""
    checkpoint = evidence.checkpoint
    if checkpoint is None or evidence.random:
        return
    if not any(differences(checkpoint.after, checkpoint.before)):
        return
    place = checkpoint.unsaved[0] if checkpoint.unsaved else Place("state_dict()")
    yield Finding(
        "lost-from-checkpoint",
        "error",
        place.path,
        place.line,
        f"After two training steps, a fresh module that loads the `state_dict()` gives other "
        f"outputs: `{place.path}` changed in training and is not saved.",
        "Keep it as a buffer (a flag or a number as a 0-dim tensor), or save it through "
        "`get_extra_state` and `set_extra_state`.",
    )
