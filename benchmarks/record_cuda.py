"""Record what CUDA does and says, on whatever CUDA is here.

    python benchmarks/record_cuda.py [--out FOLDER] [--simulated] [--shard I/N] [PART ...]

The parts are mixing and situations; both, if none is named. PyTorch's CUDA build is needed: with a
GPU the recording bears the GPU's name, without one it says that kernels did not run. `--simulated`
records the simulated device instead; `SIMULATED_CUDA_IMPLEMENTATION` names which implementation.
Each part is one file. It goes to tests/simulated_cuda/recordings/ if no folder is named: a test
holds the simulated device to what is there.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "simulated_cuda")]

import torch  # noqa: E402
from recording import files, record  # noqa: E402

PARTS = ("mixing", "situations")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="mixing or situations; both, if none is named")
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
    if not options.parts or "mixing" in options.parts:
        entries = record.mixed(options.simulated, options.shard)
        files.write_mixing(options.out / f"mixing-{version}.jsonl", header, entries)
        print(f"{len(entries)} entries on {header['device']}")


if __name__ == "__main__":
    main()
