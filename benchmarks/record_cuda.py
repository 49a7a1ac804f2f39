"""Record what CUDA does and says, on whatever CUDA is here.

    python benchmarks/record_cuda.py [--out FOLDER] [--simulated] [--shard I/N] [PART ...]

The parts are mixing, dtypes and situations; all, if none is named. PyTorch's CUDA build is needed:
with a GPU the recording bears the GPU's name, without one it says that kernels did not run.
`--simulated` records the simulated device instead; `SIMULATED_CUDA_IMPLEMENTATION` names which
implementation. Each part is one file. It goes to tests/simulated_cuda/recordings/ if no folder is
named: a test holds the simulated device to what is there.

The part `kernels` is not kept. It gives the dtypes that CUDA's kernels refuse, which the simulated
device is built with (grader/simulated_cuda/native/dtypes/), and must be named.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "simulated_cuda")]

import torch  # noqa: E402
from recording import files, record, refusals  # noqa: E402

PARTS = (*record.LISTED, "situations", "kernels")
TABLES = ROOT / "grader" / "simulated_cuda" / "native" / "dtypes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=" ".join(PARTS))
    parser.add_argument("--out", type=Path, default=ROOT / "tests/simulated_cuda/recordings")
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--shard", default="0/1", help="every N-th operator, from the I-th on")
    options = parser.parse_args()
    if set(options.parts) - set(PARTS):
        parser.error(f"the parts are {' and '.join(PARTS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    header = record.about(options.simulated)
    version = torch.__version__.split("+")[0]
    if not options.parts or "situations" in options.parts:
        facts = record.situated(options.simulated)
        files.write_situations(options.out / f"situations-{version}.json", header, facts)
        print(f"{len(facts)} situations on {header['device']}")
    if "kernels" in options.parts:
        rows = refusals.rows(record.kernels_seen(options.simulated))
        minor = version.rpartition(".")[0]
        (TABLES / f"{minor}.txt").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    for part in record.LISTED:
        if not options.parts or part in options.parts:
            entries = record.listed(part, options.simulated, options.shard)
            files.write_listed(options.out / f"{part}-{version}.jsonl", header, entries)
            print(f"{len(entries)} entries of {part} on {header['device']}")


if __name__ == "__main__":
    main()
