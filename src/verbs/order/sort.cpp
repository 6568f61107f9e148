#include "verbs/order/sort.hpp"

#include <optional>
#include <vector>

#include "evaluate/evaluate.hpp"

namespace eglantine {

namespace {

using nodes::Sorted;

/// Rows of at most one element are sorted, and those of one element again and again.
bool is_sorted_already(const Tensor& x, int axis) {
  const auto* view = x.node()->as<nodes::View>();
  const bool repeats = view != nullptr && view->layout.strides[static_cast<size_t>(axis)] == 0;
  return x.size() == 0 || x.shape()[axis] == 1 || repeats;
}

/// The places of the first `shape[axis]` elements of rows that are sorted.
Tensor places_along(int axis, const Shape& shape, const Device& device) {
  if (shape.elements() == 0) return zeros(shape, DType::i32, device);
  Shape row = shape;
  for (int i = 0; i < row.rank(); ++i)
    if (i != axis) row[i] = 1;
  return verbs::iota(device, {row.elements()}).astype(DType::i32).reshape(row).expand(shape);
}

/// x with one of the rows along `along` that repeat, since x is the same along a whole axis: what is made of it
/// broadcasts to all.
Tensor with_rows_once(Tensor x, int along) {
  const auto* view = x.node()->as<nodes::View>();
  if (view == nullptr) return x;
  const std::vector<int64_t> strides = view->layout.strides;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (axis != along && strides[static_cast<size_t>(axis)] == 0 && x.shape()[axis] > 1) x = x.slice(axis, 0, 1);
  return x;
}

/// What a verb makes of x's rows, made of those that repeat once; nothing where none do.
template <class Make>
auto of_rows_once(const Tensor& x, int along, const Make& make) -> std::optional<decltype(make(x))> {
  const Tensor once = with_rows_once(x, along);
  if (once.shape() == x.shape()) return std::nullopt;
  return make(once);
}

Tensor repeated(const Tensor& y, Shape shape, int along) {
  shape[along] = y.shape()[along];
  return y.expand(shape);
}

NodePtr first_of_sorted(const Tensor& keys, const NodePtr& payload, int axis, bool descending, Sorted wanted,
                        int64_t count) {
  Shape shape = keys.shape();
  shape[axis] = count;
  const DType dtype = wanted != Sorted::places ? keys.dtype() : payload ? payload->dtype : DType::i32;
  return make_sort({keys.node(), payload, axis, descending, wanted}, shape, dtype);
}

/// The keys at these places of sorted rows, and no others.
Tensor at_places(const Tensor& keys, int axis, const IntList& places) {
  Shape shape = keys.shape();
  shape[axis] = places.rank();
  return pend(make_sort({keys.node(), nullptr, axis, false, Sorted::keys, places}, shape, keys.dtype()));
}

}  // namespace

Tensor sort(const Tensor& x, int axis, bool descending) {
  const int along = check::i32_axis_of("sort", axis, x.shape());
  if (is_sorted_already(x, along)) return x;
  const auto of = [&](const Tensor& rows) { return eglantine::sort(rows, along, descending); };
  if (const auto once = of_rows_once(x, along, of)) return repeated(*once, x.shape(), along);
  if (is_narrow(x.dtype())) return sort(verbs::widened(x), along, descending).astype(x.dtype());
  return pend(first_of_sorted(x, nullptr, along, descending, Sorted::keys, x.shape()[along]));
}

std::vector<Tensor> verbs::sorted_at(const Tensor& x, const IntList& places) {
  const int along = x.rank() - 1;
  const bool is_sorted = is_sorted_already(x, along);
  const bool few = !is_sorted && x.shape()[along] >= limits_of(*x.node()).shortest_selection;
  const Tensor rows = widened(is_sorted ? x : with_rows_once(x, along));
  const Tensor sorted = is_sorted ? rows : few ? at_places(rows, along, places) : eglantine::sort(rows, along);
  std::vector<Tensor> found;
  for (int i = 0; i < places.rank(); ++i) {
    const int64_t at = few ? i : places[i];
    found.push_back(repeated(sorted.slice(along, at, at + 1), x.shape(), along));
  }
  return found;
}

Tensor argsort(const Tensor& x, int axis, bool descending) {
  const int along = check::i32_axis_of("argsort", axis, x.shape());
  if (is_sorted_already(x, along)) return places_along(along, x.shape(), x.device());
  const auto of = [&](const Tensor& rows) { return eglantine::argsort(rows, along, descending); };
  if (const auto once = of_rows_once(x, along, of)) return repeated(*once, x.shape(), along);
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
    const Tensor places = places_along(along, shape, x.device());
    return {shape.elements() > 0 ? x.slice(along, 0, k) : zeros(shape, x.dtype(), x.device()), places};
  }
  const auto of = [&](const Tensor& rows) { return eglantine::topk(rows, k, along, largest); };
  if (const auto once = of_rows_once(x, along, of))
    return {repeated(once->first, x.shape(), along), repeated(once->second, x.shape(), along)};
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
