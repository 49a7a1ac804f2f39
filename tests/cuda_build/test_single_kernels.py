"""What the simulated device is held to for single kernels is what PyTorch's CUDA build does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cuda_build
FACTS = Path(__file__).parents[1] / "simulated_cuda" / "kernel_facts.py"
CODE = "import json, kernel_facts; print(json.dumps(kernel_facts.FACTS))"


def test_every_fact() -> None:
    # Values are of no use here, and the stand-in computes none of quantised tensors.
    plain = {"STANDIN_COMPUTES": "0", "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    environment = {**os.environ, **plain}

    def run(*arguments: str) -> dict[str, object]:
        command = [sys.executable, "-W", "ignore", *arguments]
        ran = subprocess.run(
            command, capture_output=True, text=True, check=True, env=environment, cwd=FACTS.parent
        )
        return json.loads(ran.stdout)  # type: ignore[no-any-return]

    assert run(str(FACTS)) == run("-c", CODE)
