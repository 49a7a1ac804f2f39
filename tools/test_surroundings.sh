#!/bin/sh
# Run quick tests where nobody tried them first. Linux, as root: sudo sh tools/test_surroundings.sh [TESTS]
# The checkout lies in a path with a space and an umlaut and belongs to `nobody`; once all is installed
# there is no network but the loopback; time zone and language are odd; the order is random. They run
# twice, since the second run finds what the first one left: a compiled device, caches, a journal.
# Another Python, which every user can read: PYTHON=/usr/bin/python3.12
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM # dash runs no EXIT trap when a signal ends it
checkout="$scratch/Übung mit Raum/kurs"
git clone --quiet "$(dirname "$0")/.." "$checkout"
cd "$checkout"
"${PYTHON:-python3}" -m venv .venv
.venv/bin/python -m pip install --quiet --no-compile -c constraints.txt pytest-randomly -e '.[notebooks,site,tests]'
chown -R nobody "$scratch"

LC_ALL=tr_TR.UTF-8 locale charmap 2>/dev/null | grep -q UTF-8 ||
    echo "There is no tr_TR.UTF-8 here, so the language is C: install it with localedef." >&2
export HOME="$scratch" TZ=Asia/Kathmandu LC_ALL=tr_TR.UTF-8 OMP_NUM_THREADS=1
unset PYTHONDONTWRITEBYTECODE # or each process would compile PyTorch's Python files again
[ $# -gt 0 ] || set -- tests
for run in first second; do
    echo "The $run run:"
    unshare --net sh -c 'ip link set lo up && exec setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"' sh \
        .venv/bin/python -m pytest -q -n auto -p no:cacheprovider -m "not (search or nightly)" "$@"
done
