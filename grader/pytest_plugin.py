"""For the tests of any project: whether a module moves to CUDA.

    pytest --audit-modules tests        # audits each class of module that the tests call

pytest finds this by its entry point and loads it at every start, so it imports torch only in use.
`simulated_cuda/pytest_plugin.py` has the option and the fixture of the simulated device.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from grader.auditing import ModuleAudit


class MoveWarning(UserWarning):
    """An audit found something to explain or to fix."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--audit-modules` with its options."""
    group, file = parser.getgroup("module audit"), {"type": Path, "metavar": "FILE"}
    group.addoption(
        "--audit-modules",
        action="store_true",
        help="audit each class of module that the tests call, between the tests; error findings "
        "make an otherwise successful session exit with 1",
    )

    def add(name: str, text: str, **options: Any) -> None:
        group.addoption(f"--audit-{name}", help=f"with --audit-modules: {text}", **options)

    unseen = "classes that were not audited, or not in full, fail the session, too"
    add("strict", unseen, action="store_true")
    spent = (
        "how long all audits of a process may take (a fifth of what all else takes, at least 10)"
    )
    add("budget", spent, type=float, metavar="SECONDS")
    add("report", "write the report as JSON too, or as a page if FILE is .html", **file)
    ignored = "leave out findings of this code"
    add("ignore", ignored, action="append", default=[], metavar="CODE")
    add("baseline", "leave out the findings in this file", **file)
    known = "write the findings of today to this file; none fails the session"
    add("write-baseline", known, **file)


def pytest_configure(config: pytest.Config) -> None:
    """Register the hooks of `--audit-modules`, where it is given.

    Raises:
        UsageError: `[tool.grader.audit]` or an option cannot be understood.
    """
    if config.getoption("audit_modules"):
        from grader.errors import GraderError

        try:
            config.pluginmanager.register(_module_audit(config), "module-audit")
        except GraderError as error:
            raise pytest.UsageError(str(error)) from None


def _module_audit(config: pytest.Config) -> ModuleAudit:
    """The hooks, by the options of the command line and of the project's pyproject.toml."""
    from grader.auditing import AuditFiles, ModuleAudit, options_for

    given = config.option
    options = options_for(config.rootpath).overridden(
        ignore=given.audit_ignore, baseline=given.audit_baseline, prefix="--audit-"
    )
    files = AuditFiles(given.audit_report, given.audit_write_baseline)
    is_worker = hasattr(config, "workerinput")  # of pytest-xdist
    return ModuleAudit(given.audit_budget, options, files, is_worker, given.audit_strict)


@pytest.fixture(name="assert_moves")
def _assert_moves() -> Callable[..., None]:
    """The function of that name, for tests that would rather not import it."""
    return assert_moves


def assert_moves(module_or_factory: Any, inputs: Any = None) -> None:
    """Assert that an audit finds no error, on the GPU if there is one, else on a simulated one.

    Args:
        module_or_factory: an `nn.Module`, which is never changed, or what makes one.
        inputs: what to call it with, on the CPU: a tensor, a tuple of arguments, or a dict of
            keyword arguments. Without them, only its structure is looked at.

    Raises:
        AssertionError: there are error findings, or it could not be audited in full; with the
            report.
    """
    __tracebackhide__ = True
    from grader.auditing import audit
    from grader.render import to_text

    report = audit(module_or_factory, inputs)
    if report.exit_code:
        raise AssertionError(to_text(report))
    if report.findings:
        warnings.warn(to_text(report), MoveWarning, stacklevel=2)
