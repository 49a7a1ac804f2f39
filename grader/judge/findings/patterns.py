"""Exceptions whose text alone tells the mistake, with the finding for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.judge.codes import Code
from grader.judge.fixes.fix import Fault
from grader.judge.lookups import built_on_cuda
from grader.schema import SUPER_INIT, Evidence, Raised


@dataclass(frozen=True)
class Pattern:
    """What an exception says, as a regular expression, and what the finding says of it.

    Attributes:
        message, fix: of the finding; `{0}` is what the expression's group found.
        operation: the operation that must have raised it, `""` for any.
    """

    text: str
    code: Code
    message: str
    fix: str
    operation: str = ""


PATTERNS = (
    Pattern(
        r"cannot assign \w+ before Module\.__init__\(\) call"
        r"|has no attribute '_(?:buffers|parameters|modules)'",
        Code.REGISTRATION_MISUSE,
        "the module registers something before `super().__init__()` has made the place for it.",
        "Make `super().__init__()` the first line of `__init__`.",
    ),
    Pattern(
        "",
        Code.REGISTRATION_MISUSE,
        "the module has no place for Parameters, buffers and submodules, which "
        "`super().__init__()` would have made.",
        "Make `super().__init__()` the first line of `__init__`.",
        SUPER_INIT,
    ),
    Pattern(
        r"attribute '([^']+)' already exists",
        Code.REGISTRATION_MISUSE,
        "the name `{0}` is taken: by an attribute set earlier, or by a method of the container.",
        "Register it once, under a name of its own, and do not assign `self.{0}` before.",
    ),
    Pattern(
        r"(list|tuple) is not a Module subclass",
        Code.REGISTRATION_MISUSE,
        "a module is expected here, and a `{0}` was given.",
        "`nn.Sequential` takes its members one by one: put a star before the list. `nn.ModuleList` "
        "takes a list as it is, but no list of lists.",
    ),
    Pattern(
        r"(torch\.\S*Tensor|\S*Parameter) is not a Module subclass",
        Code.REGISTRATION_MISUSE,
        "`nn.ModuleList`, `nn.ModuleDict` and `nn.Sequential` hold modules only, and were given a "
        "tensor: a Parameter is no module.",
        "For Parameters there are `nn.ParameterList` and `nn.ParameterDict`, used in the same way.",
    ),
    Pattern(
        r"(\S+) is not a Module subclass",
        Code.REGISTRATION_MISUSE,
        "`nn.ModuleList` and `nn.ModuleDict` hold modules only, and were given a `{0}`.",
        "Keep modules that have names in an `nn.ModuleDict`, others in an `nn.ModuleList`, and "
        "Parameters in `nn.ParameterDict` and `nn.ParameterList`.",
    ),
    Pattern(
        r"(ModuleList|ParameterList)\.__init__\(\) takes",
        Code.REGISTRATION_MISUSE,
        "`nn.{0}` takes one list, and was given its members one by one.",
        "Hand over the list itself, without a star.",
    ),
    Pattern(
        r"(ModuleDict|ParameterDict)\.__init__\(\) got an unexpected keyword",
        Code.REGISTRATION_MISUSE,
        "`nn.{0}` takes one dict, and was given its members one by one.",
        "Hand over the dict itself, without stars.",
    ),
    Pattern(
        r"Module \[(ModuleList|ModuleDict)\] is missing the required \"forward\" function",
        Code.REGISTRATION_MISUSE,
        "an `nn.{0}` only holds its modules. It cannot be called: it does not say in which order.",
        "Call its modules in a loop; or make it an `nn.Sequential`, with the activations in it.",
    ),
    Pattern(
        r"'str' object cannot be interpreted as an integer",
        Code.REGISTRATION_MISUSE,
        "a name was used where a list is counted by numbers. An `nn.ModuleList` or "
        "`nn.ParameterList` that is given a dict keeps its keys only.",
        "What is chosen by a name belongs in an `nn.ModuleDict` or an `nn.ParameterDict`.",
    ),
    Pattern(
        r"'(?:list|dict|tuple|float|int)' object has no attribute 'detach'",
        Code.REGISTRATION_MISUSE,
        "an `nn.Parameter` holds one tensor, and was given something else.",
        "Make a tensor of it first; for several tensors there are `nn.ParameterList` and "
        "`nn.ParameterDict`.",
    ),
    Pattern(
        r"(buffer|parameter) name should be a string",
        Code.REGISTRATION_MISUSE,
        "the first argument of `register_{0}` is the attribute's name, as a string; the second is "
        "the tensor.",
        "Put the name in quotes.",
    ),
    Pattern(
        r"(buffer|parameter) name can\\?'t contain \"\.\"",
        Code.REGISTRATION_MISUSE,
        "a {0} is registered under a plain attribute's name, without dots.",
        "Drop `self.` from the name, and put an underscore before a number.",
    ),
    Pattern(
        r"module name should be a string|module name can\\?'t contain",
        Code.REGISTRATION_MISUSE,
        "the key of an `nn.ModuleDict` must be a string without dots.",
        "Turn the key into such a string, with an underscore for each dot.",
    ),
    Pattern(
        r"cannot assign '[^']+' (?:object to|as) buffer '([^']+)'",
        Code.REGISTRATION_MISUSE,
        "a buffer holds a tensor or None, and `{0}` was given something else.",
        "Change the buffer in place, or make a tensor of it first, on its device.",
    ),
    Pattern(
        r"Only Tensors of floating point and complex dtype can require gradients",
        Code.PARAMETER_OR_BUFFER,
        "a Parameter of whole numbers cannot be trained: gradients need a floating-point dtype.",
        "What is not trained is a buffer: register it as one. Or give the tensor a floating-point "
        "dtype.",
    ),
    Pattern(
        r"cannot assign '[^']+' object to parameter '([^']+)'",
        Code.MOVED_BEFORE_REGISTRATION,
        "`register_parameter` was given a tensor for `{0}` that is no `nn.Parameter`: a plain one, "
        "or the result of a move, which is a new tensor.",
        "If it is to be trained, wrap it in `nn.Parameter`, after any move. If not, it is a "
        "buffer.",
    ),
    Pattern(
        r"cannot assign '[^']+' as parameter '([^']+)'",
        Code.PARAMETER_OVERWRITTEN,
        "`self.{0}` is a Parameter, and the assignment would replace it by something that is not.",
        "Change its values instead, with `copy_` under `torch.no_grad`. If it was only to be "
        "moved, leave the line out: `.to()` of the module moves it.",
    ),
    Pattern(
        r"Cannot assign non-leaf Tensor to parameter '([^']+)'",
        Code.MOVED_BEFORE_REGISTRATION,
        "what is assigned to `{0}` is the result of an operation (a move, perhaps), not a leaf.",
        "Move first, wrap last: make an `nn.Parameter` of the finished tensor.",
    ),
)


def faults_in_exceptions(evidence: Evidence) -> Iterator[Fault]:
    """The findings whose mistake the text of an exception tells, by the first pattern that fits."""
    for raised in exceptions(evidence):
        for pattern in PATTERNS:
            is_its = pattern.operation in ("", raised.operation)
            if is_its and (match := re.search(pattern.text, raised.message)):
                yield _finding(pattern, match, raised)
                break


def exceptions(evidence: Evidence) -> Iterator[Raised]:
    """All that the learner's code raised."""
    candidates = (
        evidence.construction,
        evidence.broken,
        built_on_cuda(evidence).raised,
        *(run.raised for run in evidence.runs),
        *(done.raised for done in (evidence.training, evidence.cpu_training) if done),
    )
    yield from (raised for raised in candidates if raised)


def _finding(pattern: Pattern, match: re.Match[str], raised: Raised) -> Fault:
    groups = match.groups() or ("",)
    message = pattern.message.format(*groups)
    return Fault(
        pattern.code.value,
        "error",
        raised.code or raised.operation,
        raised.line,
        f"line {raised.line}: {message}" if raised.line else message,
        pattern.fix.format(*groups),
        file=raised.file,
    )
