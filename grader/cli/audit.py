"""`grader audit`: say what goes wrong when any module moves to CUDA."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import auditing
from grader.cli import options
from grader.cli.reports import print_and_exit, print_statistics
from grader.schema import exit_code

if TYPE_CHECKING:
    from grader.schema import Report


@click.command()
@click.argument("targets", metavar="[FILE.py:CLASS | FOLDER]...", nargs=-1)
@click.option(
    "--package",
    metavar="NAME",
    help="Audit every nn.Module class of an installed package, or of a folder.",
)
@click.option(
    "--inputs",
    default="",
    metavar="INPUTS",
    help='What to call it with, such as "torch.randn(2, 5, 8)", or a function in the file that '
    "returns it.  [default: example_input]",
)
@options.audit_device
@options.audit_format
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long it may take; with --package, each class.  [default: 120]",
)
@click.option(
    "--recipes",
    type=options.FILE,
    help="With --package: the TOML file that says how classes are built and called.  "
    "[default: the nearest pyproject.toml]",
)
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html",
    help="With --package: write an HTML page as well.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="With --package: how many classes at once.  [default: one for each processor]",
)
@click.option("--fix", is_flag=True, help="Show and make the changes that are code; audit again.")
@click.option("--strict", is_flag=True, help="Fail on warnings, too, and on what was not seen.")
@click.option("--statistics", is_flag=True, help="Count the findings of each code, as ruff does.")
@options.meant
def audit(
    targets: tuple[str, ...],
    package: str | None,
    inputs: str,
    device: Any,
    form: str,
    time_limit: float | None,
    recipes: Path | None,
    page: Path | None,
    jobs: int | None,
    fix: bool,
    strict: bool,
    statistics: bool,
    **meant_by: Any,
) -> None:
    """Say what goes wrong when any nn.Module moves to CUDA.

    CLASS may also be a function that makes the module. A folder is audited as with --package.
    Exits 0 if nothing is wrong, 1 if something is, 2 if it cannot tell, 3 if nothing is wrong and a
    step was left out, or a module of the package not imported.
    """
    from grader.cli.suppression import Meant, save_baseline
    from grader.cli.survey import show_survey, survey

    if bool(targets) == (package is not None):
        raise click.UsageError("Name files, `net.py:Net`, or a folder, or `--package NAME`.")
    if statistics and form != "text":
        raise click.UsageError("--statistics prints text only.")
    package = _folder(targets) if package is None else package
    meant = Meant(**meant_by)

    def options_at(folder: Path) -> tuple[Any, float, Any]:
        project = auditing.options_for(folder)
        seconds = time_limit or project.time_limit or 120.0
        return device or project.device or "auto", seconds, meant.selection(project)

    def audited(target: str) -> Report:
        path, name = _file_and_name(target)
        chosen, seconds, selected = options_at(path.parent)
        report: Report = selected(auditing.audit_file(path, name, inputs, chosen, seconds))
        return report

    def surveyed(name: str) -> auditing.Survey:
        chosen, seconds, selected = options_at(Path(name))
        seen = survey(name, recipes, chosen, seconds, jobs, selected)
        return replace(seen, unused=tuple(meant.unused()))

    if fix:
        from grader.cli.fixing import fix_all

        fix_all(surveyed(package).reports if package else map(audited, targets))
    if not (statistics or meant.write_baseline):
        if package:
            show_survey(surveyed(package), form, page, strict)
        print_and_exit(map(audited, targets), form, strict, meant.unused())
    seen = surveyed(package) if package else None
    reports = seen.reports if seen else list(map(audited, targets))
    notices = list(seen.notices if seen else meant.unused())
    if meant.write_baseline:
        save_baseline(meant.write_baseline, reports, notices)
    print_statistics(reports, notices)
    sys.exit(exit_code([*reports, *notices], strict))


def _folder(targets: tuple[str, ...]) -> str | None:
    """The folder that is to be audited as a package, if one is named.

    Raises:
        UsageError: there is something else to audit, too.
    """
    folder = next((target for target in targets if Path(target).is_dir()), None)
    if folder and len(targets) > 1:
        raise click.UsageError(f"Audit a folder on its own: grader audit {folder}")
    return folder and str(Path(folder).resolve())


def _file_and_name(target: str) -> tuple[Path, str]:
    """`net.py:Net` in two; the name is empty where none is given."""
    file, _, name = target.rpartition(":")
    if file and (name.isidentifier() or not name):
        return Path(file), name
    return Path(target), ""
