#include "perf/work.hpp"

namespace eglantine::perf {

namespace {

constexpr uint64_t input_sets = 2;

/// Random keys of all 32 bits.
Tensor random_keys(const Shape& shape, uint64_t seed, const Device& device) {
  const Tensor high = uniform(shape, seed, DType::f32, device) * 65536.0F;
  const Tensor low = uniform(shape, seed + 1000, DType::f32, device) * 65536.0F;
  return (shift_left(high.astype(DType::u32), 16) + low.astype(DType::u32)).eval();
}

/// A work whose calls apply `verb` to random keys; bytes: of the keys and the results, read and written once.
Work of_keys(const std::string& name, const Shape& shape, const Device& device, double words,
             const std::function<Tensor(const Tensor&)>& verb) {
  Work work{name, {}, words * 4 * static_cast<double>(shape.elements()), 0};
  for (uint64_t set = 0; set < input_sets; ++set) {
    const Tensor keys = random_keys(shape, set + 1, device);
    work.calls.push_back([=] { return verb(keys); });
  }
  return work;
}

}  // namespace

std::vector<Work> order_works(const Device& device) {
  std::vector<Work> works;
  for (int64_t bits : {20, 24}) {
    const Shape row{int64_t{1} << bits};
    const std::string size = "/2^" + std::to_string(bits);
    const Tensor values = random_keys(row, 7, device);
    works.push_back(of_keys("sort" + size, row, device, 2, [](const Tensor& x) { return sort(x); }));
    works.push_back(of_keys("argsort" + size, row, device, 2, [](const Tensor& x) { return argsort(x); }));
    works.push_back(of_keys("sort_by_key" + size, row, device, 4,
                            [values](const Tensor& x) { return sort_by_key(x, values).first; }));
    works.push_back(of_keys("topk_32" + size, row, device, 1, [](const Tensor& x) { return topk(x, 32).first; }));
  }
  works.push_back(of_keys("sort_rows/4096x1024", {4096, 1024}, device, 2, [](const Tensor& x) { return sort(x); }));
  works.push_back(
      of_keys("argsort_rows/4096x1024", {4096, 1024}, device, 2, [](const Tensor& x) { return argsort(x); }));
  works.push_back(of_keys("sort_rows/100000x64", {100000, 64}, device, 2, [](const Tensor& x) { return sort(x); }));
  return works;
}

}  // namespace eglantine::perf
