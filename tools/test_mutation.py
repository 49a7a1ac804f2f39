"""Change one operator at a time in what judges, and see which changes no test notices.

Usage: python tools/test_mutation.py [--sample 200] [--seed 0] [FILE OR FOLDER ...]

A mutant that passes every test is a line that nothing holds: it is printed with its change, unless
tests/mutation_survivors.toml has it, with the reason why nothing could tell it from the original.
cosmic-ray makes the mutants, in a copy of what git tracks here; the seed draws the sample.
"""

import argparse
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.modules import find_modules
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome
from run_tests import ROOT

REASONS = ROOT / "tests/mutation_survivors.toml"
MUTATED = ["grader/judge", "grader/simulated_cuda/python_device/operators/rules.py"]
# `int | None` stands in annotations, and `*` between parameters: nothing evaluates these.
LEFT_OUT = re.compile(
    r"core/ReplaceBinaryOperator_(BitOr_|Mul_Div|Mul_FloorDiv)"
    # Of comparisons, only the nearest and the opposite: most are between words.
    r"|core/ReplaceComparisonOperator_(?!Eq_NotEq|NotEq_Eq|Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_GtE|Gt_LtE"
    r"|LtE_Gt|GtE_Lt|Is_IsNot|IsNot_Is)"
)
TESTS = [
    *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"),
    # The quick ones first: most mutants fall there.
    *("tests/judge", "tests/test_beginning.py", "tests/test_explain.py", "tests/render"),
    *("tests/simulated_cuda/test_errors.py", "tests/audit/test_cases.py", "tests/test_fixes.py"),
]
SECONDS = 300  # a mutant that takes longer hangs, and so is noticed


def draw(mutated: Iterable[str], sample: int, seed: int) -> list[MutationSpec]:
    """Some of the mutants that can be made of these files and folders."""
    with (
        tempfile.TemporaryDirectory() as folder,
        use_db(Path(folder, "mutants.sqlite"), WorkDB.Mode.create) as database,
    ):
        init(find_modules([Path(path) for path in mutated]), database, {})
        made = [mutation for item in database.work_items for mutation in item.mutations]
    made = [mutation for mutation in made if not LEFT_OUT.match(mutation.operator_name)]
    # The database has them in no order.
    made.sort(key=lambda each: (str(each.module_path), each.operator_name, each.occurrence))
    print(f"{len(made)} mutants, of which {min(sample, len(made))} are tried")
    return random.Random(seed).sample(made, min(sample, len(made)))


def survivors(mutants: list[MutationSpec]) -> Iterator[tuple[MutationSpec, str]]:
    """Each mutant that all tests pass, with the line that it changed, as it was."""
    for number, mutant in enumerate(mutants, 1):
        original = mutant.module_path.read_text("utf-8").splitlines()[mutant.start_pos[0] - 1]
        result = mutate_and_test([mutant], shlex.join(TESTS), SECONDS)
        print(f"{number}. {mutant.module_path}: {result.test_outcome}", file=sys.stderr, flush=True)
        if result.test_outcome == TestOutcome.SURVIVED:
            print(*re.findall(r"^[-+] .*", result.diff or "", re.MULTILINE), sep="\n")
            yield mutant, original.strip()


def copy_of_the_tree(folder: str) -> None:
    """What git tracks here, as it is now: each mutant is written over its file."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, names.split("\0")):
        target = Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)


def main() -> int:
    """Try the sample; 0 if every survivor has its reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mutated", nargs="*", default=MUTATED)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    reasons = tomllib.loads(REASONS.read_text("utf-8"))
    unexplained = 0
    with tempfile.TemporaryDirectory() as folder:
        copy_of_the_tree(folder)
        os.chdir(folder)
        os.environ["PYTHONPATH"] = folder
        for mutant, line in survivors(draw(arguments.mutated, arguments.sample, arguments.seed)):
            reason = reasons.get(str(mutant.module_path), {}).get(line)
            print(f"{mutant.module_path}: {mutant.operator_name}: {reason or 'NO REASON KNOWN'}\n")
            unexplained += not reason
    print(f"survivors without a reason: {unexplained}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
