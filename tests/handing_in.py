"""Folders and zips of submissions, as classes and platforms hand them in."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from grader.classroom.intake.submissions import collect
from grader.course.catalog import solution_file, starter
from grader.probe.containment.sandbox import Level, best_level

NORMALIZER = "03_member_tensors"
SCALE = "04_parameter_or_buffer"
needs_a_sandbox = pytest.mark.skipif(
    best_level() < Level.FILESYSTEM, reason="this system cannot keep a file from a process"
)


def solution(stem=NORMALIZER):
    return solution_file(stem).read_text(encoding="utf-8")


def wrong(stem=NORMALIZER):
    """A changed starter that still has its fault."""
    return starter(stem).replace("super().__init__()", "super().__init__()\n        self.seen = 0")


def hand_in(folder, files):
    """Write files; the modification times follow their order."""
    for i, (name, content) in enumerate(files.items()):
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (1_770_000_000 + 60 * i,) * 2)
    return Path(folder)


def zipped(path, files):
    """A zip of files, given by name or as a ZipInfo."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content, compress_type=zipfile.ZIP_DEFLATED)
    return path


def installed(release, folder):
    """Unpack a release's wheel, as an installer does; gives the folder for Python's path."""
    (wheel,) = release.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return str(folder)


def counted(root, **options):
    """By learner and exercise, which file counts."""
    answers = collect(root, **options).answers
    return {(answer.learner, answer.rubric.number): answer.file for answer in answers}


def notebook(*cells):
    """The bytes of a notebook; a cell that starts with `#!` is text."""
    kinds = ["markdown" if cell.startswith("#!") else "code" for cell in cells]
    return json.dumps(
        {
            "cells": [
                {"cell_type": kind, "metadata": {}, "source": cell.splitlines(keepends=True)}
                for kind, cell in zip(kinds, cells, strict=True)
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ).encode()
