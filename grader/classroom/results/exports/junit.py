"""JUnit XML: a test suite a result, a test case a check."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from grader.classroom.results.gradebook import Gradebook, Result
from grader.judge.report import Flag, Report
from grader.render.junit import add_suite, finish, without_controls


def junit_xml(book: Gradebook) -> str:
    """The whole document."""
    root = ElementTree.Element("testsuites", name="grader")
    for result in book.results():
        _suite(root, result)
    return finish(root)


def _suite(root: ElementTree.Element, result: Result) -> None:
    title = f"{result.learner} {result.rubric.number} {result.rubric.title}"
    if result.entry is None:
        nothing = Report("not_defined", "none", title, message=result.explanation)
        add_suite(root, nothing, skipped="not handed in")
        return
    suite = add_suite(root, replace(result.entry.report, title=title))
    _add_flags(suite, result.flags)
    suite.set("time", f"{result.entry.seconds:.3f}")
    if result.entry.handed_in:
        suite.set("timestamp", result.entry.handed_in)


def _add_flags(suite: ElementTree.Element, flags: tuple[Flag, ...]) -> None:
    """As properties, which the schema wants first: a flag is no test that fails."""
    if not flags:
        return
    properties = ElementTree.Element("properties")
    for flag in flags:
        text = without_controls(str(flag))
        ElementTree.SubElement(properties, "property", name=f"flag {flag.kind}", value=text)
    suite.insert(0, properties)
