"""`SIMULATED_CUDA=2` in the environment: what site-packages' .pth file does at Python's start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PTH = Path(__file__).parents[2] / "grader" / "simulated_cuda" / "startup.pth"


def python(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a Python that reads the .pth file, with these variables."""
    (folder / "startup.pth").write_text(PTH.read_text())
    script = folder / "script.py"
    script.write_text(f"import site; site.addsitedir({str(folder)!r})\n{code}")
    ours = ("SIMULATED_CUDA", "SIMULATED_CUDA_NOTICE")
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    command = [sys.executable, str(script)]
    return subprocess.run(
        command, capture_output=True, text=True, env={**clean, **environment}, check=False
    )


def test_without_torch_it_imports_no_torch(tmp_path: Path) -> None:
    code = "import sys; print('torch' in sys.modules)"

    assert python(tmp_path, code, SIMULATED_CUDA="2").stdout == "False\n"


@pytest.mark.parametrize("value", ["", None])
def test_unset_it_imports_nothing(tmp_path: Path, value: str | None) -> None:
    code = "import sys; print(sorted(n for n in sys.modules if n.startswith('grader.')))"
    environment = {} if value is None else {"SIMULATED_CUDA": value}

    assert python(tmp_path, code, **environment).stdout == "[]\n"


def test_a_wrong_value_is_a_warning_and_torch_works(tmp_path: Path) -> None:
    ran = python(tmp_path, "import torch; print(torch.ones(1))", SIMULATED_CUDA="two")

    assert ran.stdout == "tensor([1.])\n"
    assert "The simulated CUDA device stays off: SIMULATED_CUDA is 'two'. Set it to" in ran.stderr


def test_spawned_children_have_it_and_where_nobody_wants_to_hear_of_it_say_nothing(
    tmp_path: Path,
) -> None:
    code = """
def work(queue):
    import torch
    queue.put(torch.ones(1, device="cuda:1").device.index)

if __name__ == "__main__":
    import multiprocessing
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=work, args=(queue,))
    child.start()
    print(queue.get(timeout=60))
    child.join()
"""
    ran = python(tmp_path, code, SIMULATED_CUDA="2", SIMULATED_CUDA_NOTICE="0")

    assert (ran.stdout, ran.stderr) == ("1\n", "")


NOTICE = '"cuda" is simulated in this program, as SIMULATED_CUDA=3 is set. Unset it to turn'


def test_the_device_is_on_as_soon_as_torch_is_imported_and_a_program_says_so_once(
    tmp_path: Path,
) -> None:
    code = """
import subprocess, sys, torch
print(torch.cuda.device_count(), torch.ones(1).cuda(2).device)
print(type(torch.__spec__.loader).__name__, *vars(torch.__loader__))
sys.argv[1:] or subprocess.run([sys.executable, sys.argv[0], "in a child"])
"""
    ran = python(tmp_path, code, SIMULATED_CUDA="3")

    lines = ["3 cuda:2", "SourceFileLoader name path"]  # torch keeps its own loader
    assert sorted(ran.stdout.splitlines()) == sorted(2 * lines)
    (line,) = ran.stderr.splitlines()
    assert line.startswith(NOTICE)


def test_in_pytest_it_says_nothing(tmp_path: Path) -> None:
    ran = python(tmp_path, "import pytest, torch", SIMULATED_CUDA="2")

    assert (ran.returncode, ran.stderr) == (0, "")
