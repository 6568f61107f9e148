#include "perf/work.hpp"

namespace eglantine::perf {

namespace {

constexpr uint64_t input_sets = 2;
constexpr int64_t many = int64_t{1} << 22;

/// `count` indices from all over an axis.
Tensor indices(int64_t count, int64_t length, uint64_t seed, const Device& device) {
  return (uniform({count}, seed, DType::f32, device) * static_cast<float>(length)).astype(DType::i32).eval();
}

/// A work whose calls apply `verb` to indices of an axis of this length.
Work of_indices(const std::string& name, int64_t count, int64_t length, double bytes, const Device& device,
                const std::function<Tensor(const Tensor&)>& verb) {
  Work work{name, {}, bytes, 0};
  for (uint64_t set = 1; set <= input_sets; ++set) {
    const Tensor index = indices(count, length, set, device);
    work.calls.push_back([=] { return verb(index); });
  }
  return work;
}

}  // namespace

std::vector<Work> index_works(const Device& device) {
  constexpr int64_t rows = 65536, table_rows = 16384, width = 1024;
  const Tensor table = uniform({table_rows, width}, 7, DType::f32, device).eval();
  const Tensor x = uniform({many}, 8, DType::f32, device).eval(),
               updates = uniform({many}, 9, DType::f32, device).eval();
  const Tensor counts = zeros({many}, DType::i32, device), ones_of = ones({many}, DType::i32, device);
  const double word = 4.0 * many;
  return {of_indices("take_rows/65536x1024", rows, table_rows, 2 * 4.0 * rows * width, device,
                     [=](const Tensor& i) { return take(table, i, 0); }),
          of_indices("gather/4194304", many, many, 3 * word, device, [=](const Tensor& i) { return gather(x, 0, i); }),
          of_indices("scatter/4194304", many, many, 4 * word, device,
                     [=](const Tensor& i) { return scatter(x, 0, i, updates); }),
          of_indices("scatter_add/4194304", many, many, 4 * word, device,
                     [=](const Tensor& i) { return scatter_add(x, 0, i, updates); }),
          of_indices("scatter_add_to_one/4194304", many, 1, 4 * word, device,
                     [=](const Tensor& i) { return scatter_add(x, 0, i, updates); }),
          of_indices("scatter_add_i32/4194304", many, many, 4 * word, device,
                     [=](const Tensor& i) { return scatter_add(counts, 0, i, ones_of); }),
          of_indices("compress/4194304", many, 2, 3 * word, device,
                     [=](const Tensor& i) { return compress(x, ne(i, 0)); })};
}

}  // namespace eglantine::perf
