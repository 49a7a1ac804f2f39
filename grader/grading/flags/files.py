"""Files that no answer needs to read: the machine's, the grader's, another learner's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.grading.flags.constants import folded
from grader.grading.flags.source import Site, Source
from grader.schema import Flag

_READERS = frozenset(
    (
        "numpy.fromfile", "numpy.memmap", "numpy.genfromtxt", "numpy.DataSource",
        "torch.from_file", "torch.FloatStorage.from_file", "torch.UntypedStorage.from_file",
    )
)  # fmt: skip
_SEARCHES = {"rglob", "iterdir", "listdir", "scandir"}
# A path from the root, except where notebooks in a cloud keep files; a folder of the grader's.
_ELSEWHERE = re.compile(
    r"^/(?!tmp/|content/|kaggle/|mnt/|dev/null|dev/std)[A-Za-z]\w*(?:/|$)|"
    r"(?:^|/)(?:solutions|rubrics|site-packages)(?:/|$)|^\.\./\.\."
)


def file_flags(source: Source) -> Iterator[Flag]:
    """A flag for each line that reads files, or memory, past what an answer is given."""
    for site in source.sites:
        for message in _messages(site, source):
            yield Flag("file", getattr(site.node, "lineno", 0), message)


def _messages(site: Site, source: Source) -> Iterator[str]:
    node = site.node
    if isinstance(node, ast.Attribute):
        path = source.path(node, site)
        if path in _READERS or node.attr == "from_file":
            yield f"uses `{path or node.attr}`, which reads a file as numbers"
        elif node.attr in _SEARCHES:
            yield f"uses `{node.attr}`, which lists files"
    elif isinstance(node, ast.Constant) and id(node) not in source.documentation | source.tails:
        text = folded(node) or ""
        found = _ELSEWHERE.search(text[:1000])
        if found:
            yield f"names a place outside of the submission: {text[:60]!r}"
