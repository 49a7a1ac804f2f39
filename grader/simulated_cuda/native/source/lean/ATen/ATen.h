// In place of PyTorch's header, which declares all operators, for 2 s of the compiler's time and
// 100 MB. Of the headers that we include, only torch/csrc/distributed/c10d/Work.hpp asks for it,
// and needs tensors. A PyTorch that is not known yet gets its own.
#pragma once
#include <torch/version.h>
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR <= 15
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#else
#include_next <ATen/ATen.h>
#endif
