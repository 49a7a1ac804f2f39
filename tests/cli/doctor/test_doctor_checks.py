"""What the doctor says of machines that are not here: from facts written by hand to lines."""

from dataclasses import replace

import pytest

from grader.cli.doctor import MachineFacts, Torch, diagnose, to_text

WELL = MachineFacts(
    system="Linux",
    python="3.12.4",
    executable="/home/ada/course/.venv/bin/python",
    home="venv",
    torch=Torch("2.13.0+cpu"),
    packages={
        "jupyterlab": "4.6.6",
        "ipykernel": "7.4.0",
        "ipywidgets": "8.1.9",
        "anywidget": "0.11.0",
        "matplotlib": "3.11.2",
    },
    course="/home/ada/course",
    journal="/home/ada/.local/share/wheres-my-tensor/journal.json",
)
ON_CUDA = Torch("2.13.0+cu130", built="CUDA 13.0", gpus=("NVIDIA H200",))
NO_TORCH = Torch(error="ModuleNotFoundError: No module named 'torch'")
BROKEN = Torch(error="ImportError: libcudart.so.13: cannot open shared object file: No such file")
OLD_DRIVER = Torch(
    "2.13.0+cu130",
    built="CUDA 13.0",
    warnings=(
        "CUDA initialization: The NVIDIA driver on your system is too old (found version 11040). "
        "Please update your GPU driver by downloading and installing a new version.",
    ),
)
MACHINES = {
    "well": WELL,
    "gpu": replace(WELL, torch=ON_CUDA, nvidia=("NVIDIA H200, 580.1",)),
    "amd": replace(WELL, torch=Torch("2.13.0", built="ROCm 7.1", gpus=("AMD Instinct MI300X",))),
    "no_torch": replace(WELL, torch=NO_TORCH),
    "no_torch_uv": replace(WELL, torch=NO_TORCH, home="uv"),
    "no_torch_system": replace(
        WELL, torch=NO_TORCH, home="managed system", executable="/usr/bin/python3"
    ),
    "broken_torch": replace(WELL, torch=BROKEN),
    "old_torch": replace(WELL, torch=Torch("2.4.1")),
    "old_driver": replace(WELL, torch=OLD_DRIVER, nvidia=("Tesla T4, 470.82",)),
    "cpu_build": replace(WELL, nvidia=("NVIDIA GeForce RTX 4070, 560.35",)),
    "cpu_build_windows": replace(
        WELL,
        system="Windows",
        executable=r"C:\Users\Ada L\course\.venv\Scripts\python.exe",
        nvidia=("NVIDIA GeForce RTX 4070, 560.35",),
        unwritable=(r"C:\course\exercises\03_member_tensors.py",),
    ),
    "newer": replace(WELL, torch=Torch("2.99.1+cpu")),
    "no_notebooks": replace(WELL, packages={}, is_checkout=True),
    "bare": replace(WELL, course="", unwritable=(WELL.journal,)),
    "plain": replace(WELL, packages={}, course="", journal=""),
    "plain_checkout": replace(WELL, is_checkout=True, journal=""),
    "native": replace(WELL, library="built"),
    "native_later": replace(WELL, library="to build"),
    "no_compiler": replace(WELL, library="no compiler"),
    "failed_compiler": replace(WELL, library="failed"),
    "read_only": replace(WELL, unwritable=("/home/ada/course/exercises",)),
}


@pytest.mark.parametrize("name", MACHINES)
def test_each_machine_is_told_what_fixes_it(name, golden):
    golden(f"doctor_{name}", to_text(diagnose(MACHINES[name])) + "\n")
