"""Print docs/cheat_sheet.md as docs/cheat_sheet.pdf, one page of A4.

Usage: python tools/cheat_sheet.py; it needs a Chromium or Chrome. The last line of the PDF, a
comment, has the digest of what it was made from. So a test can tell without a browser whether the
PDF is current.
"""

import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path

from markdown_it import MarkdownIt
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from chromium import BROWSER_FLAGS, BROWSERS  # noqa: E402

SHEET = ROOT / "docs" / "cheat_sheet.md"
PDF = SHEET.with_suffix(".pdf")
NOT_PRINTED = re.compile(r"^.*\(cheat_sheet\.pdf\).*\n+", re.MULTILINE)
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Where's My Tensor? Cheat sheet</title>
<style>
@page {{ size: A4; margin: 12mm; }}
body {{
  margin: 0; color: #1f2328;
  font: 9.5pt/1.4 "Helvetica Neue", Arial, "DejaVu Sans", sans-serif;
}}
h1 {{ font-size: 15pt; margin: 0 0 2mm; }}
p {{ margin: 0 0 2.5mm; }}
code, pre {{ font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 8.2pt; }}
pre {{ margin: 0; }}
table {{ border-collapse: collapse; width: 100%; margin: 0 0 3.5mm; }}
th, td {{
  text-align: left; vertical-align: top; padding: .8mm 2mm .8mm 0;
  border-bottom: .2mm solid #c8ccd1;
}}
th {{ border-bottom: .4mm solid #1f2328; }}
</style>
{body}
</html>"""


def page() -> str:
    """The sheet as HTML, without the line that leads to the PDF."""
    text = NOT_PRINTED.sub("", SHEET.read_text(encoding="utf-8"))
    return PAGE.format(body=MarkdownIt("commonmark").enable("table").render(text))


def digest() -> str:
    """A digest of what the PDF is made from: the text and its looks."""
    return sha256(page().encode()).hexdigest()


def pages(pdf: bytes) -> int:
    """How many pages a PDF of Chromium's has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def main() -> int:
    """Print it; return 1, and change nothing, if it does not fit on one page."""
    found = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=BROWSER_FLAGS)
        tab = browser.new_page()
        tab.set_content(page())
        pdf = tab.pdf(prefer_css_page_size=True)
        browser.close()
    if pages(pdf) != 1:
        print(f"{SHEET.name} takes {pages(pdf)} pages: shorten it.", file=sys.stderr)
        return 1
    PDF.write_bytes(pdf + f"\n% {digest()}\n".encode())
    print(f"{PDF.relative_to(ROOT)}: {PDF.stat().st_size // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
