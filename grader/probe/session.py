"""A probe under way: constructs instances, calls them, and records what they raise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.autograd.graph import get_gradient_edge
from torch.overrides import TorchFunctionMode

from grader.probe.attempts import Attempts
from grader.probe.constructed import classes_in, kind_of, not_built, not_hashable, problem_of
from grader.probe.forward import call_forward, call_in_eval_mode
from grader.probe.generators import generator_states, seed_generators
from grader.probe.inspection.copies import copier, twin
from grader.probe.inspection.identities import Identities
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.names import NamedTensors, named_tensors
from grader.probe.inspection.operations import tensors_in
from grader.probe.inspection.plain import plain
from grader.probe.inspection.records import Seen
from grader.probe.inspection.registered import gpus_of, is_a, registered_modules
from grader.probe.inspection.source import defining_files, files_around, is_torch
from grader.probe.inspection.structure import Filled, collect_filled_buffers, tensors_of
from grader.probe.inspection.values import is_lazy, values_of
from grader.schema import Raised, Recipe, TensorFact

PATIENCE = 30.0  # seconds, after which optional steps are skipped


class Spare(Enum):
    """An instance that a step leaves for another, which is nobody else's then."""

    DESCRIBED = auto()  # of which the structure tells
    CALLED = auto()  # on the CPU, as often as `Baseline.calls`
    MOVED = auto()  # on CUDA, not called
    BUILT_ON_CUDA = auto()  # not called


@dataclass
class Instance:
    """One constructed module, the buffers that its constructor filled, and where it was moved."""

    module: nn.Module
    filled: Filled = field(default_factory=list)
    at: str = ""


class Called(NamedTuple):
    """What one call of a module showed.

    Attributes:
        result: what it returned; None if it raised.
        draws: whether it changed the state of a generator on the CPU, PyTorch's or another.
        seen: what the trace saw of it.
    """

    result: Any
    raised: Raised | None
    draws: bool
    seen: Seen


@dataclass(eq=False)
class Session(Attempts):
    """A probe of one subject, under way.

    Every step builds instances of its own, so that none spoils the next, or takes one that no other
    step will take.

    Attributes:
        patience: seconds after which optional steps are skipped.
        started: when the probe began.
        constructions: what the instances registered, each kind of instance once.
        spares: instances that one step leaves for another.
        needs_gradients: whether `forward` is called with gradients; see `gradients`.
    """

    patience: float = PATIENCE
    started: float = field(default_factory=time.monotonic)
    identities: Identities = field(default_factory=Identities)
    constructions: dict[str, None] = field(default_factory=dict)
    spares: dict[Spare, Instance] = field(default_factory=dict)
    needs_gradients: bool = False

    def build(
        self,
        seed: int | None = None,
        make: Callable[[], Any] | None = None,
        is_usual: bool = True,
        is_shaped: bool = True,
    ) -> tuple[Instance | None, Raised | None]:
        """A new instance, or what its constructor raised.

        A result that is no usable module counts as raised, with a problem in words.

        Args:
            seed: of the generators; the subject's, unless given.
            make: constructs it; as usual, unless given.
            is_usual: whether it registers what any instance does, whatever its arguments.
            is_shaped: whether lazy layers get their shapes, so that it is ready to be moved.
        """
        with collect_filled_buffers() as filled:
            module, raised = self._attempt(
                lambda: self._construct(make or self.subject.make, seed), NamedTensors
            )
        raised = not_built(raised) if raised else problem_of(module)
        modules = list(registered_modules(module)) if raised is None else []
        classes = classes_in(modules)
        if not all(cls.__hash__ is object.__hash__ for cls in classes):
            raised = not_hashable(self.run, module)
        if raised:
            return None, raised
        for cls in classes:
            written = defining_files(cls)
            self.classes |= written
            self.files.update(file for file, _ in written)
            if self.subject.recipe is None and not is_torch(cls):
                self.files |= files_around(cls)
        if is_usual:
            self.constructions[kind_of(modules)] = None
        if is_shaped:
            self.dry_run(module)
        return Instance(module, filled), None

    @property
    def is_audited(self) -> bool:
        """Whether all that an audit asks is asked."""
        return self.subject.recipe is None or self.subject.recipe.thorough

    @property
    def wants(self) -> Recipe:
        """What an exercise wants; nothing, in an audit."""
        return self.subject.wants

    @property
    def seconds(self) -> float:
        """Seconds since the probe began."""
        return time.monotonic() - self.started

    @property
    def is_late(self) -> bool:
        """Whether its patience is used up, so that optional steps are skipped."""
        return self.seconds > self.patience

    def take_copies_of(self, module: nn.Module) -> None:
        """From now on, let instances be copies of a live module."""
        where_it_belongs = partial(twin, module) if gpus_of(module) else None
        self.subject = replace(
            self.subject,
            make=copier(module),
            is_copied=True,
            make_where_it_belongs=where_it_belongs,
        )

    def bring_instances_to_the_cpu(self) -> None:
        """From now on, bring each new instance to the CPU, wherever its maker leaves it."""
        make = self.subject.make

        def made_on_the_cpu() -> Any:
            made = make()
            if is_a(made, nn.Module):
                with suppress(Exception):  # the first call on the CPU tells of one that refuses
                    made.cpu()
            return made

        self.subject = replace(self.subject, make=made_on_the_cpu)

    def tensors_of(self, module: nn.Module, with_sites: bool = False) -> tuple[TensorFact, ...]:
        """All tensors that the module leads to now, on request with the expressions behind them."""
        site_of = self.trace.sites() if with_sites else None
        return tensors_of(module, self.identities, self.trace.position_of, site_of)

    def feed(self) -> Inputs:
        """The inputs of a call, as the subject gives them."""
        assert self.subject.feed, "only what can be called is called"
        return self.subject.feed()

    def fed_to(self, device: str, inputs: Inputs | None = None) -> Inputs:
        """New inputs on `device`, or on the CPU if the module is to move them itself."""
        return (inputs or self.feed()).to("cpu" if self.wants.inputs_stay else device)

    def new(
        self,
        seed: int | None = None,
        make: Callable[[], Any] | None = None,
        is_usual: bool = True,
    ) -> Instance:
        """A new instance of a module that was constructed before.

        Raises:
            RuntimeError: this time the constructor raised.
        """
        instance, raised = self.build(seed, make, is_usual)
        if instance is None:
            raise RuntimeError(f"it was constructed once, but not again: {raised}")
        return instance

    def take_or_make(self, spare: Spare) -> Instance:
        return self.spares.pop(spare, None) or self.new()

    def call(
        self,
        module: nn.Module,
        inputs: Inputs,
        seed: int | None = None,
        is_traced: bool = True,
        watch: TorchFunctionMode | None = None,
    ) -> Called:
        """Seed the generators, and call the module.

        Args:
            module: the module.
            inputs: what to call it with.
            seed: of the generators; the subject's, unless given.
            is_traced: False where only the result counts. A trace costs more than many a call.
            watch: what looks at the call in place of a trace.
        """
        self.trace.begin_call()
        mode, draws = self.trace if is_traced else watch, False
        given = tensors_in((inputs.args,)) if self.subject.recipe else []
        numbers = [values_of(plain(tensor)) for tensor in given]

        def forward() -> Any:
            nonlocal draws
            seed_generators(self.subject.seed if seed is None else seed)
            before = generator_states()
            try:
                return self.run(partial(call_forward, module, inputs), mode)
            finally:
                draws = generator_states() != before

        names = partial(named_tensors, module, inputs, self.run)
        result, raised = self._attempt(forward, names)
        for tensor, before in zip(given, numbers, strict=True):
            if values_of(plain(tensor)) != before:
                self.left_on.setdefault("input", names().inputs[id(tensor)])
        return Called(result, raised, draws, self.trace.now)

    def train_call(self, module: nn.Module, inputs: Inputs) -> Any:
        """Call the module as it is, and return or raise what it does."""
        self.trace.begin_call()
        return self.run(partial(call_forward, module, inputs), self.trace)

    def backward(self, loss: torch.Tensor) -> None:
        """Run the backward pass; the learner's hooks and functions in it are traced.

        PyTorch turns a mode off where it hands a tensor's `backward` to it. An edge of the graph is
        no tensor, so that nothing is handed over and the mode stays on.
        """
        edge = get_gradient_edge(loss)
        self.run(partial(torch.autograd.backward, edge), self.trace)

    @contextmanager
    def gradients(self, are_needed: bool) -> Iterator[None]:
        """In the block, call the module with gradients, if they are needed, or without any."""
        before, self.needs_gradients = self.needs_gradients, are_needed
        try:
            yield
        finally:
            self.needs_gradients = before

    def _construct(self, make: Callable[[], Any], seed: int | None) -> Any:
        seed_generators(self.subject.seed if seed is None else seed)
        with self.trace.construction():
            return self.run(make, None if self.subject.is_copied else self.trace)

    def dry_run(self, module: nn.Module) -> bool:
        """Give lazy layers their shapes by one call; whether there were any.

        PyTorch's LazyModuleMixin asks its users for such a call before they make an optimizer. The
        generators go on from where the constructor left them: seeded again, they would give a lazy
        layer the numbers of another layer. A call that fails leaves the module as it is, for the
        stage that makes the same call to report.
        """
        if self.subject.recipe is None or not is_lazy(module):
            return False
        inputs = self.feed().to("cpu")
        self.attempt(partial(call_in_eval_mode, module, inputs), module)
        return True
