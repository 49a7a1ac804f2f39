// The devices: how many there are, which one is current, their streams and events.
#pragma once
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <chrono>

#include "memory.h"

namespace simulated_cuda {
inline DeviceIndex or_current(DeviceIndex index) { return index < 0 ? current_device : index; }

// `torch.cuda.set_sync_debug_mode` (c10/cuda/CUDAFunctions.cpp): where CUDA would wait for the
// device, 1 warns and 2 raises.
inline std::atomic<int64_t> sync_debug_mode{0};
inline void about_to_synchronize() {
  auto mode = sync_debug_mode.load(std::memory_order_relaxed);
  if (!mode) return;
  TORCH_CHECK(mode != 2, "called a synchronizing CUDA operation");
  TORCH_WARN("called a synchronizing CUDA operation");
}

// All work is done when a call returns, so a stream is a number and an event a point in time.
struct Moment {
  std::chrono::steady_clock::time_point time;
};
inline thread_local std::array<c10::StreamId, kMaxDevices> current_streams{};
inline std::atomic<c10::StreamId> next_stream{1};

// While one lives, there are no devices in this thread; others go on with theirs.
inline thread_local bool are_hidden = false;
struct Hidden {
  Hidden() { are_hidden = true; }
  ~Hidden() { are_hidden = false; }
};

struct Guard final : c10::impl::DeviceGuardImplInterface {
  DeviceType type() const override { return kDevice; }
  Device exchangeDevice(Device device) const override {
    auto before = current_device;
    setDevice(device);
    return {kDevice, before};
  }
  Device getDevice() const override { return {kDevice, current_device}; }
  void setDevice(Device device) const override {
    if (device.index() < 0) return;
    check_ordinal(device.index());
    current_device = device.index();
  }
  void uncheckedSetDevice(Device device) const noexcept override {
    if (device.index() >= 0) current_device = device.index();
  }
  Stream getStream(Device device) const override {
    auto index = or_current(device.index());
    // Autograd asks for tensors that outlive the device too, where nothing may be raised.
    TORCH_CHECK(!device_count || index < device_count, "Device index value ", int(index),
                " is out of index range [0, ", device_count.load(), ")");
    return Stream(Stream::UNSAFE, {kDevice, index}, current_streams.at(index));
  }
  Stream getDefaultStream(Device device) const override {
    return Stream(Stream::DEFAULT, {kDevice, or_current(device.index())});
  }
  Stream getStreamFromGlobalPool(Device device, bool) const override {
    return getNewStream(device, 0);
  }
  Stream getNewStream(Device device, int) const override {
    return Stream(Stream::UNSAFE, {kDevice, or_current(device.index())}, next_stream++);
  }
  Stream exchangeStream(Stream stream) const override {
    auto before = getStream(stream.device());
    current_streams.at(stream.device_index()) = stream.id();
    return before;
  }
  void* getStreamNativeHandle(const Stream stream) const override {
    // As `StreamBase.cuda_stream` in patches/streams.py says it.
    return reinterpret_cast<void*>(stream.id() ? 0x10000000 + 0x100 * stream.id() : 0);
  }
  DeviceIndex deviceCount() const noexcept override { return are_hidden ? 0 : device_count.load(); }
  void destroyEvent(void* event, const DeviceIndex) const noexcept override {
    delete static_cast<Moment*>(event);
  }
  void record(void** event, const Stream&, const DeviceIndex, const EventFlag) const override {
    if (!*event) *event = new Moment();
    static_cast<Moment*>(*event)->time = std::chrono::steady_clock::now();
  }
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}
  void synchronizeEvent(void*) const override {}
  void synchronizeDevice(const DeviceIndex index) const override {
    if (index >= 0) check_ordinal(index);
  }
  void recordDataPtrOnStream(const DataPtr&, const Stream&) const override {}
  double elapsedTime(void* from, void* to, const DeviceIndex) const override {
    TORCH_CHECK(from && to, "Both events must be recorded before calculating elapsed time.");
    std::chrono::duration<double, std::milli> passed =
        static_cast<Moment*>(to)->time - static_cast<Moment*>(from)->time;
    return passed.count();
  }
};
inline Guard& guard() {
  static auto* one =
      new Guard();  // its destructor is private to PyTorch: registries keep a pointer for good
  return *one;
}
}  // namespace simulated_cuda
