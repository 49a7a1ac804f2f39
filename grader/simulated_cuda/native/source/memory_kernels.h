// Kernels that work on the device's tensors, not on host views: empty, copy_, resize_, set_.
#pragma once
#include <ATen/native/Copy.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_lazy_clone_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/view_native.h>

#include "operators.h"

namespace simulated_cuda {
using Maybe = std::optional<Device>;
inline Device place_of(const Maybe& device) {
  auto index = device ? or_current(device->index()) : current_device;
  check_ordinal(index);
  return {kDevice, index};
}
// With `torch.use_deterministic_algorithms(True)` new memory is NaN, or the largest integer.
inline Tensor settled(Tensor fresh) {
  auto& context = globalContext();
  if (context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory()) {
    auto view = host_view(fresh);
    at::native::fill_empty_deterministic_(view);
  }
  return fresh;
}
inline Tensor empty(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout>,
                    Maybe device, std::optional<bool> pin, std::optional<MemoryFormat> format) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  c10::OptionalDeviceGuard there(place_of(device));
  return settled(at::detail::empty_generic(
      size, &device_memory(), DispatchKeySet(DispatchKey::CUDA), dtype_or_default(dtype), format));
}
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
                            std::optional<Layout>, Maybe device, std::optional<bool> pin) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  c10::OptionalDeviceGuard there(place_of(device));
  return settled(at::detail::empty_strided_generic(
      size, stride, &device_memory(), DispatchKeySet(DispatchKey::CUDA), dtype_or_default(dtype)));
}
inline Tensor& copy_(Tensor& self, const Tensor& from, bool non_blocking) {
  if (!non_blocking && self.device().type() != from.device().type()) about_to_synchronize();
  if (from._is_zerotensor()) return self.zero_();
  own_memory(self);
  auto view = host_view(self);
  view.copy_(host_view(from));
  return self;
}
// What PyTorch's own `copy_` calls for quantised tensors.
inline void copy_by_iterator(TensorIterator& iterator, bool) {
  host_view(iterator.tensor(0)).copy_(host_view(iterator.tensor(1)));
}
inline Tensor copy_from(const Tensor& from, const Tensor& to, bool) {
  own_memory(to);
  host_view(to).copy_(host_view(from));
  return to;
}
inline Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, false);
}
inline const Tensor& resize_(const Tensor& t, IntArrayRef size,
                             std::optional<MemoryFormat> format) {
  c10::OptionalDeviceGuard there(t.device());
  return at::native::resize_(t, size, format);
}
inline Tensor& set_storage(Tensor& t, Storage storage, int64_t offset, IntArrayRef size,
                           IntArrayRef stride) {
  c10::OptionalDeviceGuard there(storage.device());
  at::native::checkSetStorage(t, std::move(storage), offset, size, stride);
  t.unsafeGetTensorImpl()->set_storage_offset(offset);
  at::native::resize_impl_cpu_(t.unsafeGetTensorImpl(), size,
                               stride.data() ? at::OptionalIntArrayRef(stride) : std::nullopt,
                               true);
  return t;
}
inline Tensor lazy_clone(const Tensor& t) {
  auto& storage = t.storage();
  return is_lazy_clone(storage) || share(*storage.unsafeGetStorageImpl())
             ? at::native::_lazy_clone(t)
             : t.clone();
}
inline Tensor& set_to_nothing(Tensor& t) {
  c10::OptionalDeviceGuard there(t.device());
  return set_storage(
      t,
      Storage(Storage::use_byte_size_t(), 0, device_memory().allocate(0), &device_memory(), true),
      0, {0}, {});
}
}  // namespace simulated_cuda
