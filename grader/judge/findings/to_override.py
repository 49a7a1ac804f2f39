"""`to-override`: a method such as `to` that the learner's class overrides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.findings.base import Cause, Code, Fault, How, Rule, RuleContext, Shown
from grader.judge.lookups import (
    forgotten_by_override,
    left_behind,
    structure,
    unregistered_tensors,
)
from grader.judge.wording import describe, join_names
from grader.schema import Evidence, Location, Phase, Run

# A probe calls `eval` of what a move gives, as learners do.
NO_MODULE = "'NoneType' object has no attribute 'eval'"


class ToOverride(Rule):
    """A parent's `.to()` calls `_apply` of its children, and never their `to`."""

    code = Code.TO_OVERRIDE
    summary = "An overridden `.to()` is not called by the parent."
    shows = "loud inside a parent"
    searched = Shown.PARENT
    checks = ("placement", "forward", "buffers", "state_dict")

    def explain(self, cause: Cause) -> Fault:
        """A call met what the method leaves behind, or what only the method would have moved."""
        method, owner = cause.path.rpartition(".")[2], cause.path.rpartition(".")[0]
        if cause.how is How.UNSORTED:
            return self.finding(
                cause,
                f"`__setattr__` is overridden, and makes `{cause.name}` an ordinary attribute, "
                "where PyTorch's own would register it: no move reaches it, and neither "
                "`parameters()` nor `state_dict()` contains it.",
                "Let `__setattr__` put a Parameter, a child module, and a tensor that is assigned "
                "to the name of a buffer each into its register.",
            )
        if cause.how is How.FORGOTTEN:
            return self.finding(
                cause,
                f"`{method}` is overridden, and leaves `{cause.name}` on {cause.device}, which "
                f"PyTorch's own would move; {_harm(cause)}.",
                _own_move(method),
            )
        if cause.how is How.OF_ITS_OWN:
            return self.finding(
                cause,
                f"`{method}` of `{owner}` is overridden, and `{cause.name}` keeps its own "
                f"device: {cause.device}. A move of the whole module takes the Parameters "
                f"of `{owner}` along and never calls its `{method}`, and {cause.used} goes by what "
                "is kept.",
                f"Leave out the override. Where `{cause.name}` is read, ask for the device of a "
                "Parameter, or of the input.",
            )
        return self.finding(
            cause,
            f"`{method}` of `{owner}` is overridden, and moves `{cause.name}`. But a move of the "
            f"whole module never calls its children's `{method}`: `{cause.name}` stays behind, and "
            f"{cause.used} uses it.",
            "Register what it moves as a buffer; then no override is needed. Or override "
            "`_apply`, which parents do call.",
        )

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """By its harm: in an audit as a child or on the way back, else by what it moves."""
        yield from self._giving_none(context.evidence)
        for override in structure(context.evidence).overrides[:1]:
            if context.is_audit:
                yield from self._in_parent(override, context.evidence)
            elif not context.evidence.is_audited:
                yield from self._alone(override, context.evidence)
        if not context.is_audit:
            yield from self._moving_less(context.evidence)

    def _giving_none(self, evidence: Evidence) -> Iterator[Fault]:
        """A caller goes on with what a move gives: `model = model.to(device)`."""
        first = evidence.first_calls
        raised = [("self.to", run.raised) for run in evidence.runs]
        raised.append(("self.cuda", first.resized if first else None))
        nothing = {
            m for m, error in raised if error and not error.line and NO_MODULE in error.message
        }
        for override in (*structure(evidence).overrides, *structure(evidence).own_apply):
            if override.path in nothing or (nothing and override.path == "self._apply"):
                message = (
                    f"`{_method(override)}` is overridden and returns nothing, so after "
                    "`model = model.to(device)` the model is None."
                )
                fault = self.finding(override, message, "Let it return `self`, as PyTorch's does.")
                yield replace(fault, variant="gives nothing")

    def _moving_less(self, evidence: Evidence) -> Iterator[Fault]:
        """An `_apply`, which every move calls, that forgets or replaces what is registered."""
        behind = forgotten_by_override(evidence)
        for override in structure(evidence).own_apply[: bool(behind)]:
            yield self.finding(
                override,
                f"`_apply` is overridden, and leaves {join_names(behind)} on the CPU, which "
                "PyTorch's own would move.",
                _own_move("_apply"),
            )
        replaced = [path for move in evidence.movements for path in move.replaced]
        for override in structure(evidence).own_apply[: bool(replaced)]:
            yield self.finding(
                override,
                "`_apply` is overridden, and puts new Parameters in the place of "
                f"{join_names(list(dict.fromkeys(replaced)))}: an optimizer that was made before "
                "the move goes on with the old ones.",
                "Keep each Parameter, and assign the moved tensor to its `data`.",
            )

    def _in_parent(self, override: Location, evidence: Evidence) -> Iterator[Fault]:
        """It moves alone, and not as a child, or not by `.cpu()`."""
        method = _method(override)
        if symptom := _symptom(method, evidence, override.file):
            yield self.finding(
                override,
                f"`{method}` is overridden, and moves what PyTorch would not. But {symptom}",
                "Register what it moves as a buffer; then no override is needed. Or override "
                "`_apply`, which parents do call.",
            )

    def _alone(self, override: Location, evidence: Evidence) -> Iterator[Fault]:
        """It leaves registered tensors behind, or moves what nobody registered."""
        method = _method(override)
        if behind := forgotten_by_override(evidence):
            harm = f"leaves {join_names(behind)} on the CPU, which PyTorch's own would move."
            fix = f"Drop the override: `{method}` of `nn.Module` moves all that is registered."
        elif moved := _paths_moved_by_hand(evidence):
            harm = (
                f"moves {join_names(moved)}, which PyTorch would not. But a parent's `.to()` never "
            )
            harm += f"calls its children's `{method}`, and `state_dict()` does not hold what is "
            harm += "not registered."
            fix = "Register what it moves; then no override is needed."
        else:
            return
        message = f"`{method}` is overridden, and {harm}"
        yield self.finding(override, message, fix)


def _harm(cause: Cause) -> str:
    if cause.result:
        return f"{cause.result} is there too, while the inputs are on {cause.expected}"
    return f"{cause.used} uses it on {cause.expected}"


def _own_move(method: str) -> str:
    """What a method should do that forgets what is registered."""
    if method == "_apply":
        return (
            "Let `_apply` put what `fn` returns in the place of each buffer and into the `data` of "
            "each Parameter, and call each child's `_apply`. PyTorch's own does that: call it "
            "through `super()`, if you inherit it."
        )
    return (
        f"Call PyTorch's own `{method}` through `super()`, which moves what is registered, and "
        "then move the rest."
    )


def _method(override: Location) -> str:
    return override.path.rpartition(".")[2]


def _symptom(method: str, evidence: Evidence, here: str) -> str:
    alone, child, back = (
        evidence.run_of(phase) for phase in (Phase.CUDA, Phase.PART_OF_ANOTHER, Phase.MOVED_BACK)
    )
    if alone is None or alone.raised or child is None:
        return ""
    same_device = [o.device for o in alone.outputs] == [o.device for o in child.outputs]
    if child.raised or not same_device:
        return (
            f"a parent's `.to()` never calls its children's `{method}`: as part of a larger model, "
            f"this one is left behind{_in_words(child, here)}"
        )
    if back and back.raised:
        return (
            "`.cpu()` and a parent's `.to()` never call it, and leave something behind"
            f"{_in_words(back, here)}"
        )
    return ""


def _in_words(run: Run, here: str) -> str:
    return f": {describe(run.raised, here)}" if run.raised else ""


def _paths_moved_by_hand(evidence: Evidence) -> list[str]:
    plain = {fact.path for fact in unregistered_tensors(evidence) if fact.device == "cpu"}
    arrived = (f for move in evidence.movements for f in move.tensors if f not in left_behind(move))
    return list(dict.fromkeys(fact.path for fact in arrived if fact.path in plain))
