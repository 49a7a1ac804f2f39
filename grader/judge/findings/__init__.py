"""One module for each kind of fault, named after its code: `member-tensor` is `member_tensor.py`.

`codes.py` lists them in their order of precedence. `attribution.py` says whose tensor is at fault;
the modules here put that into words.
"""

from __future__ import annotations

from importlib import import_module

from grader.judge.codes import Code
from grader.judge.findings.base import Facts, Rule, Sighting

__all__ = ["RULES", "Facts", "Rule", "Sighting"]


def _rule(code: Code) -> Rule:
    rule = import_module(f"{__name__}.{code.value.replace('-', '_')}").RULE
    assert isinstance(rule, Rule)
    assert rule.code is code
    return rule


RULES: dict[Code, Rule] = {code: _rule(code) for code in Code}
