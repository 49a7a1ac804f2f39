// The memory of the device: a storage on the device has the memory of a storage on the CPU.
#pragma once
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/COW.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include "caching_allocator.h"

namespace simulated_cuda {
// The end of CUDA's errors: torch 2.13 adds a line (c10/cuda/CUDAMiscFunctions.cpp).
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 14
#define CUDA_ERROR_ENDING "For more detailed error information, run with CUDA_LOG_FILE=stderr\n"
#else
#define CUDA_ERROR_ENDING ""
#endif

[[noreturn]] inline void raise_cuda_error(int32_t code, const char* message,
                                          const char* more = "") {
  throw c10::AcceleratorError({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, code,
                              c10::str("CUDA error: ", message, "\n", CUDA_ERROR_ENDING, more));
}
// Every call of the CUDA runtime with an invalid device raises this.
inline void check_ordinal(int64_t index) {
  if (index >= 0 && index < device_count) return;
  constexpr int32_t cudaErrorNoDevice = 100;
  if (!device_count)
    raise_cuda_error(cudaErrorNoDevice,
                     "no CUDA-capable device is detected\nSearch for `cudaErrorNoDevice' in "
                     "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for "
                     "more information.",
                     "Device-side assertions were explicitly omitted for this error check; the "
                     "error probably arose while initializing the DSA handlers.");
  constexpr int32_t cudaErrorInvalidDevice = 101;
  raise_cuda_error(
      cudaErrorInvalidDevice,
      "invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?");
}

struct Block {
  c10::intrusive_ptr<StorageImpl> host;
  size_t bytes;
  DeviceIndex device;
  size_t slot;
};
inline void drop_block(void* context) {
  auto* block = static_cast<Block*>(context);
  if (block->bytes) ledgers()[block->device].remove(block->slot, block->bytes);
  delete block;
}

// ---- Copy-on-write (c10/core/impl/COW.cpp)

// PyTorch shares memory between lazy clones only through a pointer whose context is the memory
// itself, and ours has the block there. So the block of shared memory is in a table, by the
// memory's address.
struct SharedBlocks {
  std::mutex mutex;
  std::unordered_map<const void*, Block*> by_address;
};
inline SharedBlocks& shared_blocks() {
  static auto* all = new SharedBlocks();  // tensors may outlive static objects
  return *all;
}
inline void drop_shared(void* memory) {
  Block* block;
  {
    std::lock_guard<std::mutex> lock(shared_blocks().mutex);
    block = shared_blocks().by_address.extract(memory).mapped();
  }
  drop_block(block);
}
inline bool is_lazy_clone(const Storage& storage) {
  return c10::impl::cow::is_cow_data_ptr(storage.data_ptr());
}

inline Block* block_of(const Storage& storage) {
  auto& pointer = storage.data_ptr();
  if (pointer.get_deleter() == &drop_block) return static_cast<Block*>(pointer.get_context());
  if (pointer.get_deleter() != &drop_shared && !is_lazy_clone(storage)) return nullptr;
  std::lock_guard<std::mutex> lock(shared_blocks().mutex);
  auto found = shared_blocks().by_address.find(pointer.get());
  return found == shared_blocks().by_address.end() ? nullptr : found->second;
}
// Moves the block of a storage to the table. False: the memory is not ours, or shared already.
inline bool share(StorageImpl& storage) {
  auto& pointer = storage._mutable_data_ptr_no_checks();
  if (pointer.get_deleter() != &drop_block) return pointer.get_deleter() == &drop_shared;
  void* memory = pointer.get();
  auto device = pointer.device();
  std::lock_guard<std::mutex> lock(shared_blocks().mutex);
  if (!memory || !shared_blocks()
                      .by_address.emplace(memory, static_cast<Block*>(pointer.get_context()))
                      .second)
    return false;
  pointer.release_context();
  storage.set_data_ptr_noswap({memory, memory, &drop_shared, device});
  return true;
}
// Before a kernel writes: a lazy clone gets its own memory.
inline void own_memory(const Tensor& tensor) {
  if (!tensor.defined() || !tensor.unsafeGetTensorImpl()->has_storage() ||
      !is_lazy_clone(tensor.storage()))
    return;
  c10::OptionalDeviceGuard there(tensor.device());
  tensor.storage().mutable_data();
}

// A device pointer that shows `host`. CUDA's allocator gives no pointer for zero bytes.
inline DataPtr show(c10::intrusive_ptr<StorageImpl> host, DeviceIndex device) {
  size_t bytes = host->nbytes();
  auto& ledger = ledgers()[device];
  if (bytes && !ledger.has_room(bytes)) refuse_memory(bytes, device);
  void* data = host->mutable_data();
  auto* block = new Block{std::move(host), bytes, device, bytes ? ledger.add(bytes) : 0};
  return {data, block, &drop_block, Device(kDevice, device)};
}

// The CPU's allocator. While a kernel of the device computes, what the CPU does not have is what
// the device does not have: its results and what it needs meanwhile are refused as CUDA refuses
// them.
struct HostMemory final : Allocator {
  Allocator* plain = nullptr;  // PyTorch's
  static inline thread_local DeviceIndex computing_for = -1;

  DataPtr allocate(size_t bytes) override {
    if (computing_for < 0) return plain->allocate(bytes);
    try {
      // Linux grants more than there is, and kills the process when it is used.
      if (bytes <= host_capacity()) return plain->allocate(bytes);
    } catch (const c10::Error&) {
      refuse(bytes);
    }
    refuse(bytes);
  }
  DeleterFnPtr raw_deleter() const override { return plain->raw_deleter(); }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    plain->copy_data(to, from, bytes);
  }

 private:
  [[noreturn]] static void refuse(size_t bytes) {
    ledgers()[computing_for].release_for_retry();
    refuse_memory(bytes, computing_for);
  }
};
inline HostMemory& host_memory() {
  static auto* memory = new HostMemory();  // storages keep a pointer to it
  return *memory;
}
// In its scope this thread computes for a device.
struct Computing {
  explicit Computing(DeviceIndex device)
      : before(std::exchange(HostMemory::computing_for, device)) {}
  ~Computing() { HostMemory::computing_for = before; }
  DeviceIndex before;
};

// c10/cuda/CUDACachingAllocator.cpp, assertValidDevice; the number goes into the text as a byte.
inline Ledger& ledger_of(DeviceIndex device) {
  TORCH_CHECK(device >= 0 && device < device_count, "Invalid device argument ", device,
              ": did you call init?");
  return ledgers()[device];
}

struct DeviceMemory final : c10::DeviceAllocator {
  DataPtr allocate(size_t bytes) override {
    Computing computing(current_device);
    return show(c10::make_intrusive<StorageImpl>(StorageImpl::use_byte_size_t(), bytes,
                                                 &host_memory(), true),
                current_device);
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  bool initialized() override { return is_started; }
  void emptyCache(c10::MempoolId_t = {0, 0}) override {
    for (int d = 0; d < device_count; ++d) ledgers()[d].empty_cache();
  }
  void recordStream(const DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(DeviceIndex device) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    auto figures = ledger_of(device).figures();
    c10::CachingAllocator::StatArray* fields[] = {
        &stats.allocation,      &stats.segment,
        &stats.active,          &stats.inactive_split,
        &stats.allocated_bytes, &stats.reserved_bytes,
        &stats.active_bytes,    &stats.inactive_split_bytes,
        &stats.requested_bytes};
    for (int name = 0; name < Figures::NAMES; ++name)
      for (int pool = 0; pool < 3; ++pool) {
        auto& from = figures.all[name][pool];
        auto& to = (*fields[name])[pool];
        to.current = from.current, to.peak = from.peak, to.allocated = from.allocated,
        to.freed = from.freed;
      }
    stats.num_ooms = ledger_of(device).times_out_of_memory();
    stats.num_alloc_retries = ledger_of(device).retries();
    return stats;
  }
  void resetAccumulatedStats(DeviceIndex device) override { ledger_of(device).reset_totals(); }
  void resetPeakStats(DeviceIndex device) override { ledger_of(device).reset_peaks(); }
  std::pair<size_t, size_t> getMemoryInfo(DeviceIndex device) override {
    if (device < 0) device = current_device;
    check_ordinal(device);
    return {kCapacity - std::min(kCapacity, ledgers().at(device).reserved()), kCapacity};
  }
};
inline DeviceMemory& device_memory() {
  static auto* memory = new DeviceMemory();
  return *memory;
}

// ---- Pinned memory: CPU memory whose address is in a table

struct PinnedMemory final : Allocator {
  DataPtr allocate(size_t bytes) override {
    TORCH_CHECK(device_count > 0, "No CUDA GPUs are available");
    auto plain = c10::GetCPUAllocator()->allocate(bytes);
    void* data = plain.get();
    if (!data) return plain;
    std::lock_guard<std::mutex> lock(mutex_);
    ranges_[data] = bytes;
    return {data, new DataPtr(std::move(plain)), &release, Device(kCPU)};
  }
  bool holds(const void* at) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto after = ranges_.upper_bound(at);
    if (after == ranges_.begin()) return false;
    auto range = std::prev(after);
    return static_cast<const char*>(at) < static_cast<const char*>(range->first) + range->second;
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }

 private:
  static void release(void* context);
  std::mutex mutex_;
  std::map<const void*, size_t> ranges_;
};
inline PinnedMemory& pinned_memory() {
  static auto* memory = new PinnedMemory();
  return *memory;
}
inline void PinnedMemory::release(void* context) {
  auto* plain = static_cast<DataPtr*>(context);
  {
    std::lock_guard<std::mutex> lock(pinned_memory().mutex_);
    pinned_memory().ranges_.erase(plain->get());
  }
  delete plain;
}
}  // namespace simulated_cuda
