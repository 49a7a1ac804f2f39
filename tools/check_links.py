"""Ask of every link that leads out of the repository whether it still leads somewhere.

Usage: python tools/check_links.py [--form]; prints each that does not, and where it stands. With
--form nothing is fetched: only that each is a well-formed https address. Without a network it says
so, and ends with 2. The addresses of this repository itself are left out: they hold once it is
published where pyproject.toml says.
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent
READ = ("*.md", "*.ipynb", "*.cff", "*.yml", "grader/**/*.py")
LINK = re.compile(r"https?://[^\s<>\"'`\\)\]]+")
# Ours, an example's, an index that only pip reads, and what a browser alone may open.
LEFT_OUT = re.compile(
    r"/OWNER/|wheres-my-tensor|//HUB/|//(?:localhost|127\.0\.0\.1)\b|/whl/|www\.w3\.org|[{$]"
)
WELL_FORMED = re.compile(r"https://[\w-]+(\.[\w-]+)+(/\S*)?")
SECONDS = 20
AGENT = {"User-Agent": "Mozilla/5.0 (link check of a course)"}
# It is there, and asks who we are, or to come back later.
THERE = {401, 403, 405, 429}


def links() -> dict[str, list[str]]:
    """Each address, and the files where it stands."""
    found: dict[str, list[str]] = defaultdict(list)
    listed = subprocess.run(
        ["git", "ls-files", *READ], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        text = (ROOT / name).read_text(encoding="utf-8")
        for address in set(LINK.findall(text)):
            if not LEFT_OUT.search(address):
                found[address.rstrip(".,;:")].append(name)
    return found


def fault(address: str) -> str:
    """What is wrong with a link, or nothing."""
    try:
        with urlopen(Request(address.partition("#")[0], headers=AGENT), timeout=SECONDS):
            return ""
    except HTTPError as error:
        return "" if error.code in THERE else f"answers {error.code}"
    except (URLError, TimeoutError, OSError) as error:
        return f"no answer: {getattr(error, 'reason', error)}"


def malformed(addresses: Iterable[str]) -> dict[str, str]:
    """What cannot be an address that a reader should follow."""
    return {
        address: "not https, or no host"
        for address in addresses
        if not WELL_FORMED.fullmatch(address)
    }


def dead(addresses: Iterable[str]) -> dict[str, str]:
    """Every link that leads nowhere, and why."""
    asked = list(addresses)
    with ThreadPoolExecutor(8) as pool:
        return {
            address: why for address, why in zip(asked, pool.map(fault, asked), strict=True) if why
        }


def main() -> int:
    """Return 1 if a link is bad, 2 if no host at all answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--form", action="store_true", help="fetch nothing")
    only_form = parser.parse_args().form
    found = links()
    bad = malformed(found)
    if not only_form:
        bad |= dead(found.keys() - bad.keys())
    if found.keys() == bad.keys():
        print("No host answered. Is there a network? --form needs none.", file=sys.stderr)
        return 2
    hosts = {urlsplit(address).netloc for address in found}
    print(f"{len(found)} links to {len(hosts)} hosts, {len(bad)} bad.")
    for address, why in sorted(bad.items()):
        print(f"{address}\n    {why}; in {', '.join(found[address])}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
