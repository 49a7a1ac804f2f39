"""The module under probe: constructs instances, calls them, and records what they raise."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from inspect import isgenerator
from itertools import islice
from typing import Any

import torch
from torch import nn
from torch.autograd.graph import get_gradient_edge
from torch.overrides import TorchFunctionMode

from grader.probe.constructed import classes_in, kind_of, not_built, not_hashable, problem_of
from grader.probe.generators import seed_generators
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.names import named_tensors
from grader.probe.inspection.operations import LearnersWatch, MoveWatch
from grader.probe.inspection.registered import is_a, registered_modules, registered_once
from grader.probe.inspection.source import defining_files
from grader.probe.inspection.structure import Filled, Identities, collect_filled_buffers
from grader.probe.inspection.tracing import NamedTensors, Trace
from grader.probe.inspection.values import is_sized
from grader.probe.printed import OutputLimitError
from grader.probe.running import Guard, TamperedError, within
from grader.schema import Place, Raised

MOST_YIELDED = 1_000  # items taken from a `forward` that is a generator
PATIENCE = 30.0  # seconds, after which optional steps are skipped


@dataclass
class Instance:
    """One constructed module, and the buffers that its constructor filled."""

    module: nn.Module
    filled: Filled


@dataclass(eq=False)
class Subject:
    """A module to probe. Every stage builds an instance of its own, so that none spoils the next.

    Attributes:
        make: constructs the module.
        feed: gives the inputs of every call, on the CPU.
        files: the learner's files.
        seed: set before each construction and each call.
        thorough: whether an exercise's module is audited as well.
        measures_noise: whether a module that draws random numbers is constructed dozens of times
            and called hundreds of times.
        inputs_stay: whether the module is given CPU inputs wherever it is, and moves them itself.
        learns_from: the output that a training step looks at; all of them, if `""`.
        feed_later: gives inputs of another size, or None.
        calls_lazy_modules: whether a module with lazy layers is called once before it is moved, as
            PyTorch asks of whoever uses them.
        filled: the names of tensors that get random values though nothing trains them.
        factory_with_devices: gives what a function makes, or a module that was live and on CUDA, on
            the devices where the caller gets it. None of a class, which is made to be moved.
        make_other: constructs the module with other arguments, None if there are none.
        loads_other: whether a checkpoint of that one fits the module.
        takes_device: whether the module of an exercise is to be built where the caller says.
        elsewhere: other ways to build or place the module in which an exercise asks it to work.
        make_with: constructs it with some arguments changed.
        is_copied: whether an instance is a copy of a live module, the same whatever the seed.
        draws: whether the last call drew random numbers.
        needs_gradients: whether `forward` fails under `torch.no_grad`, as one that trains does.
        keeps_nothing: whether no tensor that a call made was alive after it.
        asks_where: whether `forward` may ask on which device a tensor is, or moves one.
        is_tracing: whether the trace records what is constructed and called; see `untraced`.
        watch: what looks at calls without a trace, if anything does.
        patience: seconds after which optional steps are skipped; `PATIENCE`, unless given.
        started: when the probe began.
        constructions: what the instances registered, each kind of instance once.
        classes: those of the instances, by file and name.
        guard: keeps the probe apart from the learner's code, if there is need to.
    """

    make: Callable[[], Any]
    feed: Callable[[], Inputs]
    files: set[str]
    seed: int
    thorough: bool = False
    measures_noise: bool = True
    inputs_stay: bool = False
    learns_from: str = ""
    feed_later: Callable[[], Inputs | None] = lambda: None
    filled: tuple[str, ...] = ()
    factory_with_devices: Callable[[], Any] | None = None
    make_other: Callable[[], Any] | None = None
    loads_other: bool = False
    takes_device: bool = False
    elsewhere: tuple[Place, ...] = ()
    make_with: Callable[[dict[str, Any]], Callable[[], Any]] | None = None
    trace: Trace = field(init=False)
    identities: Identities = field(default_factory=Identities)
    calls_lazy_modules: bool = False
    is_copied: bool = False
    draws: bool = False
    needs_gradients: bool = False
    keeps_nothing: bool = False
    asks_where: bool = True
    is_tracing: bool = True
    watch: MoveWatch | LearnersWatch | None = None
    patience: float | None = None
    started: float = field(default_factory=time.monotonic)
    constructions: dict[str, None] = field(default_factory=dict)
    classes: set[tuple[str, str]] = field(default_factory=set)
    guard: Guard | None = None
    # Results stay alive: their finalisers are the learner's code, and would run in our thread.
    _kept: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.trace = Trace(self.files)

    def build(
        self, seed: int | None = None, make: Callable[[], Any] | None = None
    ) -> tuple[Instance | None, Raised | None]:
        """A new instance that is ready to be moved, or what its constructor raised."""
        instance, raised = self.constructed(seed, make)
        if instance:
            self.dry_run(instance.module)
        return instance, raised

    def constructed(
        self, seed: int | None = None, make: Callable[[], Any] | None = None
    ) -> tuple[Instance | None, Raised | None]:
        """A new instance as its constructor left it, or what that raised.

        A result that is no usable module counts as raised, with a problem in words. `make` is the
        subject's own unless given.
        """
        with collect_filled_buffers() as filled:
            module, raised = self._attempt(
                lambda: self._construct(make or self.make, self.seed if seed is None else seed),
                lambda error: self.trace.describe(error, NamedTensors(), self.run),
            )
        self.look(module if raised is None and is_a(module, nn.Module) else None, module)
        raised = not_built(raised) if raised else problem_of(module)
        modules = list(registered_modules(module, "self", "")) if raised is None else []
        classes = classes_in(modules)
        if not all(cls.__hash__ is object.__hash__ for cls in classes):
            raised = not_hashable(self.run, module)
        if raised:
            return None, raised
        for cls in classes:
            written = defining_files(cls)
            self.classes |= written
            self.files.update(file for file, _ in written)
        if make is None or make is not self.make_other:
            self.constructions[kind_of(modules)] = None
        return Instance(module, filled), None

    @property
    def seconds(self) -> float:
        """Seconds since the probe began."""
        return time.monotonic() - self.started

    @property
    def is_late(self) -> bool:
        """Whether its patience is used up, so that optional steps are skipped."""
        return self.seconds > self.seconds_for_options

    @property
    def seconds_for_options(self) -> float:
        """How many seconds after the beginning an optional step may still start."""
        return PATIENCE if self.patience is None else self.patience

    def fed_to(self, device: str) -> Inputs:
        """New inputs on `device`, or on the CPU if the module is to move them itself."""
        return self.feed().to("cpu" if self.inputs_stay else device)

    def new(self, seed: int | None = None, make: Callable[[], Any] | None = None) -> Instance:
        """A new instance of a module that was constructed before.

        Raises:
            RuntimeError: this time the constructor raised.
        """
        instance, raised = self.build(seed, make)
        if instance is None:
            raise RuntimeError(f"it was constructed once, but not again: {raised}")
        return instance

    def call(
        self, module: nn.Module, inputs: Inputs, seed: int | None = None, is_traced: bool = True
    ) -> tuple[Any, Raised | None]:
        """Seed the generators, call the module, and return its result or what it raised.

        Sets `draws`: whether the call changed the state of the CPU's generator.

        Args:
            module: the module.
            inputs: what to call it with.
            seed: of the generators; the subject's, unless given.
            is_traced: False where only the result counts. A trace costs more than many a call.
        """
        self.trace.begin_call()
        mode = self._mode if is_traced else self.watch

        def forward() -> Any:
            seed_generators(self.seed if seed is None else seed)
            before = torch.get_rng_state()
            try:
                return self.run(partial(call_forward, module, inputs), mode)
            finally:
                self.draws = not torch.equal(torch.get_rng_state(), before)

        names = partial(named_tensors, module, inputs, self.run)
        result = self._attempt(forward, lambda error: self.trace.describe(error, names(), self.run))
        self.look(module, result[0])
        return result

    def train_call(self, module: nn.Module, inputs: Inputs) -> Any:
        """Call the module as it is, and return or raise what it does."""
        self.trace.begin_call()
        return self.run(partial(call_forward, module, inputs), self._mode)

    def backward(self, loss: torch.Tensor) -> None:
        """Run the backward pass; the learner's hooks and functions in it are traced.

        PyTorch turns a mode off where it hands a tensor's `backward` to it. An edge of the graph is
        no tensor, so that nothing is handed over and the mode stays on.
        """
        edge = get_gradient_edge(loss)
        self.run(partial(torch.autograd.backward, edge), self._mode or self.watch)

    @contextmanager
    def untraced(self) -> Iterator[None]:
        """Trace nothing in the block, which takes up to half the time.

        For what is done again with a trace if one of its lines is to be named.
        """
        self.is_tracing = False
        try:
            yield
        finally:
            self.is_tracing = True

    @property
    def _mode(self) -> Trace | None:
        return self.trace if self.is_tracing else None

    def attempt(self, action: Callable[[], Any], module: nn.Module) -> tuple[Any, Raised | None]:
        """Run `action` as the learner's code; return its result, or what it raised."""
        return self.attempt_steps(lambda: self.run(action), module)

    def attempt_steps(
        self, steps: Callable[[], Any], module: nn.Module, inputs: Inputs | None = None
    ) -> tuple[Any, Raised | None]:
        """Run `steps`, the probe's code that calls `run` for the learner's; as `attempt` else."""
        names = partial(named_tensors, module, inputs or Inputs(), self.run)
        result = self._attempt(steps, lambda error: self.trace.describe(error, names(), self.run))
        self.look(module)
        return result

    def run(self, action: Callable[[], Any], mode: TorchFunctionMode | None = None) -> Any:
        """Run `action`, which calls the learner's code, and return or raise what it does.

        With a guard, it runs in the learner's thread, where the code can read what `action` refers
        to: so that should be nothing of the probe's.
        """
        if self.guard:
            return self.guard.run(action, mode)
        return within(mode, action)

    def look(self, module: nn.Module | None = None, returned: Any = None) -> None:
        """Let the guard, if there is one, check a module and a value it returned.

        Raises:
            TamperedError: one of them gives false answers about itself.
        """
        if self.guard:
            self.guard.look(module, returned)

    def _construct(self, make: Callable[[], Any], seed: int) -> Any:
        seed_generators(seed)
        with self.trace.construction():
            return self.run(make, None if self.is_copied else self._mode)

    def dry_run(self, module: nn.Module) -> bool:
        """Give lazy layers their shapes by one call; whether there were any.

        PyTorch's LazyModuleMixin asks its users for such a call before they make an optimizer. The
        generators go on from where the constructor left them: seeded again, they would give a lazy
        layer the numbers of another layer. A call that fails leaves the module as it is, for the
        stage that makes the same call to report.
        """
        if not self.calls_lazy_modules or not _is_lazy(module):
            return False
        inputs = self.feed().to("cpu")
        dry_run = partial(_call_in_eval_mode, module, inputs)
        self._attempt(lambda: self.run(dry_run), lambda error: Raised(type(error).__name__, ""))
        return True

    def _attempt(
        self, action: Callable[[], Any], describe: Callable[[BaseException], Raised]
    ) -> tuple[Any, Raised | None]:
        """The result, or what was raised. A person's Ctrl-C still gets through."""
        try:
            result = action()
            if self.guard:
                self._kept.append(result)
            return result, None
        except (OutputLimitError, TamperedError):
            raise
        except BaseException as error:
            if is_user_interrupt(error):
                raise
            raised = describe(error)
            error.__traceback__ = None  # its frames refer to the probe's objects
            return None, raised
        finally:
            if not self.guard:
                torch.set_default_device(None)  # the learner's must not apply to the probe


def call_forward(module: nn.Module, inputs: Inputs) -> Any:
    """Call the module; a generator is run, and at most `MOST_YIELDED` of its items returned."""
    returned = module(*inputs.args, **inputs.kwargs)
    return list(islice(returned, MOST_YIELDED)) if isgenerator(returned) else returned


def _is_lazy(module: nn.Module) -> bool:
    """Whether a layer waits for its first input to learn its shape."""
    return not all(is_sized(entry.tensor) for entry in registered_once(module))


def _call_in_eval_mode(module: nn.Module, inputs: Inputs) -> None:
    modes = [(child, child.training) for child in module.modules()]
    try:
        with torch.no_grad():
            call_forward(module.eval(), inputs)
    finally:
        for child, is_training in modes:
            child.training = is_training


def is_user_interrupt(error: BaseException) -> bool:
    """Whether a person pressed Ctrl-C.

    In a child SIGINT is ignored, so a KeyboardInterrupt there is raised by the learner's code.
    """
    is_interrupt = isinstance(error, KeyboardInterrupt)
    return is_interrupt and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
