// What PyTorch's common code asks of CUDA: is it there, with which libraries, which generator.
#pragma once
#include <ATen/detail/CUDAHooksInterface.h>

#include "randomness.h"

namespace simulated_cuda {
// The size of each device's cache of cuFFT plans. There are none, but code sets and reads the size.
inline std::array<int64_t, kMaxDevices>& most_plans() {
  static std::array<int64_t, kMaxDevices> sizes = [] {
    std::array<int64_t, kMaxDevices> all;
    all.fill(4096);
    return all;
  }();
  return sizes;
}

// The hooks say that cuDNN is available, so PyTorch's own code chooses the operators it would
// choose on a GPU (`cudnn_convolution`, `_cudnn_rnn`): their names are in errors and in `grad_fn`.
struct Hooks final : CUDAHooksInterface {
  void init() const override {}
  bool hasCUDA() const override { return true; }
  bool hasCUDART() const override { return true; }
  bool hasCuDNN() const override { return true; }
  bool hasCuSOLVER() const override { return true; }
  bool hasCuBLASLt() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count > 0; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  const Generator& getDefaultGenerator(DeviceIndex index) const override {
    return generator_of(index);
  }
  Generator getNewGenerator(DeviceIndex index) const override {
    if (!device_count) check_ordinal(0);
    return make_generator<Random>(index);
  }
  Device getDeviceFromPtr(void*) const override {
    return {kDevice, simulated_cuda::current_device};
  }
  bool isPinnedPtr(const void* data) const override { return pinned_memory().holds(data); }
  Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory(); }
  Allocator* getCUDADeviceAllocator() const override { return &device_memory(); }
  bool compiledWithCuDNN() const override { return true; }
  bool supportsDilatedConvolutionWithCuDNN() const override { return true; }
  bool supportsDepthwiseConvolutionWithCuDNN() const override { return true; }
  bool supportsBFloat16ConvolutionWithCuDNNv8() const override { return true; }
  bool supportsBFloat16RNNWithCuDNN() const override { return true; }
  long versionCuDNN() const override { return 91900; }
  long versionRuntimeCuDNN() const override { return 91900; }
  long versionCuDNNFrontend() const override { return 11800; }
  long versionCUDART() const override { return 13000; }
  std::string showConfig() const override { return "  - Simulated CUDA device, without CUDA\n"; }
  double batchnormMinEpsilonCuDNN() const override { return 0.0; }
  int64_t cuFFTGetPlanCacheMaxSize(DeviceIndex index) const override {
    return most_plans().at(or_current(index));
  }
  // aten/src/ATen/native/cuda/CuFFTPlanCache.h, resize
  void cuFFTSetPlanCacheMaxSize(DeviceIndex index, int64_t size) const override {
    TORCH_CHECK(size >= 0, "cuFFT plan cache size must be non-negative, but got ", size);
    most_plans().at(or_current(index)) = size;
  }
  int64_t cuFFTGetPlanCacheSize(DeviceIndex) const override { return 0; }
  void cuFFTClearPlanCache(DeviceIndex) const override {}
  DeviceIndex current_device() const override { return simulated_cuda::current_device; }
  DeviceIndex deviceCount() const override { return device_count; }
  DeviceIndex getCurrentDevice() const override { return simulated_cuda::current_device; }
  void setCurrentDevice(DeviceIndex index) const override { guard().setDevice({kDevice, index}); }
  DeviceIndex exchangeDevice(DeviceIndex index) const override {
    return guard().exchangeDevice({kDevice, index}).index();
  }
  DeviceIndex maybeExchangeDevice(DeviceIndex index) const override {
    return exchangeDevice(index);
  }
  int getNumGPUs() const override { return device_count; }
  void deviceSynchronize(DeviceIndex index) const override { guard().synchronizeDevice(index); }
};

// `import torch` asks for the hooks, and PyTorch keeps the object it got for good
// (ATen/detail/CUDAHooksInterface.cpp): there is no way to give it another. The hooks have no data,
// only virtual functions, so the object becomes ours when the pointer to its table of functions is
// replaced, and is PyTorch's again when that is put back.
class HooksSwap {
 public:
  void put_ours() {
    if (before_) return;
    static Hooks ours;
    before_ = table(&at::detail::getCUDAHooks());
    table(&at::detail::getCUDAHooks()) = table(&ours);
  }
  void put_back() {
    if (!before_) return;
    table(&at::detail::getCUDAHooks()) = before_;
    before_ = nullptr;
  }

 private:
  static_assert(sizeof(Hooks) == sizeof(CUDAHooksInterface) && sizeof(Hooks) == sizeof(void*),
                "the hooks hold data now");
  static void*& table(const void* object) {
    return *static_cast<void**>(const_cast<void*>(object));
  }
  void* before_ = nullptr;
};
}  // namespace simulated_cuda
