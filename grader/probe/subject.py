"""The module under probe: how to build another one, feed it, and survive what it raises."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from inspect import isgenerator
from itertools import islice
from types import FunctionType
from typing import Any

import torch
from torch import nn

from grader.evidence import Raised
from grader.inspection.copies import NotBuiltError
from grader.inspection.inputs import Inputs
from grader.inspection.names import known
from grader.inspection.source import files_of
from grader.inspection.structure import Filled, Identities, filled_buffers
from grader.inspection.tracing import Known, Trace
from grader.inspection.values import is_sized
from grader.inspection.walk import has_begun, is_a, registered_modules, registered_once
from grader.probe.printed import OutputLimitError
from grader.probe.running import Guard, TamperedError, within
from grader.recipe import Place

MOST_YIELDED = 1_000
PATIENCE = 30.0
_cpu_generator = torch.default_generator


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
        make_other: constructs the module with other arguments, None if there are none.
        loads_other: whether a checkpoint of that one fits the module.
        takes_device: whether the module of an exercise is to be built where the caller says.
        elsewhere: the other places where the module of an exercise must work.
        make_with: constructs it with some arguments changed.
        is_copied: whether an instance is a copy of a live module, the same whatever the seed.
        draws: whether the last call drew random numbers.
        started: when the probe began.
        constructions: what the instances registered, each kind of instance once.
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
    started: float = field(default_factory=time.monotonic)
    constructions: dict[str, None] = field(default_factory=dict)
    guard: Guard | None = None
    _kept: list[Any] = field(default_factory=list)  # so that nothing is finalised among our frames

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
        """A new instance as its constructor left it, or what that raised."""
        with filled_buffers() as filled:
            module, raised = self._attempt(
                lambda: self._construct(make or self.make, self.seed if seed is None else seed),
                lambda error: self.trace.describe(error, Known(), self.run),
            )
        self.look(module if raised is None and is_a(module, nn.Module) else None, module)
        if raised and raised.type == NotBuiltError.__name__:
            raised = Raised.problem(raised.message)
        elif raised is None and not is_a(module, nn.Module):
            raised = _no_module(type(module).__name__)
        elif raised is None and not has_begun(module):
            raised = _not_begun(type(module))
        elif raised is None:
            raised = _not_hashable(self.run, module)
        if raised:
            return None, raised
        for each, _, _ in registered_modules(module, "self", ""):
            self.files.update(files_of(type(each)))
        if make is None or make is not self.make_other:
            self.constructions[_registered(module)] = None
        return Instance(module, filled), None

    @property
    def seconds(self) -> float:
        """How long the probe has been at it."""
        return time.monotonic() - self.started

    @property
    def is_late(self) -> bool:
        """Whether it has been at it for so long that the rest should be left out."""
        return self.seconds > PATIENCE

    def fed_to(self, device: str) -> Inputs:
        """The inputs of a call on `device`, which stay on the CPU if the module moves them."""
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
        self, module: nn.Module, inputs: Inputs, seed: int | None = None
    ) -> tuple[Any, Raised | None]:
        """What the module gives for `inputs`, or what it raised."""
        self.trace.begin_call()

        def forward() -> Any:
            seed_generators(self.seed if seed is None else seed)
            before = torch.get_rng_state()
            try:
                return self.run(partial(forwarded, module, inputs), self.trace)
            finally:
                self.draws = not torch.equal(torch.get_rng_state(), before)

        names = partial(known, module, inputs, self.run)
        result = self._attempt(forward, lambda error: self.trace.describe(error, names(), self.run))
        self.look(module, result[0])
        return result

    def attempt(self, action: Callable[[], Any], module: nn.Module) -> tuple[Any, Raised | None]:
        """What `action` on `module` gives, or what it raised, run as the learner's code."""
        return self.attempt_steps(lambda: self.run(action), module)

    def attempt_steps(
        self, steps: Callable[[], Any], module: nn.Module
    ) -> tuple[Any, Raised | None]:
        """What `steps` gives, or what the learner's code raised which it `run`s now and then."""
        names = partial(known, module, Inputs(), self.run)
        result = self._attempt(steps, lambda error: self.trace.describe(error, names(), self.run))
        self.look(module)
        return result

    def run(self, action: Callable[[], Any], mode: Trace | None = None) -> Any:
        """What `action`, some of the learner's code, gives or raises.

        Where there is a guard it runs in the learner's thread, and nothing that `action` refers to
        should be the probe's.
        """
        if self.guard:
            return self.guard.run(action, mode)
        return within(mode, action)

    def look(self, module: nn.Module | None = None, returned: Any = None) -> None:
        """Let the guard look, if there is one.

        Raises:
            TamperedError: something is not as it should be.
        """
        if self.guard:
            self.guard.look(module, returned)

    def _construct(self, make: Callable[[], Any], seed: int) -> Any:
        seed_generators(seed)
        return self.run(make, None if self.is_copied else self.trace)

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
        dry_run = partial(_called_in_eval_mode, module, inputs)
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
            if is_a_persons_interrupt(error):
                raise
            raised = describe(error)
            error.__traceback__ = None  # by now it leads to our frames
            return None, raised
        finally:
            if not self.guard:
                torch.set_default_device(None)  # what the code set for itself is not for the probe


def seed_generators(seed: int) -> None:
    """`torch.manual_seed`, of the CPU and CUDA only.

    Of every backend that sleeps, PyTorch would keep the call, and where it came from, for later.
    """
    _cpu_generator.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)


def forwarded(module: nn.Module, inputs: Inputs) -> Any:
    """What the module gives; if that is a generator, what it yields, or the code would not run."""
    returned = module(*inputs.args, **inputs.kwargs)
    return list(islice(returned, MOST_YIELDED)) if isgenerator(returned) else returned


def _is_lazy(module: nn.Module) -> bool:
    """Whether a layer waits for its first input to learn its shape."""
    return not all(is_sized(each.tensor) for each in registered_once(module))


def _called_in_eval_mode(module: nn.Module, inputs: Inputs) -> None:
    modes = [(each, each.training) for each in module.modules()]
    try:
        with torch.no_grad():
            forwarded(module.eval(), inputs)
    finally:
        for each, is_training in modes:
            each.training = is_training


def _no_module(kind: str) -> Raised:
    """Nothing was raised, so it has no type: only a message."""
    return Raised.problem(
        f"Constructing it gave a {kind}, which is not an nn.Module: is it declared as "
        f"`class {kind}(nn.Module):`?",
    )


def _not_begun(cls: type) -> Raised:
    """PyTorch itself would complain later, of a name that no learner ever wrote."""
    method = vars(cls).get("__init__")
    is_written = isinstance(method, FunctionType) and method.__code__.co_filename[:1] != "<"
    line = method.__code__.co_firstlineno if method and is_written else 0
    message = f"`{cls.__name__}.__init__` never calls `super().__init__()`."
    return Raised.problem(message, line, "super().__init__()")


def _registered(module: nn.Module) -> str:
    """The names, roles and types of what it registers, in a few characters."""
    facts = sorted(
        (each.name, each.role, each.persistent, str(each.tensor.dtype), _shape_of(each.tensor))
        for each in registered_once(module)
    )
    return blake2b(repr(facts).encode("utf-8", "replace"), digest_size=8).hexdigest()


def _shape_of(tensor: torch.Tensor) -> str:
    try:
        return str(tuple(tensor.shape))
    except RuntimeError:  # lazy, nested
        return ""


def _not_hashable(run: Callable[[Any], Any], module: nn.Module) -> Raised | None:
    """PyTorch keeps modules in sets, where `@dataclass` does not let them in."""
    modules = (each for each, _, _ in registered_modules(module, "self", ""))
    if all(type(each).__hash__ is object.__hash__ for each in modules):
        return None
    try:
        run(lambda: list(module.modules()))
    except TypeError as error:
        return Raised.problem(
            f"PyTorch cannot list its modules ({error}). Does it have an `__eq__` of its own, as "
            "`@dataclass` gives it? Write `@dataclass(eq=False)`, or leave it out.",
        )
    return None


def is_a_persons_interrupt(error: BaseException) -> bool:
    """Whether it is Ctrl-C: where the signal is ignored, only the learner's code can raise it."""
    is_interrupt = isinstance(error, KeyboardInterrupt)
    return is_interrupt and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
