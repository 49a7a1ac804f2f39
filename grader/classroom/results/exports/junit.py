"""JUnit XML: a test suite a result, a test case a check."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from grader.classroom.results.gradebook import Gradebook, Result
from grader.render import add_suite, finish, without_controls
from grader.schema import Report


def junit_xml(book: Gradebook) -> str:
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
    _add_properties(suite, result)
    suite.set("time", f"{result.entry.seconds:.3f}")
    if result.entry.handed_in:
        suite.set("timestamp", result.entry.handed_in)


def _add_properties(suite: ElementTree.Element, result: Result) -> None:
    """Flags and what a person said, first, as the schema wants it: none is a test that fails."""
    facts = [(f"flag {flag.kind}", str(flag)) for flag in result.flags]
    if result.marked:
        facts.append(("mark", result.explanation))
    facts += [("comment", str(comment)) for comment in result.comments]
    if not facts:
        return
    properties = ElementTree.Element("properties")
    for name, value in facts:
        text = without_controls(value)
        ElementTree.SubElement(properties, "property", name=name, value=text)
    suite.insert(0, properties)
