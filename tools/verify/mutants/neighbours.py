"""Calls replaced by their neighbours, or left out."""

from __future__ import annotations

import ast

from verify.mutants.mutant import Changes, change

NEIGHBOURS = {
    "arange": ("zeros", "ones"),
    "argmax": ("argmin",),
    "bincount": ("ones_like",),
    "clamp": ("sub", "clone"),
    "cross_entropy": ("mse_loss",),
    "cumsum": ("cumprod",),
    "eye": ("ones", "zeros", "rand"),
    "mean": ("sum", "median"),
    "normal_": ("uniform_", "zero_"),
    "ones": ("zeros", "rand", "empty"),
    "ones_": ("zeros_", "uniform_"),
    "rand": ("randn", "zeros"),
    "rand_like": ("randn_like", "ones_like"),
    "randn": ("rand", "zeros", "ones"),
    "randn_like": ("rand_like", "zeros_like", "ones_like"),
    "relu": ("tanh", "sigmoid", "abs"),
    "SiLU": ("ReLU", "Identity", "Tanh"),
    "softmax": ("log_softmax",),
    "softplus": ("relu", "sigmoid"),
    "sqrt": ("square", "abs"),
    "square": ("abs", "sqrt"),
    "squeeze": ("unsqueeze",),
    "sum": ("mean", "prod"),
    "tanh": ("relu", "sigmoid"),
    "tril": ("triu",),
    "triu": ("tril",),
    "unsqueeze": ("squeeze",),
    "var": ("std",),
    "zeros": ("ones", "randn", "rand"),
    "zeros_": ("ones_",),
    "zeros_like": ("ones_like", "randn_like"),
    "new_ones": ("new_zeros",),
    "new_zeros": ("new_ones",),
    "ModuleList": ("Sequential",),
    "Embedding": ("Linear",),
}


def neighbours(node: ast.AST) -> Changes:
    """A function of the same kind."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        for other in NEIGHBOURS.get(node.func.attr, ()):
            function = ast.Attribute(node.func.value, other, ast.Load())
            yield change("neighbouring call", node, ast.Call(function, node.args, node.keywords))


def without_call(node: ast.AST) -> Changes:
    """A method left out: its receiver instead; a function left out: its first argument."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    receiver = node.func.value
    is_library = isinstance(receiver, ast.Name) and receiver.id in ("torch", "nn", "math")
    if not is_library and ast.unparse(receiver) not in ("super()", "nn.functional", "self"):
        yield change("call left out", node, receiver)
    elif node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield change("call left out", node, node.args[0])


def detached(node: ast.AST) -> Changes:
    """A tensor method's result cut from the graph, or fetched to the CPU."""
    if isinstance(node, ast.Return) and node.value is not None:
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for value in values:
            for method in ("detach", "cpu", "half"):
                call = ast.Call(ast.Attribute(value, method, ast.Load()), [], [])
                yield change(f"{method}() added", value, call)


RULES = (neighbours, without_call, detached)
