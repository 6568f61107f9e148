#include "eglantine/ops.hpp"
#include "support/random/programs/operations.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_remap.hpp"
#include "support/views.hpp"

namespace eglantine::test {
namespace {

/// Rows of zeros (false) in front, and the same at the end left out.
Array delayed(const Array& x) {
  const Array padded = naive::pad(x, {{0, 0}, {1, 1}, {0, 0}}, PadMode::constant);
  return naive::crop(padded, {{0, x.shape[0]}, {0, x.shape[1]}, {0, x.shape[2]}});
}
Tensor delayed(const Tensor& x) {
  const Shape shape = x.shape();
  return pad(x, {{0, 0}, {1, 1}, {0, 0}}).crop({{0, shape[0]}, {0, shape[1]}, {0, shape[2]}});
}

}  // namespace

Array zero_error(const Array& x) {
  return naive::map(x, DType::f32, [](double) { return 0; });
}

Value drawn_leaf(DType dtype, const Dims& shape, Random& plan, Random& draw) {
  const size_t view = static_cast<size_t>(plan.integer(0, static_cast<int64_t>(every_view().size()) - 1));
  const Sample sample = every_view()[view].hold(random_array(dtype, shape, draw.word()));
  return {sample.tensor, sample.array, zero_error(sample.array)};
}

Value moved(const Value& x, int64_t which) {
  switch (which) {
    case 0:
      return {x.tensor.permute({2, 0, 1}), naive::permute(x.array, {2, 0, 1}), naive::permute(x.error, {2, 0, 1})};
    case 1:
      return {x.tensor.flip({1}), naive::flip(x.array, {1}), naive::flip(x.error, {1})};
    case 2:
      return {x.tensor.slice(0, 0, {}, 2), naive::slice(x.array, 0, 0, {}, 2), naive::slice(x.error, 0, 0, {}, 2)};
    case 3:
      return {roll(x.tensor, {1, -3}, {0, 2}), naive::roll(x.array, {1, 0, -3}), naive::roll(x.error, {1, 0, -3})};
    case 4:
      return {delayed(x.tensor), delayed(x.array), delayed(x.error)};
    default:
      return x;
  }
}

}  // namespace eglantine::test
