"""Exceptions whose text alone tells the mistake: misused registration, overwritten Parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.evidence import Evidence, Raised
from grader.judge.report import Finding


@dataclass(frozen=True)
class Text:
    """A pattern of PyTorch's, and what to say of it; `{0}` is what the pattern's group found."""

    pattern: str
    code: str
    message: str
    fix: str


TEXTS = (
    Text(
        r"cannot assign \w+ before Module\.__init__\(\) call"
        r"|has no attribute '_(?:buffers|parameters|modules)'",
        "registration-misuse",
        "the module registers something before `super().__init__()` has made the place for it.",
        "Make `super().__init__()` the first line of `__init__`.",
    ),
    Text(
        r"never calls `super\(\)\.__init__\(\)`",
        "registration-misuse",
        "the module has no place for Parameters, buffers and submodules, which "
        "`super().__init__()` would have made.",
        "Make `super().__init__()` the first line of `__init__`.",
    ),
    Text(
        r"attribute '([^']+)' already exists",
        "registration-misuse",
        "the name `{0}` is taken: by an attribute set earlier, or by a method of the container.",
        "Register it once, under a name of its own, and do not assign `self.{0}` before.",
    ),
    Text(
        r"(list|tuple) is not a Module subclass",
        "registration-misuse",
        "a module was wanted, and a `{0}` was given.",
        "`nn.Sequential` takes its members one by one: put a star before the list. `nn.ModuleList` "
        "takes a list as it is, but no list of lists.",
    ),
    Text(
        r"(torch\.\S*Tensor|\S*Parameter) is not a Module subclass",
        "registration-misuse",
        "`nn.ModuleList`, `nn.ModuleDict` and `nn.Sequential` hold modules only, and were given a "
        "tensor: a Parameter is no module.",
        "For Parameters there are `nn.ParameterList` and `nn.ParameterDict`, used in the same way.",
    ),
    Text(
        r"(\S+) is not a Module subclass",
        "registration-misuse",
        "`nn.ModuleList` and `nn.ModuleDict` hold modules only, and were given a `{0}`.",
        "Give `nn.ModuleList` the modules themselves (of a dict, its `values()`), name them in an "
        "`nn.ModuleDict`, or keep Parameters in `nn.ParameterList` and `nn.ParameterDict`.",
    ),
    Text(
        r"(ModuleList|ParameterList)\.__init__\(\) takes",
        "registration-misuse",
        "`nn.{0}` takes one list, and was given its members one by one.",
        "Hand over the list itself, without a star.",
    ),
    Text(
        r"(ModuleDict|ParameterDict)\.__init__\(\) got an unexpected keyword",
        "registration-misuse",
        "`nn.{0}` takes one dict, and was given its members one by one.",
        "Hand over the dict itself, without stars.",
    ),
    Text(
        r"Module \[(ModuleList|ModuleDict)\] is missing the required \"forward\" function",
        "registration-misuse",
        "an `nn.{0}` only holds its modules. It cannot be called: it does not say in which order.",
        "Call the modules in it one after the other, in a loop, or make it an `nn.Sequential`.",
    ),
    Text(
        r"'str' object cannot be interpreted as an integer",
        "registration-misuse",
        "a name was used where a list is counted by numbers. An `nn.ModuleList` or "
        "`nn.ParameterList` that is given a dict keeps its keys only.",
        "What is chosen by a name belongs in an `nn.ModuleDict` or an `nn.ParameterDict`.",
    ),
    Text(
        r"'(?:list|dict|tuple|float|int)' object has no attribute 'detach'",
        "registration-misuse",
        "an `nn.Parameter` holds one tensor, and was given something else.",
        "Make a tensor of it first; for several tensors there are `nn.ParameterList` and "
        "`nn.ParameterDict`.",
    ),
    Text(
        r"(buffer|parameter) name should be a string",
        "registration-misuse",
        "the first argument of `register_{0}` is the attribute's name, as a string; the second is "
        "the tensor.",
        "Put the name in quotes.",
    ),
    Text(
        r"(buffer|parameter) name can\\?'t contain \"\.\"",
        "registration-misuse",
        "a {0} is registered under a plain attribute's name, without dots.",
        "Drop `self.` from the name, and put an underscore before a number.",
    ),
    Text(
        r"module name should be a string|module name can\\?'t contain",
        "registration-misuse",
        "the key of an `nn.ModuleDict` must be a string without dots.",
        "Turn the key into such a string, with an underscore for each dot.",
    ),
    Text(
        r"cannot assign '[^']+' (?:object to|as) buffer '([^']+)'",
        "registration-misuse",
        "a buffer holds a tensor or None, and `{0}` was given something else.",
        "Make a tensor of it first, or change the buffer in place.",
    ),
    Text(
        r"Only Tensors of floating point and complex dtype can require gradients",
        "parameter-or-buffer",
        "a Parameter of whole numbers cannot be trained: gradients need a floating-point dtype.",
        "What is not trained is a buffer: register it as one. Or give the tensor a floating-point "
        "dtype.",
    ),
    Text(
        r"cannot assign '[^']+' object to parameter '([^']+)'",
        "moved-before-registration",
        "`register_parameter` was given a tensor for `{0}` that is no `nn.Parameter`: a plain one, "
        "or the result of a move, which is a new tensor.",
        "If it is to be trained, wrap it in `nn.Parameter`, after any move. If not, it is a "
        "buffer.",
    ),
    Text(
        r"cannot assign '[^']+' as parameter '([^']+)'",
        "parameter-overwritten",
        "`self.{0}` is a Parameter, and the assignment would replace it by something that is not.",
        "Change its values instead, with `copy_` under `torch.no_grad`. If it was only to be "
        "moved, leave the line out: `.to()` of the module moves it.",
    ),
    Text(
        r"Cannot assign non-leaf Tensor to parameter '([^']+)'",
        "moved-before-registration",
        "what is assigned to `{0}` is the result of an operation (a move, perhaps), not a leaf.",
        "Move first, wrap last: make an `nn.Parameter` of the finished tensor.",
    ),
)


def texts(evidence: Evidence) -> Iterator[Finding]:
    """The findings whose mistake the text of an exception tells."""
    for raised in exceptions(evidence):
        for text in TEXTS:
            match = re.search(text.pattern, raised.message)
            if match:
                yield _finding(text, match, raised)
                break


def exceptions(evidence: Evidence) -> Iterator[Raised]:
    """All that the learner's code raised."""
    places = (
        evidence.construction,
        evidence.broken,
        evidence.on_device_raised,
        *(run.raised for run in evidence.runs),
        evidence.training.raised if evidence.training else None,
    )
    yield from (raised for raised in places if raised)


def _finding(text: Text, match: re.Match[str], raised: Raised) -> Finding:
    groups = match.groups() or ("",)
    told_of = text.message.format(*groups)
    return Finding(
        text.code,
        "error",
        raised.code or raised.operation,
        raised.line,
        f"line {raised.line}: {told_of}" if raised.line else told_of,
        text.fix.format(*groups),
    )
