"""What a trace tells of an exception and of an output: the tensors, and where they come from."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable
from operator import call

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.exceptions import causes_of, describe_exception
from grader.probe.inspection.names import NamedTensors
from grader.probe.inspection.records import Failure
from grader.probe.inspection.sites import site_of, unseen_maker
from grader.probe.inspection.source import NOWHERE, Position, Runner
from grader.probe.inspection.tracing import Trace
from grader.schema import Operand, Output, Raised, Site

# What the autograd engine says of a gradient on another device than the tensor it belongs to.
INVALID_GRADIENT = re.compile(r"invalid gradient at index .* expected device (\S+) but got (\S+)")


def describe(trace: Trace, error: BaseException, names: NamedTensors, run: Runner = call) -> Raised:
    """What was raised, with the operands of the operation that raised it.

    Code may catch what an operation raised, and raise something else. Behind that is the last
    operation that failed in this call, if the exception has it as its cause or context, or if
    it was refused for mixing devices; else the first exception that it was raised because of.
    """
    raised = describe_exception(error, trace.files, run)
    failure = _refused_gradient(trace, error, raised.message) or trace.now.failure
    if failure is None or not (failure.led_to(error) or failure.mixes_devices):
        *_, first = causes_of(error)  # TorchScript's operators, say, are not seen
        behind = None if first is error else describe_exception(first, trace.files, run)
        return replace(raised, behind=behind)
    operands = tuple(_operand(trace, operand, names) for operand in failure.operands)
    behind = describe_exception(failure.error, trace.files, run)
    behind = replace(behind, operation=failure.operation, operands=operands)
    return behind if failure.error is error else replace(raised, behind=behind)


def raised_at(
    trace: Trace,
    error: BaseException,
    operation: str,
    position: Position,
    operands: Iterable[tuple[torch.Tensor, torch.device]],
    names: NamedTensors,
    site: Site | None,
) -> Raised:
    """What an operation raised on a line, with its operands and where each was."""
    described = tuple(
        replace(_operand(trace, tensor, names), device=str(place)) for tensor, place in operands
    )
    raised, (file, line) = describe_exception(error, set()), position
    raised = replace(raised, operation=operation, operands=described)
    return replace(raised, file=file, line=line, code=_code_at(position), site=site)


def _refused_gradient(trace: Trace, error: BaseException, message: str) -> Failure | None:
    """The failure of a backward whose gradient is on another device than it should be.

    No operation raises, but the autograd engine, which names both devices. The gradient is the
    last tensor that was made on its device.
    """
    devices = match.groups() if (match := INVALID_GRADIENT.search(message)) else ()
    last = {str(made.tensor.device): made.tensor for made in trace.made.values()}
    operands = tuple(last[device] for device in devices if device in last)
    return Failure(error, "backward", operands) if len(operands) == 2 else None


def describe_output(
    trace: Trace, output: Output, tensor: torch.Tensor, names: NamedTensors
) -> Output:
    """`output` with the attribute, or the operation and line, that its data came from."""
    origin = trace.origin(tensor, names)
    made = trace.made.get(id(origin))
    output = replace(output, held_at=names.attributes.get(id(origin), ""))
    if made is None:
        return output
    file, line = made.location
    code = _code_at(made.location)
    output = replace(output, made_by=made.operation, file=file, line=line, code=code)
    return replace(output, site=made.site, earlier=made.call < trace.call)


def _operand(trace: Trace, tensor: torch.Tensor, names: NamedTensors) -> Operand:
    origin = trace.origin(tensor, names)
    made = trace.made.get(id(origin))
    location = made.location if made else NOWHERE
    moved = trace.move_of(tensor, origin)
    if (rebound := trace.rebound.get(id(origin))) and trace.call:
        moved = rebound[1], origin.device
    moved_at = moved[0].position if moved and moved[0] else NOWHERE
    described = Operand(
        device=str(tensor.device),
        shape=tuple(tensor.shape),
        file=location[0],
        line=location[1],
        code=_code_at(location),
        earlier=made is not None and made.call < trace.call,
        constructed=made is not None and made.call == 0,
        moved_file=moved_at[0],
        moved_line=moved_at[1],
        moved_code=_code_at(moved_at),
        moved_in_place=moved is not None and moved[1] == origin.device,
        is_parameter=isinstance(origin, nn.Parameter),
        in_loss=id(origin) in names.in_loss,
        site=made.site if made else None,
        moved_at=site_of(moved[0]) if moved else None,
    )
    kinds = {"input": names.inputs, "attribute": names.attributes, "global": names.globals}
    for kind, known in kinds.items():
        if id(origin) in known:
            return replace(described, source=kind, name=known[id(origin)])
    if made is not None:
        return replace(described, source="made", name=made.operation)
    maker = unseen_maker(trace.files, trace.classes) if trace.call else None
    if described.device != "cpu" or not maker:
        return described
    (site, name), line = maker, maker[0].span[0]
    described = replace(described, source="made", name=name)
    return replace(described, file=site.file, line=line, site=site)


def _code_at(location: Position) -> str:
    return linecache.getline(*location).strip() if location[1] else ""
