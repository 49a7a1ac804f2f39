"""The command that fixes each thing, for this system and this environment."""

from __future__ import annotations

from dataclasses import dataclass

from grader.cli.doctor.facts import MachineFacts

TORCH = "torch>=2.11"
NOTEBOOKS = (
    "jupyterlab>=4.4",
    "ipywidgets>=8.1",
    "anywidget>=0.9.18",
    "matplotlib>=3.9",
    "nbval>=0.11",
)
WITHOUT = "or go on without: the simulated device needs none"
CONDA_NAMES = {"torch": "pytorch"}


@dataclass(frozen=True)
class Remedies:
    """What to type."""

    facts: MachineFacts

    @property
    def python(self) -> str:
        if self.facts.home == "conda":
            return 'conda install -c conda-forge "python>=3.11"'
        return "Install Python 3.11 or newer (https://www.python.org/downloads), and set up anew."

    @property
    def torch(self) -> str:
        return self.install(TORCH, "--upgrade")

    @property
    def torch_anew(self) -> str:
        """The same version again, with all its files."""
        return self.install(TORCH, "--force-reinstall")

    @property
    def try_torch(self) -> str:
        """How to see whether the course works with this PyTorch."""
        return "grader check --all --solutions, where every solution must pass; or go on"

    @property
    def torch_for_cuda(self) -> str:
        if self.facts.home == "conda":
            return f'conda install -c conda-forge "pytorch-gpu>={TORCH[7:]}"; {WITHOUT}'
        if self.facts.system == "Linux":
            return f"{self.install(TORCH, '--force-reinstall')}; {WITHOUT}"
        return f"The command for CUDA that https://pytorch.org/get-started gives; {WITHOUT}"

    @property
    def driver(self) -> str:
        return f"Install the newest driver: https://www.nvidia.com/drivers; {WITHOUT}"

    @property
    def compiler(self) -> str:
        how = {"Darwin": "xcode-select --install", "Linux": "Install g++ with your package manager"}
        return f"{how.get(self.facts.system, 'Set CXX to a C++ compiler')}; or go on without"

    @property
    def compile_again(self) -> str:
        """The library once more, with the compiler's words in the log."""
        python = _quote(self.facts.executable)
        return f"{python} -m grader.simulated_cuda.native.build; or go on without"

    @property
    def learn(self) -> str:
        if self.facts.is_checkout:
            return self._pip("-c constraints.txt -e", ".[learn]")
        return self._pip("", "wheres-my-tensor[learn]")

    @property
    def notebooks(self) -> str:
        if self.facts.is_checkout and self.facts.home != "conda":
            return self._pip("-c constraints.txt -e", ".[notebooks]")
        return self.install(*NOTEBOOKS)

    def install(self, *packages: str) -> str:
        """Install packages by name; words that begin with a dash are options of pip."""
        options = [package for package in packages if package.startswith("-")]
        names = [package for package in packages if not package.startswith("-")]
        if self.facts.home == "conda":
            renamed = (_for_conda(name) for name in names)
            again = " --force-reinstall" if "--force-reinstall" in options else ""
            return f"conda install -c conda-forge{again} " + " ".join(f'"{n}"' for n in renamed)
        return self._pip(" ".join(options), *names)

    def again(self, package: str) -> str:
        """Install a package again, with all its files."""
        return self.install(package, "--force-reinstall")

    def _pip(self, options: str, *names: str) -> str:
        quoted = " ".join(f'"{name}"' for name in names)
        install = f"pip install {options} {quoted}".replace("  ", " ")
        python = _quote(self.facts.executable)
        if self.facts.home == "uv":
            return f"uv {install} --python {python}"
        if self.facts.home != "managed system":
            return f"{python} -m {install}"
        # This Python belongs to the system, whose pip refuses to touch it.
        return f"{python} -m venv .venv && .venv/bin/python -m {install}"


def _for_conda(requirement: str) -> str:
    name, sign, least = requirement.partition(">=")
    return f"{CONDA_NAMES.get(name, name)}{sign}{least}"


def _quote(path: str) -> str:
    return f'"{path}"' if " " in path else path
