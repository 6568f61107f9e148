#include "io/host_copy.hpp"

#include <new>
#include <string>
#include <vector>

#include "eglantine/error.hpp"
#include "element_types.hpp"
#include "system/main_memory.hpp"

namespace eglantine::io {
namespace {

template <class T>
std::shared_ptr<T[]> room_for(const Tensor& x) {
  try {
    return unset_array<T>(static_cast<size_t>(x.size()));
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError("the host has no room for the " + std::to_string(x.size() * int64_t{sizeof(T)}) +
                           " bytes of its " + std::to_string(x.size()) + " elements of " +
                           std::string(name_of(x.dtype())) + "; save it in smaller parts");
  }
}

}  // namespace

HostCopy::HostCopy(const Tensor& x) {
  with_element_type(x.dtype(), [&]<class T>() {
    const std::shared_ptr<T[]> elements = room_for<T>(x);
    const std::span<T> all(elements.get(), static_cast<size_t>(x.size()));
    x.copy_to<T>(all);
    elements_ = elements;
    bytes_ = std::as_bytes(all);
  });
}

void eval_all(const std::map<std::string, Tensor>& tensors) {
  std::vector<Tensor> all;
  for (const auto& [name, x] : tensors) all.push_back(x);
  eval(all);
}

}  // namespace eglantine::io
