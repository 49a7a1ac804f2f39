#!/bin/sh
# Build the stand-in for the PyTorch in a virtual environment: build.sh VENV OUT
set -e
here=$(cd "$(dirname "$0")" && pwd)
site=$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
out=$2
mkdir -p "$out"
compile() {
    gcc -O1 -fPIC -w -I"$site/nvidia/cu13/include" -I"$site/nvidia/cudnn/include" \
        -I"$site/nvidia/nccl/include" -I"$site/nvidia/cusparselt/include" -c "$1" -o "$2"
}
compile "$here/runtime.c" "$out/runtime.o"
compile "$here/libraries.c" "$out/libraries.o"
"$1/bin/python" "$here/make_stubs.py" "$site" "$out/runtime.o" "$out/libraries.o" > "$out/stubs.c"
compile "$out/stubs.c" "$out/stubs.o"
gcc -shared -o "$out/libcudastandin.so" "$out/runtime.o" "$out/libraries.o" "$out/stubs.o" -lpthread
# PyTorch opens these two by name: empty libraries, through which the loader finds the stand-in.
for name in libcuda.so.1 libnvrtc.so.13; do
    gcc -shared -x c /dev/null -Wl,-soname,$name -Wl,--no-as-needed -L"$out" -lcudastandin \
        -Wl,-rpath,'$ORIGIN' -o "$out/$name"
done
echo "Built the CUDA stand-in in $out."
