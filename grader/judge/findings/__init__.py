"""One module for each kind of fault, named after its code: `member-tensor` is `member_tensor.py`.

`codes.py` lists them in their order of precedence. `attribution/` says whose tensor is at fault;
the modules here put that into words.
"""

from __future__ import annotations

from importlib import import_module

from grader.judge.codes import Code
from grader.judge.findings.base import Rule, RuleContext, Sighting

__all__ = ["RULES", "Rule", "RuleContext", "Sighting"]

for _code in Code:
    import_module(f"{__name__}.{_code.value.replace('-', '_')}")
_BY_CODE = {rule.code: rule() for rule in Rule.__subclasses__()}
RULES: dict[Code, Rule] = {code: _BY_CODE[code] for code in Code}
