"""A module as it was constructed or loaded, and where its tensors are after a move."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from grader.schema.evidence.calls import Run
from grader.schema.evidence.problems import Raised, Site
from grader.schema.evidence.values import Values

Role = Literal["parameter", "buffer", "plain"]


class Holder(Struct, frozen=True):
    """The object that hides a tensor from `Module.to`: its type's name, and its path."""

    kind: str
    path: str


class TensorFact(Struct, frozen=True):
    """One tensor that can be reached from the module.

    Attributes:
        path: as a person would write it: `self.layers[0].weight`.
        name: its key in `named_parameters` or `named_buffers`, `""` if it is in neither.
        persistent: whether the state_dict holds it.
        is_parameter: whether it is an `nn.Parameter`, registered or not.
        holder: the outermost object that hides it from `Module.to`; None if none does, or if a
            module hides it that is not registered.
        identity: equal numbers, same tensor object. storage: equal numbers, shared memory.
        base: the identity of the tensor that it is a view of, 0 if it is of none.
        line: the learner's line that made it, 0 if unknown. file: that it is in.
        value: what that line binds to it, as source text.
        used: whether a call of the module read it.
        changes: whether a call assigned it again, or gave it another number if it holds only one.
        copy_of: the Parameter that it was a copy of, `""` if none.
        fixed: whether every construction gives it the same table of sines and cosines.
        constant: whether it is plain, every construction makes it alike, and nothing changes it.
        uniform: the one number that all of it is, None if there are several, or none to read.
        in_loss: whether it belongs to a loss function.
        site: the expression that made it, where a constructor was given a device.
    """

    path: str
    name: str = ""
    role: Role = "plain"
    persistent: bool = True
    is_parameter: bool = False
    holder: Holder | None = None
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    device: str = "cpu"
    requires_grad: bool = False
    is_leaf: bool = True
    identity: int = 0
    storage: int = 0
    base: int = 0
    line: int = 0
    value: str = ""
    used: bool = False
    changes: bool = False
    copy_of: str = ""
    fixed: bool = False
    constant: bool = False
    in_loss: bool = False
    uniform: Values | None = None
    file: str = ""
    site: Site | None = None


class _InFile(Struct, frozen=True, kw_only=True):
    """A file, given by its name alone: fields of a subclass may follow its other ones."""

    file: str = ""


class Location(_InFile, frozen=True):
    """Something in the learner's code, and where it stands: line 0 and no file if unknown."""

    path: str
    line: int = 0


class RememberedDevice(Location, frozen=True):
    """An attribute that names a device, and the device: `cuda:0`."""

    device: str = ""


class HiddenModule(Location, frozen=True):
    """A module that is not registered, and the name of its class."""

    kind: str = ""


class Structure(Struct, frozen=True):
    """The module as constructed.

    Attributes:
        emptied: buffers that were registered with a tensor and are None now, since the result of
            `register_buffer` was assigned to them.
        devices: attributes that name a device.
        generators: attributes that are a `torch.Generator`.
        overrides: methods such as `to` that the learner's classes override.
        own_apply: the `_apply` of classes that override it; every move calls that.
        unlisted: the Parameters that a learner's own base class leaves out of `parameters()`.
        own_setattr: the `__setattr__` of classes that a learner wrote in place of `nn.Module`.
        always_training: modules that `eval()` does not reach.
        given_up: what was too large to look into.
        mixed: the containers that hold a module or a tensor, and what is neither, nor None.
        unwritten: paths of what is on the meta device though other tensors are not, and of tensors
            that no checkpoint holds and the constructor left uninitialised.
        loads_itself: whether its code or a hook has a say in how it is loaded.
        holds_optimizers: whether an attribute is an optimizer.
    """

    tensors: tuple[TensorFact, ...] = ()
    state_keys: tuple[str, ...] = ()
    emptied: tuple[Location, ...] = ()
    devices: tuple[RememberedDevice, ...] = ()
    generators: tuple[Location, ...] = ()
    overrides: tuple[Location, ...] = ()
    own_apply: tuple[Location, ...] = ()
    own_setattr: tuple[Location, ...] = ()
    unlisted: tuple[str, ...] = ()
    always_training: tuple[HiddenModule, ...] = ()
    given_up: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()
    unwritten: tuple[str, ...] = ()
    loads_itself: bool = False
    holds_optimizers: bool = False

    @property
    def gpus(self) -> tuple[str, ...]:
        """The CUDA devices of what it registers. Of a model that is split, there are several."""
        return tuple(
            sorted({f.device for f in self.tensors if f.role != "plain" and "cuda" in f.device})
        )


class Placed(Struct, frozen=True):
    """An instance that was moved, or built somewhere, and where every tensor was then.

    Attributes:
        how: the move as the learner would write it; the construction in words.
        device: where its registered tensors should be.
        replaced: the paths of Parameters in whose place a move put other objects.
    """

    how: str
    raised: Raised | None = None
    tensors: tuple[TensorFact, ...] = ()
    replaced: tuple[str, ...] = ()
    device: str = "cuda:0"


class Materialised(Struct, frozen=True):
    """An instance that was built on the meta device, given memory by `to_empty`, reset and loaded.

    Attributes:
        raised: what building or loading it raised; then there was no call.
        run: its call on the CPU. expected: the same call of the instance that was saved.
        untied: pairs of paths that led to one Parameter, and to two once it was loaded.
        unwritten: the paths of tensors that neither the reset nor the checkpoint wrote.
    """

    raised: Raised | None = None
    run: Run | None = None
    expected: Run | None = None
    unwritten: tuple[str, ...] = ()
    untied: tuple[tuple[str, str], ...] = ()
