"""An operation on CUDA met a tensor on another device: whose is it, and how did it get there?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.evidence import Evidence, Operand, Place, Raised, Run, Structure, TensorFact
from grader.judge.report import Finding
from grader.judge.rules.devices import is_result
from grader.judge.rules.registration import alias, held_in, member_tensor, moved_before
from grader.judge.wording import on_device, short

NUMPY = "device type tensor to numpy"
GENERATOR = "device type for generator"
INDEX = re.compile(r"indices should be either on cpu|'lengths' argument should be a 1D CPU")


def explain(run: Run, evidence: Evidence) -> Iterator[Finding]:
    """What made this run raise, if it was a tensor, an index or a generator on the wrong device."""
    raised = run.raised
    if raised is None:
        return
    if NUMPY in raised.message:
        yield _host_round_trip(raised)
    elif GENERATOR in raised.message:
        yield _generator(raised, evidence)
    elif INDEX.search(raised.message):
        yield _index(raised, run)
    else:
        stray = stray_operand(raised, run.device)
        told = {each.line for each in evidence.optimizers if each.raised}  # by a rule of its own
        if stray is not None and (stray.line == 0 or stray.line not in told):
            yield _explain_stray(stray, raised, run, evidence)


def stray_operand(raised: Raised, device: str) -> Operand | None:
    """The operand that is not on `device`, where the operation mixed devices."""
    strays = [each for each in raised.operands if not on_device(each.device, device)]
    if len({operand.device for operand in raised.operands}) < 2 or not strays:
        return None
    return max(strays, key=lambda operand: len(operand.shape))


def _explain_stray(stray: Operand, raised: Raised, run: Run, evidence: Evidence) -> Finding:
    if stray.moved_line:
        return _result_dropped(stray, raised)
    if stray.source == "input":
        return _unmoved_input(stray, raised, evidence)
    if stray.source in ("attribute", "global"):
        return _held(stray, raised, run, evidence)
    if stray.is_parameter:
        return _layer_in_forward(stray, raised)
    fails_at_once = any(each.leg == "cuda" and each.raised for each in evidence.runs)
    is_late = run.leg in ("moved", "second", "back") and not fails_at_once
    if stray.earlier or (stray.source == "unknown" and is_late):
        return _cache(stray.line, stray.code or "a cache", raised, stray)
    attribute = device_attribute(stray.code, evidence)
    if attribute:
        return stale_device(attribute, stray.line, evidence)
    if stray.device != "cpu" or "cpu" in stray.code:
        return hard_coded(stray.line or raised.line, stray.code, stray.device, run.device)
    return _made_in_forward(stray, raised, run)


def _held(stray: Operand, raised: Raised, run: Run, evidence: Evidence) -> Finding:
    facts = {fact.path: fact for fact in (evidence.structure or Structure()).tensors}
    fact = facts.get(stray.name)
    if stray.in_loss:
        return _criterion(stray, fact, raised, run)
    if stray.source == "global":
        return (
            _cache(stray.line, stray.name, raised, stray)
            if stray.earlier
            else _global(stray, raised)
        )
    if fact is not None and fact.role != "plain" and fact.device != "cpu":
        return hard_coded(fact.line, fact.path, fact.device, run.device)
    if fact is None or fact.role != "plain":
        if stray.is_parameter:
            return _layer_in_forward(stray, raised)
        return _cache(stray.line, stray.name, raised, stray)
    return _plain(fact, facts, stray, raised, run)


def _plain(
    fact: TensorFact, facts: dict[str, TensorFact], stray: Operand, raised: Raised, run: Run
) -> Finding:
    if is_result(fact):
        return moved_before(fact)
    if fact.device != "cpu":
        return hard_coded(fact.line, fact.path, fact.device, run.device)
    registered = {each.identity: each for each in facts.values() if each.role != "plain"}
    if fact.identity in registered:
        return alias(fact, registered[fact.identity])
    if fact.holder or fact.copy_of:
        together = [each for each in facts.values() if each.holder == fact.holder and each.holder]
        return held_in(fact, together or [fact])
    return member_tensor(fact, symptom(raised))


def symptom(raised: Raised) -> str:
    """Where it came to light."""
    if not raised.line:
        return ""
    return f", and line {raised.line} mixes it with a CUDA tensor (`{short(raised.operation)}`)"


def _result_dropped(stray: Operand, raised: Raised) -> Finding:
    name = stray.name if stray.source == "attribute" else "t"
    return Finding(
        "to-result-dropped",
        "error",
        stray.name or raised.code,
        stray.moved_line,
        f"line {stray.moved_line} moves a tensor, but `Tensor.to` returns a new tensor and leaves "
        f"the old one where it is; line {raised.line} then uses the old one.",
        f"Keep the result: `{name} = {name}.to(device)`. Only `Module.to` works in place.",
    )


def _unmoved_input(stray: Operand, raised: Raised, evidence: Evidence) -> Finding:
    for place in (evidence.structure or Structure()).devices:
        if place.value == stray.device:  # it was moved, to where the module once was
            return stale_device(place.path, place.line, evidence)
    return input_transfer(stray, raised)


def input_transfer(stray: Operand, raised: Raised) -> Finding:
    """An input that the module's own mover did not reach."""
    return Finding(
        "input-transfer",
        "error",
        stray.name,
        raised.line,
        f"The module moves its inputs itself, but {stray.name} is still on {stray.device} in line "
        f"{raised.line}: the mover does not reach it. Nested tuples, lists and dicts are easily "
        "overlooked.",
        "Move every leaf: `torch.utils._pytree.tree_map_only(torch.Tensor, lambda t: "
        "t.to(device), batch)`, or a small recursive function.",
    )


def _made_in_forward(stray: Operand, raised: Raised, run: Run) -> Finding:
    line = stray.line or raised.line
    name = stray.name or "this call"
    return Finding(
        "made-in-forward",
        "error",
        name,
        line,
        f"line {line}: `{name}` makes a CPU tensor on every call, wherever the module is; "
        f"`{short(raised.operation)}` then mixes it with a tensor on {run.device}.",
        "Make it where the input is: pass `device=x.device`, or use a `*_like` function such as "
        "`torch.randn_like(x)`.",
    )


def hard_coded(line: int, where: str, device: str, wanted: str) -> Finding:
    """A tensor that is on `device` whatever device the module is on."""
    return Finding(
        "hard-coded-device",
        "error",
        where,
        line,
        f"line {line} puts a tensor on {device}, although the module and its inputs are on "
        f"{wanted}: it works on that one device only.",
        "Take the device from a tensor that is there: `device=x.device`, or a registered tensor's.",
    )


def stale_device(attribute: str, line: int, evidence: Evidence) -> Finding:
    """A remembered device that a move does not change."""
    remembered = {place.path: place for place in (evidence.structure or Structure()).devices}
    place = remembered[attribute]
    return Finding(
        "stale-device",
        "error",
        attribute,
        line or place.line,
        f"`{attribute}` still says {place.value} after `.to()`, which does not know it, and line "
        f"{line} puts a tensor there.",
        "Read the device when it is needed: `x.device`, or "
        "`@property def device(self): return next(self.parameters()).device`.",
    )


def device_attribute(code: str, evidence: Evidence) -> str:
    """The remembered device that a line of code uses, as a path; `""` if none."""
    for place in (evidence.structure or Structure()).devices:
        attribute = place.path.rsplit(".", 1)[-1]
        if re.search(rf"\bself\.{re.escape(attribute)}\b", code):
            return place.path
    return ""


def _cache(line: int, where: str, raised: Raised, stray: Operand) -> Finding:
    made = f"line {line}" if line else "an earlier call"
    return Finding(
        "stale-device",
        "error",
        where,
        line,
        f"`{where}` keeps a tensor that {made} made in an earlier call, on {stray.device}; after "
        f"the module has moved, line {raised.line} uses it all the same.",
        "Make it anew when its device is not the input's (`if cached is None or cached.device != "
        "x.device:`), or keep it as a buffer: `register_buffer(name, tensor, persistent=False)`.",
    )


def _global(stray: Operand, raised: Raised) -> Finding:
    return Finding(
        "member-tensor",
        "error",
        stray.name,
        stray.line or raised.line,
        f"`{stray.name}` is made once, when the file is imported, and no `.cuda()` moves it; line "
        f"{raised.line} mixes it with a CUDA tensor (`{short(raised.operation)}`).",
        f'Make it a buffer of the module: `self.register_buffer("{stray.name.lower()}", '
        f"{stray.name}, persistent=False)`.",
    )


def _criterion(stray: Operand, fact: TensorFact | None, raised: Raised, run: Run) -> Finding:
    line = fact.line if fact else stray.line
    place = fact.holder.split(" ", 1)[-1] if fact and fact.holder else stray.name
    return Finding(
        "criterion-state",
        "error",
        place,
        line or raised.line,
        f"`{stray.name}` belongs to the loss function and is still on {stray.device}: a loss with "
        f"weights of its own must be moved like a model. Line {raised.line} mixes it with a tensor "
        f"on {run.device}.",
        "Make the criterion a sub-module with its tensors as buffers, or call "
        "`criterion.to(device)`.",
    )


def _layer_in_forward(stray: Operand, raised: Raised) -> Finding:
    return layer_in_forward(
        stray.name if stray.source == "attribute" else "", stray.line or raised.line
    )


def layer_in_forward(where: str, line: int) -> Finding:
    """Parameters that come into being when the module is called."""
    return Finding(
        "layer-in-forward",
        "error",
        where or f"line {line}",
        line,
        f"line {line} builds a layer while the module is called: its weights are new, on the CPU, "
        "and unknown to the move, the optimizer and any checkpoint made before.",
        "Build the layer in `__init__`; if a size is not known there, use `nn.LazyLinear` and its "
        "kin.",
    )


def _host_round_trip(raised: Raised) -> Finding:
    return Finding(
        "host-round-trip",
        "error",
        raised.code or raised.operation,
        raised.line,
        f"line {raised.line} hands a CUDA tensor to NumPy, which reads CPU memory only.",
        "Stay in torch (most NumPy functions have a twin there), or copy it over first: "
        "`x.detach().cpu().numpy()`.",
    )


def _generator(raised: Raised, evidence: Evidence) -> Finding:
    held = (evidence.structure or Structure()).generators
    place = held[0] if held else Place(raised.code, raised.line)
    return Finding(
        "generator-device",
        "error",
        place.path,
        place.line,
        f"line {raised.line} draws on one device with a generator of another: a "
        "`torch.Generator` belongs to the device it was made for.",
        "Make the generator where it draws, `torch.Generator(device=x.device)`, and pass "
        "`device=x.device` to the function that draws.",
    )


def _index(raised: Raised, run: Run) -> Finding:
    if "lengths" in raised.message:
        return Finding(
            "index-device",
            "error",
            raised.code,
            raised.line,
            f"line {raised.line}: the lengths of packed sequences must be a CPU tensor, and they "
            f"are on {run.device} when the whole batch has moved.",
            "Bring the lengths back for this call: `pack_padded_sequence(x, lengths.cpu(), ...)`.",
        )
    stray = stray_operand(raised, run.device)
    where = stray.name if stray and stray.source == "attribute" else raised.code
    return Finding(
        "index-device",
        "error",
        where,
        raised.line,
        f"line {raised.line}: the table is on the CPU, and its index is on {run.device}. A CUDA "
        "tensor can be indexed from the CPU, but not the reverse.",
        "Move the table, not the index: make it a buffer with `self.register_buffer`.",
    )
