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

#include "attention_choice.h"
#include "call.h"

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
// Numbers are quantised by a kernel that is looked up by the device type: here on host views.
inline void copy_quantized(const c10::OperatorHandle& op, Stack* stack) {
  auto to = (stack->end() - 3)->toTensor(), from = (stack->end() - 2)->toTensor();
  if (from.is_quantized() || from.device() != to.device())
    return op.redispatchBoxed(DispatchKeySet(kNobody), stack);
  Call c(op, stack);
  host_view(to).copy_(host_view(from));
  c.returns(to);
}
inline void copy_from(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto to = c.tensor("dst");
  own_memory(to);
  host_view(to).copy_(host_view(c.tensor("self")));
  c.returns(to);
}
inline void copy_from_and_resize(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto to = c.tensor("dst"), from = c.tensor("self");
  to.resize_(from.sizes());
  own_memory(to);
  host_view(to).copy_(host_view(from));
  c.returns(to);
}
inline void resize_(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto t = c.tensor("self");
  auto& format = c["memory_format"];
  c10::OptionalDeviceGuard there(t.device());
  at::native::resize_(
      t, c.sizes("size"),
      format.isNone() ? std::nullopt : std::optional<MemoryFormat>(format.toMemoryFormat()));
  c.returns(t);
}
inline void set_storage(const Tensor& t, Storage storage, int64_t offset, IntArrayRef size,
                        IntArrayRef stride) {
  c10::OptionalDeviceGuard there(storage.device());
  auto changed = t;
  at::native::checkSetStorage(changed, std::move(storage), offset, size, stride);
  t.unsafeGetTensorImpl()->set_storage_offset(offset);
  at::native::resize_impl_cpu_(t.unsafeGetTensorImpl(), size,
                               stride.empty() ? std::nullopt : at::OptionalIntArrayRef(stride),
                               true);
}
inline void set_to_storage(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto t = c.tensor("self");
  set_storage(t, c["source"].toStorage(), c.integer("storage_offset"), c.sizes("size"),
              c.sizes("stride"));
  c.returns(t);
}
inline void set_to_nothing(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto t = c.tensor("self");
  c10::OptionalDeviceGuard there(t.device());
  set_storage(
      t,
      Storage(Storage::use_byte_size_t(), 0, device_memory().allocate(0), &device_memory(), true),
      0, {0}, {});
  c.returns(t);
}
inline void lazy_clone(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto t = c.tensor("self");
  auto& storage = t.storage();
  c.returns(is_lazy_clone(storage) || share(*storage.unsafeGetStorageImpl())
                ? at::native::_lazy_clone(t)
                : t.clone());
}
inline Tensor as_strided(const Tensor& t, IntArrayRef size, IntArrayRef stride,
                         std::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(t, size, stride, offset);
}
inline void record_stream(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  auto stream_ = c["s"].toStream();  // the error names it so
  TORCH_CHECK(stream_.device_type() == DeviceType::CUDA);
}
inline void fused_sdp_choice(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(attention_choice(c.tensor("query"), c.tensor("key"), c.tensor("value"),
                             c.maybe("attn_mask"), c.number("dropout_p"), c.flag("is_causal"),
                             std::nullopt, c.flag("enable_gqa")));
}
inline void never(const c10::OperatorHandle& op, Stack* stack) {
  Call c(op, stack);
  c.returns(false);
}
}  // namespace simulated_cuda
