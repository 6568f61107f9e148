#include "verbs/order/sort.hpp"

namespace eglantine {

namespace {

using nodes::Sorted;

/// Rows of at most one element are sorted.
bool is_sorted_already(const Tensor& x, int axis) { return x.size() == 0 || x.shape()[axis] == 1; }

NodePtr first_of_sorted(const Tensor& keys, const NodePtr& payload, int axis, bool descending, Sorted wanted,
                        int64_t count) {
  Shape shape = keys.shape();
  shape[axis] = count;
  const DType dtype = wanted != Sorted::places ? keys.dtype() : payload ? payload->dtype : DType::i32;
  return make_sort({keys.node(), payload, axis, descending, wanted}, shape, dtype);
}

}  // namespace

Tensor sort(const Tensor& x, int axis, bool descending) {
  const int along = check::i32_axis_of("sort", axis, x.shape());
  if (is_sorted_already(x, along)) return x;
  if (is_narrow(x.dtype())) return sort(verbs::widened(x), along, descending).astype(x.dtype());
  return pend(first_of_sorted(x, nullptr, along, descending, Sorted::keys, x.shape()[along]));
}

Tensor verbs::sort_places(const Tensor& x, const IntList& places) {
  const int along = x.rank() - 1;
  if (is_sorted_already(x, along)) return x;
  return pend(make_sort({x.node(), nullptr, along, false, Sorted::keys, places}, x.shape(), x.dtype()));
}

Tensor argsort(const Tensor& x, int axis, bool descending) {
  const int along = check::i32_axis_of("argsort", axis, x.shape());
  if (is_sorted_already(x, along)) return zeros(x.shape(), DType::i32, x.device());
  if (is_narrow(x.dtype())) return argsort(verbs::widened(x), along, descending);
  return pend(first_of_sorted(x, nullptr, along, descending, Sorted::places, x.shape()[along]));
}

std::pair<Tensor, Tensor> topk(const Tensor& x, int64_t k, int axis, bool largest) {
  const int along = check::i32_axis_of("topk", axis, x.shape());
  const int64_t length = x.shape()[along];
  if (k < 0 || k > length)
    check::fail<ShapeError>("topk", "k is ", std::to_string(k), ", and must lie in [0, ", std::to_string(length),
                            "], the length of axis ", std::to_string(axis), " of ", to_string(x.shape()));
  Shape shape = x.shape();
  shape[along] = k;
  if (is_sorted_already(x, along) || k == 0) {
    const Tensor places = zeros(shape, DType::i32, x.device());
    return {k == length ? x : zeros(shape, x.dtype(), x.device()), places};
  }
  const NodePtr sorted = first_of_sorted(verbs::widened(x), nullptr, along, largest, Sorted::both, k);
  return {pend(sorted).astype(x.dtype()), pend(make_second_output(sorted, DType::i32))};
}

std::pair<Tensor, Tensor> sort_by_key(const Tensor& keys, const Tensor& values, bool descending) {
  const int along = check::i32_axis_of("sort_by_key", -1, keys.shape());
  check::require_same_device("sort_by_key", keys, values);
  if (keys.shape() != values.shape())
    check::fail<ShapeError>("sort_by_key", "keys and values differ in shape: ", to_string(keys.shape()), " and ",
                            to_string(values.shape()));
  if (is_sorted_already(keys, along)) return {keys, values};
  const Tensor payload = verbs::widened(values);
  const NodePtr sorted =
      first_of_sorted(verbs::widened(keys), payload.node(), along, descending, Sorted::both, keys.shape()[along]);
  return {pend(sorted).astype(keys.dtype()), pend(make_second_output(sorted, payload.dtype())).astype(values.dtype())};
}

}  // namespace eglantine
