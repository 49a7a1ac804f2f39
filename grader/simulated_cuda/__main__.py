"""Print each name of PyTorch that the device replaces: `python -m grader.simulated_cuda`."""

from . import simulated_cuda
from .choice import load


def main() -> None:
    """One line for each name, on this machine's implementation and build of PyTorch."""
    with simulated_cuda():
        table = load().replaced()
    for owner, name, _, why in table:
        print(f"{getattr(owner, '__name__', owner)}.{name}: {why}")
    print(f"{len(table)} names")


if __name__ == "__main__":
    main()
