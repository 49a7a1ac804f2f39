"""The text that says which grader reached a verdict covers all code that reaches one."""

import subprocess
import sys

from grader.classroom.grading.versions import JUDGES

# Finds an answer and its folder, or words an error; decides nothing.
DECIDE_NOTHING = {
    "grader",
    "grader.course",
    "grader.course.catalog",
    "grader.course.numbers",
    "grader.errors",
    "grader.grading",
}
GRADE = """
import sys
from grader.course.catalog import find, solution_file
from grader.grading import grade_file

report = grade_file(find("03"), solution_file("03_member_tensors"), "simulated")
assert report.verdict == "passed"
print(*(name for name in sys.modules if name.split(".")[0] == "grader"))
"""


def test_all_that_grades_a_file_is_a_part_of_the_version():
    run = subprocess.run([sys.executable, "-c", GRADE], capture_output=True, text=True, check=True)
    judges = [f"grader.{name.removesuffix('.py').replace('/', '.')}." for name in JUDGES]
    judges = tuple(name.replace(".__init__.", ".") for name in judges)
    others = {name for name in run.stdout.split() if not f"{name}.".startswith(judges)}

    assert others <= DECIDE_NOTHING
