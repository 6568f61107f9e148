#include <memory>
#include <span>

#include "eglantine/tensor.hpp"
#include "element_types.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/upload.hpp"
#include "system/main_memory.hpp"
#include "verbs/own_rule.hpp"

namespace eglantine {

namespace {

Tensor copied(const Tensor& x, const Device& other) {
  const auto count = static_cast<size_t>(x.size());
  return with_element_type(x.dtype(), [&]<class T>() {
    const std::unique_ptr<T[]> elements =
        in_host_memory("Tensor::to", count * sizeof(T), [&] { return unset_array<T>(count); });
    const std::span<T> all(elements.get(), count);
    read(x.node(), all);
    return Tensor(upload(std::as_bytes(all), x.shape(), x.dtype(), other));
  });
}

}  // namespace

/// Derivatives go through it, though elements from the host have none.
Tensor Tensor::to(const Device& other) const {
  if (other == device()) return *this;
  const Tensor there = copied(*this, other);
  return verbs::with_own_rule(
      {*this}, [&](const Tensors&) { return there; },
      [from = device()](const Tensors&, const Tensor&, const Tensor& cotangent) { return Tensors{cotangent.to(from)}; },
      OwnReads::results);
}

}  // namespace eglantine
