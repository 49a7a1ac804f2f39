"""What a constructor's parameter may be, where its annotation and its name do not tell."""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from typing import Any

from grader.auditing.survey.package.arguments import hints_of, imported, value_for

NUMBERS, FRACTIONS = ("8", "2", "1", "3", "16", "4", "0"), ("0.5", "1.0", "2.0", "0.1")
TENSORS = ("torch.rand(8)", "torch.rand(8, 8)", "torch.rand(2, 8)", "torch.eye(8)")
LISTS = (
    "[8, 8]", "(8, 8)", "[2, 2, 2, 2]", "[8]", "[(8,)]", "(8, 8, 8)", "[(8, 8, 8)]", "[0.5, 1.0]",
)  # fmt: skip
LAYERS = (
    "torch.nn.Linear(8, 8)", "torch.nn.Conv2d(8, 8, 3)", "torch.nn.Embedding(16, 8)",
    "torch.nn.Conv1d(8, 8, 3)", "torch.nn.Conv3d(8, 8, 3)", "torch.nn.LayerNorm(8)",
    "torch.nn.MultiheadAttention(8, 2)", "[torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)]",
)  # fmt: skip
FUNCTIONS = ("torch.relu", "torch.nn.ReLU", "torch.nn.Linear", "lambda *_, **__: torch.nn.ReLU()")
TEXTS = ("'default'", "['default', 'default']")
GENERAL = (
    *NUMBERS[:3], *FRACTIONS[:2], *LISTS, *LAYERS, *FUNCTIONS, *TEXTS, "True", "None", "{}", "[]",
)  # fmt: skip
# A line that describes a parameter, as Sphinx, and as Google, NumPy and Lightning write it.
DESCRIBED = r"^(?:.*:(?:param|type) .*|[ \t*`-]*)\b{}\b`*(?: *\(.*\))? *:.*"
# By what an annotation or a description says.
KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\b[Tt]ensor\b", TENSORS),
    (r"\b(int|integer|number of|size of|dimension)", (*NUMBERS, *LISTS)),
    (r"\bfloat\b", FRACTIONS),
    (r"\bbool(ean)?\b", ("True", "False")),
    (r"\bstr(ing)?\b", TEXTS),
    (r"\b([Cc]allable|function)\b", FUNCTIONS),
    (r"\b(list|tuple|sequence|List|Tuple|Sequence)\b", LISTS),
)
MOST_CLASSES, PLAIN = 12, (int, float, bool, str)


def candidates_for(cls: type, name: str) -> list[str]:
    """Values for a parameter of the constructor, the likeliest first.

    1. What annotation and name tell.
    2. Instances of the package's classes that its annotation or description names, or that are
       named like it, then these classes.
    3. Values of the kind that annotation or description name; else of all kinds but tensors: one
       that stays in an attribute would be a fault of the audit's own making.
    """
    hint, package = hint_of(cls, name), cls.__module__.partition(".")[0]
    said = f"{'' if hint is inspect.Parameter.empty else hint} {documented(cls, name)}"
    kind = _kind_of(said)
    found = [value_for(name, hint, (cls,))]
    if hint not in PLAIN:
        found += _instances(_classes(said, name, package), name, cls)
        found += kind or GENERAL
    return list(dict.fromkeys(filter(None, (*found, *kind))))


def _instances(classes: list[type], name: str, cls: type) -> list[str | None]:
    """Instances of classes, in a list if the name is a plural, then the classes."""
    others = [other for other in classes if other is not cls]
    built = list(filter(None, (value_for(name, other, (cls,)) for other in others)))
    forms = ("[{}]", "{}") if name.endswith("s") else ("{}",)
    return [*(form.format(value) for form in forms for value in built), *map(imported, others)]


def documented(cls: type, name: str) -> str:
    """The lines of docstrings that describe a parameter."""
    owners = [owner for owner in cls.__mro__ if not owner.__module__.startswith("torch.")]
    texts = [text or "" for owner in owners for text in (owner.__doc__, owner.__init__.__doc__)]  # type: ignore[misc]
    found = re.finditer(DESCRIBED.format(re.escape(name)), "\n".join(texts), re.M)
    return " ".join(line[0].strip() for line in found)


def _kind_of(said: str) -> tuple[str, ...]:
    """Values of the kind that a description names first: its type comes before its text."""
    found = ((re.search(pattern, said), values) for pattern, values in KINDS)
    kinds = {match.start(): values for match, values in found if match}
    return kinds[min(kinds)] if kinds else ()


def hint_of(cls: type, name: str) -> Any:
    """The annotation of a parameter by the first constructor among the bases that has one."""
    hints = (hints_of(owner).get(name) for owner in cls.__mro__[:-1])
    return next((hint for hint in hints if hint is not None), inspect.Parameter.empty)


def parameters_of(cls: type) -> list[str]:
    """The parameters of the constructors of a class and its bases, before PyTorch's own."""
    found: list[str] = []
    for owner in cls.__mro__:
        if owner.__module__.startswith("torch.") or owner is object:
            break
        if code := getattr(inspect.unwrap(owner.__init__), "__code__", None):  # type: ignore[misc]
            found += code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    return list(dict.fromkeys(found))


@cache
def classes_in(package: str) -> tuple[type, ...]:
    """The classes that the imported modules of a package define."""
    modules = [sys.modules[name] for name in sys.modules if name.partition(".")[0] == package]
    values = [value for module in modules for value in vars(module).copy().values()]
    classes = [value for value in values if isinstance(value, type)]
    return tuple({cls: None for cls in classes if cls.__module__.partition(".")[0] == package})


def _classes(said: str, name: str, package: str) -> list[type]:
    """Classes of the package that can be the parameter, those that the words name first."""
    classes, words = classes_in(package), set(re.findall(r"\w+", said))
    whole = re.sub(r"[\d_]", "", name.lower()).removesuffix("s")
    last = re.sub(r"\d", "", name.lower()).rpartition("_")[2].removesuffix("s")
    is_like = re.compile(rf"{last}$|^{last}" if len(last) > 3 else rf"^{whole}$")
    named = [cls for cls in classes if cls.__name__ in words]
    named += [cls for cls in classes if cls.__name__.lower() == whole]
    named += [cls for cls in classes if is_like.search(cls.__name__.lower())]
    below = [cls for cls in classes if not set(named).isdisjoint(cls.__mro__)]
    below.sort(key=lambda cls: len(parameters_of(cls)))  # the simplest first
    return list(dict.fromkeys((*named, *below)))[:MOST_CLASSES]
