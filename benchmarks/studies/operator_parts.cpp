// The simulated device as it is, and how long each part of one of its operators takes.
#include <chrono>

#include "library.cpp"

namespace simulated_cuda {
namespace {
// The least that a boxed kernel can do: hand the call on to the CPU's kernel.
void hand_on(const c10::OperatorHandle& op, DispatchKeySet, Stack* stack) {
  op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
}

template <class Part>
double nanoseconds(int64_t calls, Part part) {
  using Clock = std::chrono::steady_clock;
  auto start = Clock::now();
  for (int64_t i = 0; i < calls; ++i) part();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls;
}

// Of `a + b` without autograd, whose tensors are on the device: plain CPU, an empty boxed kernel,
// all of ours, and three of its parts.
std::vector<double> parts(const Tensor& a, const Tensor& b, int64_t calls) {
  AutoDispatchBelowADInplaceOrView below;
  auto here_a = host_view(a), here_b = host_view(b), result = at::add(here_a, here_b);
  std::vector<IValue> values{a, b, 1};
  auto plain = nanoseconds(calls, [&] { at::add(here_a, here_b); });
  double boxed;
  {
    c10::impl::IncludeDispatchKeyGuard mode(DispatchKey::TESTING_ONLY_GenericMode);
    boxed = nanoseconds(calls, [&] { at::add(here_a, here_b); });
  }
  auto ours = nanoseconds(calls, [&] { at::add(a, b); });
  auto check = nanoseconds(calls, [&] { places_of(values); });
  auto views = nanoseconds(calls, [&] { host_view(a), host_view(b); });
  auto wrapping = nanoseconds(calls, [&] { device_view(result, 0, {}); });
  return {plain, boxed, ours, check, views, wrapping};
}
}  // namespace

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&hand_on>());
}
TORCH_LIBRARY_FRAGMENT(simulated_cuda, m) {
  m.def("parts(Tensor a, Tensor b, int calls) -> float[]", parts);
}
}  // namespace simulated_cuda
