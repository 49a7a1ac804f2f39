import os
import sys

import pytest

from grader.containment.huge_pages import HUGE, use_huge_pages

ENOUGH = 4 * HUGE  # so that at least three whole ones are in it


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has them")
def test_what_a_process_and_its_copy_hold_stays_what_it_was():
    numbers = bytearray(os.urandom(ENOUGH))
    before = bytes(numbers)

    use_huge_pages()
    copy = os.fork()
    if not copy:
        numbers[::4096] = bytes(len(numbers[::4096]))  # a byte of every page
        os._exit(0 if numbers[1::4096] == before[1::4096] else 1)

    assert os.waitpid(copy, 0)[1] == 0
    assert numbers == before
