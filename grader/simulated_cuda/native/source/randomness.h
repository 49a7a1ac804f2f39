// Random numbers: the CPU's generator, with a seed and an offset of its own for each device.
#pragma once
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>

#include <random>

#include "devices.h"

namespace simulated_cuda {
// CUDA's generator (Philox) is a seed and an offset, and its state is these two in 16 bytes. Ours is
// as well: each operator draws from a CPU generator that is seeded with both, so a state that is
// set again gives the same numbers again. At offset 0 they are the CPU's own for that seed.
struct Random final : GeneratorImpl {
  explicit Random(DeviceIndex index) : GeneratorImpl(Device(kDevice, index), DispatchKeySet(DispatchKey::CUDA)) {}
  static DeviceType device_type() { return kDevice; }

  // The generator that the next operator draws from.
  const Generator& draw() {
    constexpr uint64_t spread = 0x9E3779B97F4A7C15;  // so that neighbouring offsets give unlike seeds
    cpu_.set_current_seed(seed_ ^ (offset_ * spread));
    offset_ += 4;  // as a small kernel of CUDA's does
    return cpu_;
  }
  void set_current_seed(uint64_t seed) override { seed_ = seed, offset_ = 0; }
  void set_offset(uint64_t offset) override { offset_ = offset; }
  uint64_t get_offset() const override { return offset_; }
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom(true));
    return seed_;
  }
  void set_state(const TensorImpl& state) override {
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == 16 || state.numel() == 8, "RNG state is wrong size");
    auto* bytes = static_cast<const uint8_t*>(state.data());
    std::memcpy(&seed_, bytes, 8);
    offset_ = 0;
    if (state.numel() == 16) std::memcpy(&offset_, bytes + 8, 8);
  }
  c10::intrusive_ptr<TensorImpl> get_state() const override {
    auto state = at::detail::empty_cpu({16}, kByte, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
    std::memcpy(state.data_ptr(), &seed_, 8);
    std::memcpy(static_cast<uint8_t*>(state.data_ptr()) + 8, &offset_, 8);
    return state.getIntrusivePtr();
  }
  void graphsafe_set_state(const c10::intrusive_ptr<GeneratorImpl>& state) override {
    auto* other = dynamic_cast<Random*>(state.get());
    TORCH_CHECK(other, "Expected a CUDA generator state");
    seed_ = other->seed_, offset_ = other->offset_;
  }
  c10::intrusive_ptr<GeneratorImpl> graphsafe_get_state() const override { return clone(); }

 private:
  Random* clone_impl() const override {
    auto* copy = new Random(device().index());
    copy->seed_ = seed_, copy->offset_ = offset_;
    return copy;
  }
  uint64_t seed_ = c10::default_rng_seed_val, offset_ = 0;
  Generator cpu_ = at::detail::createCPUGenerator();
};

inline const Generator& generator_of(DeviceIndex index) {
  static auto* all = [] {
    auto* made = new std::vector<Generator>();
    for (int device = 0; device < kMaxDevices; ++device) {
      made->push_back(make_generator<Random>(device));
      made->back().seed();
    }
    return made;
  }();
  return all->at(or_current(index));
}

// While it lives, the CPU's default generator gives the numbers of a device's, for kernels that take
// no generator. Afterwards it is where it was.
class SeededCpu {
 public:
  explicit SeededCpu(DeviceIndex index) : SeededCpu(static_cast<Random*>(generator_of(index).unsafeGetGeneratorImpl())->draw().current_seed()) {}
  explicit SeededCpu(uint64_t seed) : seed_(seed), generator_(at::detail::getDefaultCPUGenerator()), before_(generator_.get_state()) {
    generator_.set_current_seed(seed);
  }
  ~SeededCpu() { generator_.set_state(before_); }
  uint64_t seed() const { return seed_; }
  SeededCpu(const SeededCpu&) = delete;
  SeededCpu& operator=(const SeededCpu&) = delete;

 private:
  uint64_t seed_;
  Generator generator_;
  Tensor before_;
};
}  // namespace simulated_cuda
