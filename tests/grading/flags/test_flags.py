"""What is flagged in a submission, and that honest ones rarely are."""

import ast
import re
from pathlib import Path

import pytest
from graded_answers import attacks, pieces

import grader
from grader.course.catalog import all_rubrics, find, solution_file, starter, stems
from grader.grading.flags import LONGEST, MOST_FLAGS, flags_in
from grader.grading.flags.allowed_imports import PARTS
from grader.grading.flags.solution import ENOUGH, added_tokens

TESTS = Path(__file__).resolve().parents[2]
AUDITED = sorted(
    file
    for folder in ("cases", "clean", "not_on_cuda")
    for file in (TESTS / "auditing" / folder).glob("*.py")
)
CHEATS = re.findall(
    r"^=== (.+) \((.+), line (\d+)\)$\n((?:(?!===).*\n)*)",
    Path(__file__).with_name("cheats.txt").read_text(encoding="utf-8"),
    re.MULTILINE,
)
TOP = "import torch\nfrom torch import nn\n"
LINES_OF_TOP = 2
RUBRIC = find("03")
HABITS = pieces(Path(__file__).with_name("honest_habits.txt"))
# Attacks that look like honest code line by line; the probe deals with them.
LOOK_HONEST = {
    "exits/keyboard_interrupt", "exits/recursion", "exits/system_exit",
    "machine/reads_a_secret", "machine/writes_elsewhere", "patched/mode_left_on",
}  # fmt: skip
HOSTILE = attacks()
# What uses up time or memory hides nothing, and what lies about itself is asked by other means.
ATTACKS = [name for name in HOSTILE if not name.startswith(("honest/", "resources/", "lying/"))]


def kinds(text, rubric=RUBRIC):
    return [flag.kind for flag in flags_in(text, rubric)]


@pytest.mark.parametrize(("name", "kind", "line", "code"), CHEATS)
def test_a_cheat_is_flagged_with_its_kind_and_line(name, kind, line, code):
    ast.parse(TOP + code)

    flags = flags_in(TOP + code, RUBRIC)

    assert (kind, int(line) + LINES_OF_TOP) in [(flag.kind, flag.line) for flag in flags], name


def test_the_attacks_of_the_hostile_tests_are_flagged():
    honest = {name for name in ATTACKS if not flags_in(HOSTILE[name].text, find("04"))}

    assert honest == LOOK_HONEST


def test_their_honest_neighbours_are_not():
    neighbours = [name for name in HOSTILE if name.startswith("honest/")]

    assert neighbours
    assert [name for name in neighbours if flags_in(HOSTILE[name].text, find("04"))] == []


def test_the_stand_in_for_an_unknown_device_is_named_only_where_there_is_one():
    kinds = TOP + 'KINDS = ["cpu", "cuda", "meta"]\n'

    (flag,) = flags_in(kinds, find("12"))
    assert flag.kind == "behaviour"
    assert flags_in(kinds, find("14")) == ()


def test_at_most_one_in_twelve_honest_habits_is_flagged():
    codes = {name: habit["top"] for name, habit in HABITS.items()}
    flagged = {name: flags for name in codes if (flags := flags_in(TOP + codes[name], RUBRIC))}

    assert len(HABITS) >= 60
    assert len(flagged) <= len(HABITS) / 12, flagged


@pytest.mark.parametrize("stem", stems())
def test_the_course_s_own_files_have_no_flag(stem):
    rubric = find(stem)
    variants = (TESTS / "variants" / f"{stem}.py").read_text(encoding="utf-8")
    solution = solution_file(stem).read_text(encoding="utf-8")

    assert kinds(starter(stem), rubric) == []
    assert kinds(variants, rubric) == []
    assert set(kinds(solution, rubric)) <= {"solution"}


@pytest.mark.search
@pytest.mark.parametrize("stem", stems())
def test_no_accepted_answer_is_taken_for_the_solution(stem):
    text = (TESTS / "variants" / f"{stem}.py").read_text(encoding="utf-8")
    classes = [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]

    assert not [name for name in classes if flags_in(text, find(stem), name)]


def test_modules_like_those_of_published_libraries_have_no_flag():
    texts = {file.stem: file.read_text(encoding="utf-8") for file in AUDITED}

    assert {name for name, text in texts.items() if flags_in(text, RUBRIC)} == set()


RENAMED = (
    solution_file("07_moving_inputs")
    .read_text(encoding="utf-8")
    .replace("part", "thing")
    .replace("rows", "given")
    .replace('"""One good answer', '"""My answer')
    .replace("return batch\n", "return batch  # nothing to move\n")
)


def test_the_solution_in_other_words_is_flagged():
    assert kinds(RENAMED, find("07")) == ["solution"]


def test_a_change_that_matters_is_another_answer():
    assert kinds(RENAMED.replace("(list, tuple)", "(tuple, list)"), find("07")) == []


def test_the_solution_is_not_looked_for_where_chance_would_find_it():
    short = [rubric.number for rubric in all_rubrics() if added_tokens(rubric.stem) < ENOUGH]

    assert {"03", "04", "06", "10b"} <= set(short)
    assert not {"07", "07b", "13"} & set(short)


def test_imports_come_first_and_nothing_twice():
    text = "import socket\ntorch.equal = eval('1')\nfrom os import fork\nimport ctypes, ctypes\n"

    flags = flags_in(TOP + text, RUBRIC)

    assert [flag.kind for flag in flags] == [
        *["import"] * 3, "patched-library", "hidden-code",
    ]  # fmt: skip
    assert [flag.line for flag in flags][:3] == [3, 5, 6]


def test_what_does_not_parse_has_no_flag():
    for text in ("class Normalizer(:\n", "import gc\n\0", "x = (" * 300, "\ud800"):
        assert flags_in(text, RUBRIC) == ()


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "-" * 5000 + "1",
        "x = " + "[" * 150 + "]" * 150,
        "x = a" + ".b" * 20_000,
        "x = a" + "()" * 20_000,
        "x = " + "1 + " * 20_000 + "1",
        "x = " + "'a' + " * 5_000 + "'a'",
        "if x:\n" + "".join(" " * i + "if x:\n" for i in range(1, 95)) + " " * 95 + "pass",
        "x = f'{" + "a" * 1000 + "}'",
        "import gc\n" * 10_000,
        "x = '" + "QUJD" * 40_000 + "'",
        "x = [" + "65, " * 50_000 + "]",
        "def f(" + ", ".join(f"a{i}" for i in range(5_000)) + "): pass",
        "class Normalizer(Normalizer): pass",
    ],
    ids=range(13),
)
def test_no_source_is_too_large_or_deep_to_answer_about(text):
    flags = flags_in(TOP + text, RUBRIC)

    assert len(flags) <= MOST_FLAGS + 1


def test_what_is_too_long_says_so():
    (flag,) = flags_in("x = 1\n" * LONGEST, RUBRIC)

    assert (flag.kind, flag.text) == (
        "unread", "is 1,200,000 characters long: too long to be read for flags",
    )  # fmt: skip


def test_every_name_of_the_course_may_be_imported_but_the_solutions():
    assert PARTS["grader"] == {*grader.__all__} - {"solution"}
