#!/bin/sh
# Run a command on the CUDA stand-in, with values: with_standin.sh BUILD COMMAND...
# STANDIN_COMPUTES=0 leaves the values out.
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
export LD_PRELOAD="$build/libcudastandin.so:$build/libcuda.so.1:$build/libnvrtc.so.13"
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$here/site-packages${PYTHONPATH:+:$PYTHONPATH}"
export USE_PYTORCH_KERNEL_CACHE=0        # PyTorch would keep what it compiled in the user's cache
export TRITON_CACHE_DIR="$build/triton"
export TORCH_CUDNN_V8_API_DISABLED=1     # the newer interface reads back graphs that a stub has not
if [ "$STANDIN_COMPUTES" = 0 ]; then     # freed memory reads as zeros, where PyTorch keeps none back
    export PYTORCH_NO_CUDA_MEMORY_CACHING=1
fi
exec "$@"
