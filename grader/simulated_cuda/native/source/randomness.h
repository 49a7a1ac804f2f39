// Random numbers: each device has a CPU generator with a seed and an offset.
#pragma once
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>

#include <random>

#include "devices.h"

namespace simulated_cuda {
// The state of CUDA's generator (Philox) is a seed and an offset, in 16 bytes. Ours draws from a
// CPU generator and counts the draws in the offset. Once a state was read or set, the CPU generator
// is seeded from both, so that setting the state gives the same numbers again. Until then the
// numbers are those of the CPU for that seed.
struct Random final : GeneratorImpl {
  explicit Random(DeviceIndex index)
      : GeneratorImpl(Device(kDevice, index), DispatchKeySet(DispatchKey::CUDA)) {}
  static DeviceType device_type() { return kDevice; }

  // The generator that the next operator draws from.
  Generator& draw() {
    constexpr uint64_t spread =
        0x9E3779B97F4A7C15;  // so that neighbouring offsets give unlike seeds
    if (must_seed_) cpu_.set_current_seed(seed_ ^ (offset_ * spread));
    must_seed_ = false;
    offset_ += 4;  // as a small kernel of CUDA's does
    return cpu_;
  }
  void set_current_seed(uint64_t seed) override { jump(seed, 0); }
  // aten/src/ATen/cuda/CUDAGeneratorImpl.cpp
  void set_offset(uint64_t offset) override {
    TORCH_CHECK(offset % 4 == 0, "offset must be a multiple of 4");
    jump(seed_, offset);
  }
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
    uint64_t seed, offset = 0;
    std::memcpy(&seed, bytes, 8);
    if (state.numel() == 16) std::memcpy(&offset, bytes + 8, 8);
    jump(seed, offset);
  }
  c10::intrusive_ptr<TensorImpl> get_state() const override {
    auto state =
        at::detail::empty_cpu({16}, kByte, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
    std::memcpy(state.data_ptr(), &seed_, 8);
    std::memcpy(static_cast<uint8_t*>(state.data_ptr()) + 8, &offset_, 8);
    must_seed_ |= offset_ != 0;
    return state.getIntrusivePtr();
  }
  void graphsafe_set_state(const c10::intrusive_ptr<GeneratorImpl>& state) override {
    auto* other = dynamic_cast<Random*>(state.get());
    TORCH_CHECK(other, "Expected a CUDA generator state");
    jump(other->seed_, other->offset_);
  }
  c10::intrusive_ptr<GeneratorImpl> graphsafe_get_state() const override { return clone(); }

 private:
  Random* clone_impl() const override {
    auto* copy = new Random(device().index());
    copy->jump(seed_, offset_);
    must_seed_ |= offset_ != 0;
    return copy;
  }
  void jump(uint64_t seed, uint64_t offset) { seed_ = seed, offset_ = offset, must_seed_ = true; }
  uint64_t seed_ = c10::default_rng_seed_val, offset_ = 0;
  mutable bool must_seed_ = true;
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

inline Random& random_of(DeviceIndex index) {
  return *static_cast<Random*>(generator_of(index).unsafeGetGeneratorImpl());
}
// A seed for a kernel whose backward must draw the same numbers again.
inline uint64_t new_seed() {
  return check_generator<CPUGeneratorImpl>(random_of(current_device).draw())->random64();
}

// While it lives, the CPU's default generator has another state, for kernels without a generator
// argument; then it gets its own back.
class AsDefault {
 public:
  explicit AsDefault(Generator& generator)
      : generator_(generator),
        default_(at::detail::getDefaultCPUGenerator()),
        before_(default_.get_state()) {
    default_.set_state(generator_.get_state());
  }
  explicit AsDefault(uint64_t seed)
      : own_(at::detail::createCPUGenerator(seed)),
        generator_(own_),
        default_(at::detail::getDefaultCPUGenerator()),
        before_(default_.get_state()) {
    default_.set_current_seed(seed);
  }
  ~AsDefault() {
    generator_.set_state(default_.get_state());
    default_.set_state(before_);
  }
  AsDefault(const AsDefault&) = delete;
  AsDefault& operator=(const AsDefault&) = delete;

 private:
  Generator own_;
  Generator& generator_;
  Generator default_;
  Tensor before_;
};
}  // namespace simulated_cuda
