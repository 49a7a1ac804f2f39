#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image. It brings its own Python, since the image's
# may be too old, and the PyTorch build without CUDA, since Gradescope has no GPU.
set -euo pipefail

apt-get update
apt-get install -y --no-install-recommends libseccomp2 python3 python3-venv
python3 -m venv /opt/uv
/opt/uv/bin/pip install uv
export UV_PYTHON_INSTALL_DIR=/opt/python  # not below /root: answers run as another user
/opt/uv/bin/uv venv --python 3.12 /autograder/venv
/opt/uv/bin/uv pip install --python /autograder/venv/bin/python \
    --extra-index-url https://download.pytorch.org/whl/cpu --index-strategy unsafe-best-match \
    -c /autograder/source/grader/constraints.txt \
    "/autograder/source/grader/$wheel[learn,classroom]"
