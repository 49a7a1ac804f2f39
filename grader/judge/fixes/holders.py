"""Fixes of tensors in objects that are no modules: in a closure, or in an object of some class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.judge.fixes.devices import is_factory
from grader.judge.fixes.expressions import (
    bindings,
    constructor_of,
    is_docstring,
    local_names,
    names_in,
    parameters,
)
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.fixes.origins import may_differ
from grader.judge.fixes.registering import needs_saving
from grader.judge.fixes.registration import buffer, parameter, tensor_of
from grader.judge.fixes.source_file import CodeSite, Function
from grader.judge.lookups import is_trained
from grader.schema import SUPER_INIT, Edit, Finding, TensorFact

_ATTRIBUTE = re.compile(r"(self\.\w+)\.")
# What `nn.Module` has already, and a class that becomes one may not mean otherwise.
_TAKEN = {
    "add_module", "apply", "bfloat16", "buffers", "children", "compile", "cpu", "cuda", "double",
    "eval", "float", "forward", "get_buffer", "get_parameter", "half", "load_state_dict", "modules",
    "named_buffers", "named_children", "named_modules", "named_parameters", "parameters",
    "register_buffer", "register_module", "register_parameter", "requires_grad_", "share_memory",
    "state_dict", "to", "to_empty", "train", "training", "type", "xpu", "zero_grad",
    "__call__", "__delattr__", "__getattr__", "__getattribute__", "__setattr__", "__slots__",
    "__setstate__", "__dir__",
}  # fmt: skip


def hold_in_buffers(finding: Finding, context: Context) -> CodeFix | None:
    """Of `self.prior = Normal(…)` in `__init__`: its tensors as buffers of the module.

    A lambda becomes a method; an object of the file's own class, a module; another, a property
    that builds it from the buffers.
    """
    match = _ATTRIBUTE.match(finding.where)
    path = match[1] if match else ""
    fact = context.fact(finding.where)
    found = assignment_to(context, path, fact.line) if fact else None
    if found is None or fact is None or fact.file != context.file:
        return None
    site, value = found
    init = constructor_of(site.owner) if site.owner else None
    if site.owner is None or init is None or site.statement not in init.body:
        return None
    if list(bindings(site.owner)).count(path.removeprefix("self.")) != 1:
        return None
    if isinstance(value, ast.Lambda):
        return _as_method(path, value, site, context)
    if isinstance(value, ast.Call) and context.code.chain(ast.unparse(value.func)):
        return _as_module(path, value, context)
    return _as_property(path, value, site, context)


def _held(path: str, context: Context) -> list[TensorFact]:
    facts = (f for f in context.evidence.tensors if f.path.startswith(f"{path}."))
    return list({fact.identity: fact for fact in reversed(list(facts))}.values())[::-1]


def _as_property(path: str, value: ast.expr, site: CodeSite, context: Context) -> CodeFix | None:
    """Where all its tensors are made in the call, and the rest of it needs no local name."""
    facts, made = _held(path, context), list(_outermost_factories(value, context))
    local = local_names(site.function) - {"self"} if site.function else set()
    inside = {id(name) for call in made for name in names_in(call)}
    others = [n.id for n in names_in(value) if id(n) not in inside]
    if not made or len(facts) != len(made) or local.intersection(others):
        return None
    if any(is_trained(fact) for fact in facts):
        return None
    names = {k.value: k.arg for k in ast.walk(value) if isinstance(k, ast.keyword)}
    leaves = [fact.path.rpartition(".")[2].strip("_") for fact in facts]
    paths = [f"{path}_{names.get(c) or n}" for c, n in zip(made, leaves, strict=True)]
    if len({*paths}) != len(paths):
        return None
    registered = [
        buffer(own, context.code.segment(call), saved=may_differ(call, site.function))
        for own, call in zip(paths, made, strict=True)
    ]
    spans = [(context.code.span(call), own) for own, call in zip(paths, made, strict=True)]
    built = context.code.replaced(value, spans)
    name = path.removeprefix("self.")
    method = f"@property\ndef {name}(self):\n    return {_in_brackets(built)}"
    edits = (
        context.code.edit_statement(site, *registered),
        _added_method(method, site, context),
    )
    return CodeFix("Keep its tensors in buffers, and build it from them", edits)


def _outermost_factories(node: ast.AST, context: Context) -> Iterator[ast.Call]:
    if isinstance(node, ast.Call) and is_factory(node, context):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _outermost_factories(child, context)


def _as_method(path: str, value: ast.Lambda, site: CodeSite, context: Context) -> CodeFix | None:
    """Where each name that the lambda has caught can be an attribute of the same name."""
    assert site.function is not None
    assert site.owner is not None
    own = {argument.arg for argument in ast.walk(value.args) if isinstance(argument, ast.arg)}
    caught = [
        name
        for name in names_in(value.body)
        if name.id in local_names(site.function) - own - {"self"}
    ]
    names = {name.id: name for name in caught}
    tensors = {fact.path.removeprefix(f"{path}.") for fact in _held(path, context)}
    if not tensors.intersection(names) or {*names} & {*bindings(site.owner)} or "self" in own:
        return None
    kept = [
        buffer(f"self.{name}", name, saved=may_differ(read, site.function))
        if name in tensors
        else f"self.{name} = {name}"
        for name, read in names.items()
    ]
    spans = [(context.code.span(name), f"self.{name.id}") for name in caught]
    arguments = f"self, {ast.unparse(value.args)}".removesuffix(", ")
    body = context.code.replaced(value.body, spans)
    method = f"def {path.removeprefix('self.')}({arguments}):\n    return {_in_brackets(body)}"
    edits = (
        context.code.edit_statement(site, *kept),
        _added_method(method, site, context),
    )
    return CodeFix("Make it a method, and what it has caught a buffer", edits)


def _in_brackets(text: str) -> str:
    return f"({text})" if "\n" in text else text


def _added_method(text: str, site: CodeSite, context: Context) -> Edit:
    """A method after `__init__`; before it, if that is the last one."""
    assert site.owner is not None
    methods = [node for node in site.owner.body if isinstance(node, Function)]
    at = methods.index(site.function) if site.function else 0
    method = methods[at + 1] if at + 1 < len(methods) else methods[at]
    first = min(node.lineno for node in (method, *method.decorator_list))
    return context.code.added_before(first, f"{text}\n")


def _as_module(path: str, value: ast.Call, context: Context) -> CodeFix | None:
    """Of an object of the file's own class, which inherits nothing: that class as a module."""
    owner = context.code.chain(ast.unparse(value.func))[0]
    init, facts = constructor_of(owner), _held(path, context)
    if init is None or not _may_be_module(owner, context):
        return None
    changed: dict[int, Edit] = {}
    for fact in facts:
        own = f"self.{fact.path.removeprefix(f'{path}.')}"
        found = _bound_once(own, init, context)
        if found is None or found[0].statement not in init.body:
            return None
        text = tensor_of(context, found[1])
        made = buffer(own, text, saved=needs_saving(own, found[1], owner, init))
        made = parameter(context, own, text) if is_trained(fact) else made
        changed[found[0].statement.lineno] = context.code.edit_statement(found[0], made)
    first = next(statement for statement in init.body if not is_docstring(statement))
    start = context.code.added_before(first.lineno, SUPER_INIT)
    if begun := changed.pop(first.lineno, None):
        start = context.code.edit_statement(CodeSite(first, init, owner), SUPER_INIT, begun.after)
    edits = [_derived(owner, context), start, *changed.values()]
    for method in owner.body:
        if isinstance(method, Function) and method.name == "__call__":
            line = context.code.line(method.lineno)
            edits.append(Edit(method.lineno, line, line.replace("__call__", "forward", 1)))
    return CodeFix(f"Make {owner.name} a module", tuple(sorted(edits, key=lambda edit: edit.line)))


def _bound_once(
    path: str, init: ast.FunctionDef, context: Context
) -> tuple[CodeSite, ast.expr] | None:
    sites = context.code.sites(init)
    found = [assignment_to(context, path, site.statement.lineno) for site in sites]
    bound = [each for each in found if each]
    return bound[0] if len(bound) == 1 else None


def _may_be_module(owner: ast.ClassDef, context: Context) -> bool:
    classes = [n for n in ast.walk(context.code.tree) if isinstance(n, ast.ClassDef)]
    bases = [ast.unparse(base) for cls in classes for base in cls.bases]
    is_plain = [ast.unparse(base) for base in owner.bases] in ([], ["object"])
    if not is_plain or owner.keywords or owner.decorator_list or owner.name in bases:
        return False
    names = {getattr(node, "name", "") for node in owner.body} - {"__call__"}
    assigned = {n.id for n in ast.walk(owner) if isinstance(n, ast.Name)} & {"__slots__"}
    return not ({*names, *assigned, *bindings(owner)} & _TAKEN)


def _derived(owner: ast.ClassDef, context: Context) -> Edit:
    line = context.code.line(owner.lineno)
    after = re.sub(r"(class \w+)(\((object)?\))?:", rf"\1({context.nn}.Module):", line, count=1)
    return Edit(owner.lineno, line, after)


def follow_gradient(finding: Finding, context: Context) -> CodeFix | None:
    """Of a tensor that a hook's closure holds: moved to the gradient that the hook is given."""
    raised = (raised for run in context.evidence.runs for raised in run.exceptions)
    lines = [
        error.line
        for error in raised
        if error.file == context.file and finding.line in {o.line for o in error.operands}
    ]
    for site in (site for line in lines if (site := context.code.site(line))):
        for hook in _hooks(site, context):
            (given,) = parameters(hook)
            caught = _caught(hook, site, context)
            if len({name.id for name in caught}) == 1:
                spans = [(context.code.span(n), f"{n.id}.to({given}.device)") for n in caught]
                edit = context.code.edit_spans(site, spans)
                return CodeFix("Bring it to the gradient's device", (edit,))
    return None


def _hooks(site: CodeSite, context: Context) -> Iterator[Function | ast.Lambda]:
    """The lambda in a statement, or the function around it, that takes one argument."""
    lambdas = [node for node in ast.walk(site.head) if isinstance(node, ast.Lambda)]
    for hook in (*lambdas, site.function):
        if hook is not None and len(parameters(hook)) == 1:
            yield hook


def _caught(hook: Function | ast.Lambda, site: CodeSite, context: Context) -> list[ast.Name]:
    """The names in the statement that a function around the hook binds."""
    around = [
        node
        for node in ast.walk(context.code.tree)
        if isinstance(node, Function) and node is not hook and hook in ast.walk(node)
    ]
    bound = {name for function in around for name in local_names(function)}
    own = local_names(hook)
    inside = hook.body if isinstance(hook, ast.Lambda) else site.head
    called = {id(node.func) for node in ast.walk(inside) if isinstance(node, ast.Call)}
    return [
        name
        for name in names_in(inside)
        if name.id in bound - own - {"self"} and id(name) not in called
    ]
