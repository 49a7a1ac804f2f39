"""Writes a stub for each library call that PyTorch's CUDA build needs and nobody wrote by hand.

    python make_stubs.py SITE_PACKAGES OBJECT... > stubs.c

The names are the undefined symbols of PyTorch's libraries less those that the objects define; the
prototypes come from NVIDIA's headers in the installed packages. A stub returns success, writes 0
through pointers to numbers, and a pointer to an empty buffer through pointers to handles.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

INCLUDES = ("cu13", "cudnn", "nccl", "cusparselt")
HEADERS = (
    "cuda.h", "cuda_runtime_api.h", "cublas_v2.h", "cublasLt.h", "cusparse.h", "cusolverDn.h",
    "cusolverSp.h", "cufftXt.h", "curand.h", "nvrtc.h", "cudnn.h", "nccl.h", "cusparseLt.h",
)  # fmt: skip
PYTORCH = (
    "libc10_cuda.so", "libtorch_cuda.so", "libtorch_cuda_linalg.so", "libtorch_python.so",
    "libtorch_cpu.so", "libcaffe2_nvrtc.so",
)  # fmt: skip
CUDAS = re.compile(r"(cuda|cublas|cusparse|cusolver|cufft|curand|cudnn|nccl|nvrtc|cu[A-Z])")
NOT_NEEDED = re.compile(r"cuFile|cupti")
# Calls that hand out handles.
CREATES = re.compile(r"Create|Init|Get|Generate|Open|Retain|Load|Instantiate|Begin|End|Add")
INCOMPLETE = ("", "const", "struct", "unsigned", "enum")  # a parameter's type without its name
BEGINNING = """
#include <string.h>
extern char standin_handle[];
extern void *standin_bytes(const void *);
#define TEXT ((void *)"CUDA stand-in")
/* GCC's type classes: 1 to 4 are integers, characters, enums and booleans, 5 is a pointer. */
#define ANSWER(out, creates) do { if (out) switch (__builtin_classify_type(*(out))) { \\
    case 5: if (creates) { void *handle = standin_handle; \\
        memcpy(standin_bytes(out), &handle, sizeof handle); } break; \\
    case 1: case 2: case 3: case 4: memset(standin_bytes(out), 0, sizeof *(out)); } } while (0)
"""


def main() -> None:
    site, objects = Path(sys.argv[1]), map(Path, sys.argv[2:])
    missing = set().union(
        *(symbols(site / "torch/lib" / name, "--undefined-only") for name in PYTORCH)
    )
    missing -= set().union(*(symbols(path, "--defined-only") for path in objects))
    names = [name for name in sorted(missing) if CUDAS.match(name) and not NOT_NEEDED.match(name)]
    declarations = preprocessed_headers(site)
    print("#include <stdalign.h>", *(f"#include <{name}>" for name in HEADERS), BEGINNING, sep="\n")
    for name in names:
        print(stub(name, declarations))


def symbols(path: Path, kind: str) -> set[str]:
    """The symbols of a library or object, of the kind that an option of `nm` chooses."""
    command = ["nm", kind, *(["-D"] if path.suffix == ".so" else []), str(path)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def preprocessed_headers(site: Path) -> str:
    """All of NVIDIA's declarations on one line, without GCC's extensions."""
    text = "".join(f"#include <{name}>\n" for name in HEADERS)
    folders = [f"-I{site}/nvidia/{name}/include" for name in INCLUDES]
    command = ["gcc", "-E", "-P", "-x", "c", "-", *folders]
    text = subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__asm__\s*\([^)]*\)", " ", text)
    return re.sub(r"\s+", " ", text.replace("__extension__", " "))


def stub(name: str, declarations: str) -> str:
    """A function that succeeds; without a prototype, one that takes anything and returns 0."""
    prototype = rf"(?:^|[;{{}}])([^;{{}}()]*?[\s*]){name} ?\(((?:[^()]|\([^()]*\))*)\) ?;"
    match = re.search(prototype, declarations)
    if not match:
        return f"long {name}(void) {{ return 0; }}"
    returns = re.sub(r"^(extern|static|inline)\s+", "", match[1].strip())
    inside = match[2].strip()
    given = [] if inside in ("", "void") else inside.split(",")
    creates = int(bool(CREATES.search(name)))
    pairs = [parameter(text, number, creates) for number, text in enumerate(given)]
    parameters = ", ".join(declared for declared, _ in pairs) or "void"
    body = " ".join(filter(None, (answer for _, answer in pairs)))
    result = (
        ""
        if returns == "void"
        else "return TEXT;"
        if "char" in returns
        else f"return ({returns})0;"
    )
    return f"{returns} {name}({parameters}) {{ {body} {result} }}"


def parameter(text: str, number: int, creates: int) -> tuple[str, str]:
    """How to declare a parameter, and the statement that answers through it, if it is a pointer."""
    text = re.sub(r"\s*=\s*\S+$", "", text.strip())  # a default value, in C++
    match = re.search(r"(\w+)\s*((?:\[[^]]*\])*)$", text)
    kind = text[: match.start()].strip() if match else text
    name = match[1] if match else ""
    if kind in INCOMPLETE or not match:
        kind, name = text, f"p{number}"
        text = f"{text} {name}"
    is_pointer = "*" in kind or "[" in text
    if is_pointer and "const" not in kind and not re.search(r"\bvoid\s*\*$", kind):
        return text, f"ANSWER({name}, {creates});"
    if "char" in kind and kind.count("*") == 2 and kind.count("const") == 1:
        return text, f"if ({name}) *{name} = TEXT;"
    return text, ""


if __name__ == "__main__":
    main()
