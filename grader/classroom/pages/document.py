"""What every page shares: one self-contained file, for a screen or for paper, light or dark.

Nothing on it comes from the network and nothing runs: a browser is told to refuse both.
"""

from __future__ import annotations

from typing import Literal

from grader.render.html import STYLE, text

Kind = Literal["short", "number", "prose"]
_PAGE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1c1f23; --quiet: #57606a;
  --line: #d0d7de; --good: #1a7f37; --bad: #b42318; --doubt: #8a5a00; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181c; --ink: #e6e8ea; --quiet: #a3abb3;
  --line: #3a4149; --good: #4ac26b; --bad: #ff8a80; --doubt: #e0b341; --link: #8ab4f8; } }
body { font: 16px/1.5 system-ui, sans-serif; background: var(--ground); color: var(--ink);
  max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
a { color: var(--link); } .quiet { color: var(--quiet); }
span.good { color: var(--good); } span.bad { color: var(--bad); }
span.doubt { color: var(--doubt); }
.wide { overflow-x: auto; }
.wide table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide th, .wide td { padding: .25rem .55rem; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top; }
.wide .number { text-align: right; white-space: nowrap; }
.wide .short, .wide code, .wide th[scope="row"] { white-space: nowrap; }
.wide thead th { white-space: normal; }
.wide th[scope="row"] { font-weight: normal; } .late { font-size: .8em; }
figure { margin: .8rem 0; } figcaption { margin-top: .4rem; }
svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--ink); }
.wmt .quiet { color: inherit; }
pre, code { white-space: pre-wrap; overflow-wrap: anywhere; }
@media print { :root { --ground: #fff; --ink: #000; --quiet: #444; --line: #999; --good: #1a7f37;
  --bad: #b42318; --doubt: #8a5a00; --link: #000; color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 11pt; } .wmt, figure, tr { break-inside: avoid; }
  .wmt { --good: #1a7f37 !important; --bad: #b42318 !important; --doubt: #8a5a00 !important; } }
"""


def document(title: str, body: list[str]) -> str:
    """A whole page; `title` is text, the pieces of `body` are HTML."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>{text(title)}</title>",
            f"<style>{STYLE}{_PAGE}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def name(learner: str) -> str:
    """A learner's name; it may be written from right to left without turning its line round."""
    return f"<bdi>{text(learner)}</bdi>"


def table(head: list[str], rows: list[list[str]], kinds: list[Kind]) -> str:
    """A table of HTML cells; the first of each row names it.

    Args:
        head: the columns' names, as text.
        rows: the cells, as HTML.
        kinds: what each column holds.
    """
    top = "".join(
        f'<th scope="col" class="{kind}">{text(each)}</th>'
        for each, kind in zip(head, kinds, strict=True)
    )
    lines = [
        f'<tr><th scope="row">{row[0]}</th>'
        + "".join(
            f'<td class="{kind}">{cell}</td>' for cell, kind in zip(row[1:], kinds[1:], strict=True)
        )
        + "</tr>"
        for row in rows
    ]
    body = "\n".join(lines)
    return (
        f'<div class="wide"><table><thead><tr>{top}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )
