#include "verbs/index/index.hpp"

#include <limits>
#include <utility>

#include "eglantine/verbs/segments.hpp"
#include "graph/kernel/index_check.hpp"
#include "layout/layout.hpp"
#include "verbs/index/combined.hpp"
#include "verbs/index/gathered_first.hpp"
#include "verbs/index/in_memory_order.hpp"

/// Indexed reads and writes.
namespace eglantine {

namespace verbs {

void require_indices(std::string_view function, const Tensor& x, const Tensor& indices) {
  check::require_same_device(function, x, indices);
  if (indices.dtype() != DType::i32)
    check::fail<DTypeError>(function, "indices are i32, got ", name_of(indices.dtype()), "; convert with astype");
  if (indices.size() >= std::numeric_limits<uint32_t>::max())
    check::fail<ShapeError>(function, to_string(indices.shape()),
                            " has more than 2^32 - 2 indices; work on parts of it");
}

void check_at_once(const IndexCheck& check, const Tensor& indices) {
  const int64_t length = length_of(check);
  int64_t place = 0;
  for (int32_t index : indices.to_vector<int32_t>()) {
    if (index < -length || index >= length) throw index_error(check, place, index);
    ++place;
  }
}

Tensor gathered(const Tensor& x, int axis, const NodePtr& index, const IntList& axes, const IndexCheck& check,
                const Tensor& indices) {
  // Without elements to read no kernel runs that could check the indices.
  if (x.size() == 0 || index->shape.elements() == 0) {
    check_at_once(check, indices);
    return Tensor(make_constant(x.node()->device, x.dtype(), index->shape, 0));
  }
  if (const auto in_order = gathered_in_memory_order(x, axis, index, axes, check)) return *in_order;
  const auto gather = [&](const NodePtr& from, const IntList& along, int indexed) {
    return pend(make_gather({from, index, along, indexed, std::make_shared<const IndexCheck>(check)}));
  };
  const std::optional<Source> source = source_in_order(x, axis, axes);
  const std::optional<Tensor> first =
      source ? gathered_first(Tensor(source->node), source->axis, index->shape, source->axes, gather)
             : gathered_first(x, axis, index->shape, axes, gather);
  return first ? *first : gather(x.node(), axes, axis);
}

IntList axes_but(int rank, int axis) {
  IntList result;
  for (int i = 0; i < rank; ++i) result.push_back(i == axis ? -1 : i);
  return result;
}

void require_addable(std::string_view function, const Tensor& x, Combine combine) {
  const bool in_order =
      combine == Reduction::prod || (is_float(x.dtype()) && combine == Reduction::sum);  // grouped by 32-bit keys
  if (x.size() >= std::numeric_limits<uint32_t>::max() && in_order)
    check::fail<ShapeError>(function, to_string(x.shape()), " has more than 2^32 - 2 elements; work on parts of it");
}

namespace {

/// Of updates, as they are or by keys: of the arguments of scattered().
Tensor put(const Tensor& x, int axis, const NodePtr& index, const Tensor& updates, const IntList& axes, Combine combine,
           const IndexCheck& check) {
  const auto to = [&](const Tensor& base, const Tensor& values) {
    return pend(make_scatter({base.node(), index, values.node(), axes, axis, combine, false, false,
                              std::make_shared<const IndexCheck>(check)},
                             x.shape()));
  };
  if (x.dtype() != DType::f32 || (combine != Reduction::max && combine != Reduction::min)) return to(x, updates);
  // Integers of the same order have exact atomics. A NaN is the largest of them: for minima, that of -x.
  const bool largest = std::exchange(combine, Reduction::max) == Reduction::max;
  const auto keys = [&](const Tensor& y) { return elementwise(Op::order_key, largest ? y : elementwise(Op::neg, y)); };
  const Tensor result = elementwise(Op::from_order_key, to(keys(x), keys(updates)));
  return largest ? result : elementwise(Op::neg, result);
}

}  // namespace

Tensor scattered(const Tensor& x, int axis, const NodePtr& index, const Tensor& updates, const IntList& axes,
                 Combine combine, const IndexCheck& check, const Tensor& indices) {
  require_addable(check.function, x, combine);
  if (x.size() == 0 || updates.size() == 0) {
    check_at_once(check, indices);
    return x;
  }
  if (is_narrow(x.dtype()))
    return scattered(widened(x), axis, index, widened(updates), axes, combine, check, indices).astype(x.dtype());
  if (x.dtype() != DType::f32 || !combine || combine == Reduction::sum)
    return put(x, axis, index, updates, axes, combine, check);
  const auto combined = [=](const Tensor& base, const Tensor& values, Reduction how) {
    return scattered(base, axis, index, values, axes, how, check, indices);
  };
  const auto at = [=](const Tensor& y) { return gathered(y, axis, index, axes, check, indices); };
  return with_combining_rule(x, updates, *combine, {at, combined}, [=](const Tensor& base, const Tensor& values) {
    return put(base, axis, index, values, axes, combine, check);
  });
}

}  // namespace verbs

namespace {

using check::fail;

IndexCheck check_of(std::string_view function, const Tensor& x, int axis, const Tensor& indices, const Layout& place) {
  return {std::string(function), x.shape(), axis, indices.shape(), place};
}

/// The index has x's rank, and is at most as long as x except along the indexed axis.
void require_within(std::string_view function, const Tensor& x, int axis, const Tensor& index) {
  if (index.rank() != x.rank())
    fail<ShapeError>(function, "the index ", to_string(index.shape()), " must have the rank of ", to_string(x.shape()));
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis && index.shape()[i] > x.shape()[i])
      fail<ShapeError>(function, "the index ", to_string(index.shape()), " is longer than ", to_string(x.shape()),
                       " along axis ", std::to_string(i), ": only along axis ", std::to_string(axis), " may it be");
}

Tensor scattered(std::string_view function, const Tensor& x, int axis, const Tensor& index, const Tensor& updates,
                 verbs::Combine combine = {}) {
  if (combine) check::require_types(function, Types::numeric, x.dtype());
  const int along = check::i32_axis_of(function, axis, x.shape());
  verbs::require_indices(function, x, index);
  check::require_same_device(function, x, updates);
  check::require_converts(function, updates.dtype(), x.dtype());
  require_within(function, x, along, index);
  if (index.shape() != updates.shape())
    fail<ShapeError>(function, "the index ", to_string(index.shape()), " and the updates ", to_string(updates.shape()),
                     " must have one shape");
  const IndexCheck check = check_of(function, x, along, index, layout::contiguous(index.shape()));
  return verbs::scattered(x, along, index.node(), updates.astype(x.dtype()), verbs::axes_but(x.rank(), along), combine,
                          check, index);
}

}  // namespace

Tensor take(const Tensor& x, const Tensor& indices, int axis) {
  const int along = check::i32_axis_of("take", axis, x.shape());
  verbs::require_indices("take", x, indices);
  if (x.rank() - 1 + indices.rank() > max_rank)
    fail<ShapeError>("take", "axis ", std::to_string(along), " of ", to_string(x.shape()), " replaced by ",
                     to_string(indices.shape()), " has a rank above ", std::to_string(max_rank));
  Shape shape;
  IntList axes;
  Layout index;  // over the result: row-major numbers in the index tensor
  const Layout numbered = layout::contiguous(indices.shape());
  const auto add = [&](int64_t length, int64_t axis_of_x, int64_t stride) {
    shape.push_back(length);
    axes.push_back(axis_of_x);
    index.strides.push_back(stride);
  };
  for (int i = 0; i < along; ++i) add(x.shape()[i], i, 0);
  for (int i = 0; i < indices.rank(); ++i) add(indices.shape()[i], -1, numbered.strides[static_cast<size_t>(i)]);
  for (int i = along + 1; i < x.rank(); ++i) add(x.shape()[i], i, 0);
  index.shape = shape;
  check::require_countable("take", shape);
  return verbs::gathered(x, along, make_view(indices.node(), index), axes, check_of("take", x, along, indices, index),
                         indices);
}

Tensor gather(const Tensor& x, int axis, const Tensor& index) {
  const int along = check::i32_axis_of("gather", axis, x.shape());
  verbs::require_indices("gather", x, index);
  require_within("gather", x, along, index);
  return verbs::gathered(x, along, index.node(), verbs::axes_but(x.rank(), along),
                         check_of("gather", x, along, index, layout::contiguous(index.shape())), index);
}

Tensor scatter(const Tensor& x, int axis, const Tensor& index, const Tensor& updates) {
  return scattered("scatter", x, axis, index, updates);
}
Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& updates) {
  return scattered("scatter_add", x, axis, index, updates, Reduction::sum);
}
Tensor scatter_mul(const Tensor& x, int axis, const Tensor& index, const Tensor& updates) {
  return scattered("scatter_mul", x, axis, index, updates, Reduction::prod);
}
Tensor scatter_max(const Tensor& x, int axis, const Tensor& index, const Tensor& updates) {
  return scattered("scatter_max", x, axis, index, updates, Reduction::max);
}
Tensor scatter_min(const Tensor& x, int axis, const Tensor& index, const Tensor& updates) {
  return scattered("scatter_min", x, axis, index, updates, Reduction::min);
}

namespace {

/// The checked shape of the result.
Shape one_hot_shape(const Tensor& indices, int64_t depth) {
  if (depth < 0) fail<ShapeError>("one_hot", "a negative depth: ", std::to_string(depth));
  if (depth > std::numeric_limits<int32_t>::max())
    fail<ShapeError>("one_hot", "a depth of ", std::to_string(depth), ": i32 indices reach 2^31 - 1");
  if (indices.rank() == max_rank)
    fail<ShapeError>("one_hot", to_string(indices.shape()), " has the largest rank already, ",
                     std::to_string(max_rank));
  verbs::require_indices("one_hot", indices, indices);
  Shape shape = indices.shape();
  shape.push_back(depth);
  check::require_countable("one_hot", shape);
  return shape;
}

}  // namespace

Tensor one_hot(const Tensor& indices, int64_t depth) {
  const Shape shape = one_hot_shape(indices, depth);
  const int last = indices.rank();
  const Tensor index = indices.unsqueeze(-1), off = zeros(shape, DType::f32, indices.device());
  const IndexCheck check{"one_hot", {depth}, 0, indices.shape(), layout::contiguous(index.shape())};
  if (shape.elements() == 0) {
    verbs::check_at_once(check, indices);
    return off;
  }
  const Tensor on = ones(index.shape(), DType::f32, indices.device());
  const IntList axes = verbs::axes_but(shape.rank(), last);
  return pend(make_scatter(
      {off.node(), index.node(), on.node(), axes, last, {}, true, false, std::make_shared<const IndexCheck>(check)},
      shape));
}

}  // namespace eglantine
