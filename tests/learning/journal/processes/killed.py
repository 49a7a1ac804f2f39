"""Kills processes while they write: `killed.py AT_LEAST`. Prints what was found, as JSON.

Each writer says through a pipe what it has kept. It is killed somewhere in what it does next.
"""

import json
import os
import random
import signal
import sys
import time

from grader.learning.journal import Help, journal_path, keep, read_journal


def write(pipe: int, first: int) -> None:
    """Keep one hint after the other, and say so."""
    for number in range(first, first + 1_000_000):
        if keep(lambda journal, number=number: journal.add_help(Help("03", number))):
            os._exit(1)
        os.write(pipe, number.to_bytes(8, "big"))


lost, landed, kills = [], 0, 0
# A file of some size, so that most of a writer's time goes into writing.
keep(lambda journal: journal.help.extend(Help("01", 1) for _ in range(3000)))
while kills < int(sys.argv[1]) or (landed < 3 and kills < 1000):
    kills += 1
    first = len(read_journal()[0].help)
    ours, theirs = os.pipe()
    if (child := os.fork()) == 0:
        write(theirs, first)
    os.close(theirs)
    answer = os.read(ours, 8)
    time.sleep(random.uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(ours, 8):
        answer = more
    os.close(ours)
    landed += journal_path().with_suffix(".new").exists()
    kept, notice = read_journal()
    numbers = [hint.number for hint in kept.help if hint.exercise == "03"]
    acknowledged = int.from_bytes(answer, "big")
    if notice or numbers[-1] not in (acknowledged, acknowledged + 1) or len(kept.help) < 3000:
        lost.append([notice, acknowledged, numbers[-3:]])
print(json.dumps({"lost": lost, "landed_while_writing": landed}))
