#include "perf/work.hpp"

namespace eglantine::perf {

namespace {

constexpr uint64_t input_sets = 4;

Work of_shape(const std::string& name, const Shape& shape, int axis, const Device& device) {
  Work work{name, {}, 8 * static_cast<double>(shape.elements()), 0};
  for (uint64_t set = 1; set <= input_sets; ++set) {
    const Tensor x = uniform(shape, set, DType::f32, device).eval();
    work.calls.push_back([=] { return cumsum(x, axis); });
  }
  return work;
}

}  // namespace

std::vector<Work> scan_works(const Device& device) {
  return {of_shape("cumsum/1048576", {1 << 20}, 0, device), of_shape("cumsum/16777216", {1 << 24}, 0, device),
          of_shape("cumsum_axis1/4096x1024", {4096, 1024}, 1, device),
          of_shape("cumsum_axis0/4096x1024", {4096, 1024}, 0, device)};
}

}  // namespace eglantine::perf
