"""Memory on huge pages holds what it held, and is what forks share."""

import subprocess
import sys

import pytest

from grader.probe.containment.huge_pages import HUGE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="MADV_COLLAPSE is Linux's")

# Prints how much of a large array is on huge pages, before and after.
CODE = """
import ctypes
from pathlib import Path
from grader.probe.containment.huge_pages import allocated, use_huge_pages

def on_huge_pages():
    text = Path("/proc/self/smaps_rollup").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if "AnonHugePages" in line)

data = bytearray(range(256)) * 2**16
address = ctypes.addressof((ctypes.c_char * len(data)).from_buffer(data))
within = [begin <= address + len(data) // 2 < end for begin, end in allocated()]
before = on_huge_pages()
use_huge_pages()
print(sum(within), before, on_huge_pages(), data == bytearray(range(256)) * 2**16)
"""


def test_what_was_allocated_is_collapsed_and_unchanged():
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    within, before, after, is_equal = ran.stdout.split()
    assert (within, is_equal) == ("1", "True")
    if int(after) == int(before):
        pytest.skip("this kernel does not collapse on request: Linux 6.1 and newer do")
    assert int(after) - int(before) >= 4 * HUGE // 1024


def test_only_whole_huge_pages_of_memory_are_named():
    code = (
        "from grader.probe.containment.huge_pages import *\nfor pair in allocated(): print(*pair)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ranges = [tuple(map(int, line.split())) for line in ran.stdout.splitlines()]
    assert all(begin % HUGE == end % HUGE == 0 < end - begin for begin, end in ranges)
