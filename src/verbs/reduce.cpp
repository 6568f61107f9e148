#include <algorithm>
#include <bit>
#include <limits>

#include "layout/layout.hpp"
#include "verbs/check.hpp"

/// Reductions, and the composites made of them.
namespace eglantine {

using verbs::count_over;

namespace {

void require_some(std::string_view function, const Tensor& x, const Axes& axes) {
  if (count_over(x.shape(), axes) == 0)
    verbs::fail<ShapeError>(function, "of nothing: shape ", to_string(x.shape()), " has no elements along axes ",
                            to_string(axes));
}

/// What a reduction over nothing gives: 0 or false, but 1 for prod and true for all.
uint32_t over_nothing(Reduction reduction, DType dtype) {
  if (reduction != Reduction::prod && reduction != Reduction::all) return 0;
  return dtype == DType::f32 ? std::bit_cast<uint32_t>(1.0F) : 1;
}

bool is_position(Reduction reduction) { return reduction == Reduction::argmax || reduction == Reduction::argmin; }

/// A checked reduction of x, of its own dtype (or i32 for the position of an extreme).
Tensor reduced(Reduction reduction, const Tensor& x, const Axes& over, bool keepdims) {
  const ReductionInfo& row = info_of(reduction);
  verbs::require_types(row.name, row.types, x.dtype());
  const Axes axes = verbs::axes_of(row.name, over, x.shape());
  const DType dtype = result_of(row.result, x.dtype());
  const Shape result = verbs::reduced_shape(x.shape(), axes, keepdims);
  if (x.size() == 0) return Tensor(make_constant(x.node()->device, dtype, result, over_nothing(reduction, dtype)));
  // Over single elements there is nothing to combine: the element is the result, and its position is 0.
  if (count_over(x.shape(), axes) == 1)
    return dtype == x.dtype() && !is_position(reduction) ? x.reshape(result) : zeros(result, dtype, x.device());
  return Tensor(make_reduce(reduction, dtype, x.node(), axes)).reshape(result);
}

Tensor counted(const Tensor& x) { return x.dtype() == DType::boolean ? x.astype(DType::i32) : x; }

/// Largest and smallest of truth values are any and all.
Tensor extreme(Reduction reduction, const Tensor& x, const Axes& axes, bool keepdims) {
  require_some(name_of(reduction), x, verbs::axes_of(name_of(reduction), axes, x.shape()));
  if (x.dtype() == DType::boolean) reduction = reduction == Reduction::max ? Reduction::any : Reduction::all;
  return reduced(reduction, x, axes, keepdims);
}

Tensor position(Reduction reduction, const Tensor& x, int axis, bool keepdims) {
  const std::string_view name = name_of(reduction);
  const int along = verbs::axis_of(name, axis, x.shape());
  require_some(name, x, {along});
  if (x.shape()[along] > std::numeric_limits<int32_t>::max())
    verbs::fail<ShapeError>(name, "axis ", std::to_string(axis), " of ", to_string(x.shape()),
                            " is longer than an i32 index can say");
  return reduced(reduction, counted(x), {along}, keepdims);
}

/// The largest along the axes (kept), with infinities made 0 so that x - shift never is inf - inf.
Tensor finite_shift(const Tensor& x, const Axes& axes) {
  const Tensor largest = reduced(Reduction::max, x, axes, true);
  return where(isinf(largest), 0.0F, largest);
}

struct Stable {
  Tensor shifted;  ///< x less its largest
  Tensor shift;
};

Stable shifted(std::string_view function, const Tensor& x, const Axes& axes) {
  verbs::require_types(function, Types::real, x.dtype());
  const Tensor shift = finite_shift(x, axes);
  return {x - shift, shift};
}

}  // namespace

Tensor sum(const Tensor& x, Axes axes, bool keepdims) { return reduced(Reduction::sum, counted(x), axes, keepdims); }
Tensor prod(const Tensor& x, Axes axes, bool keepdims) { return reduced(Reduction::prod, counted(x), axes, keepdims); }
Tensor max(const Tensor& x, Axes axes, bool keepdims) { return extreme(Reduction::max, x, axes, keepdims); }
Tensor min(const Tensor& x, Axes axes, bool keepdims) { return extreme(Reduction::min, x, axes, keepdims); }

Tensor any(const Tensor& x, Axes axes, bool keepdims) {
  return reduced(Reduction::any, x.astype(DType::boolean), axes, keepdims);
}

Tensor all(const Tensor& x, Axes axes, bool keepdims) {
  return reduced(Reduction::all, x.astype(DType::boolean), axes, keepdims);
}

Tensor argmax(const Tensor& x, int axis, bool keepdims) { return position(Reduction::argmax, x, axis, keepdims); }
Tensor argmin(const Tensor& x, int axis, bool keepdims) { return position(Reduction::argmin, x, axis, keepdims); }

Tensor mean(const Tensor& x, Axes over, bool keepdims) {
  verbs::require_types("mean", Types::real, x.dtype());
  const Axes axes = verbs::axes_of("mean", over, x.shape());
  require_some("mean", x, axes);
  return sum(x, over, keepdims) / static_cast<float>(count_over(x.shape(), axes));
}

Tensor var(const Tensor& x, Axes over, bool keepdims) {
  verbs::require_types("var", Types::real, x.dtype());
  require_some("var", x, verbs::axes_of("var", over, x.shape()));
  return mean(square(x - mean(x, over, true)), over, keepdims);
}

Tensor logsumexp(const Tensor& x, Axes over, bool keepdims) {
  verbs::require_types("logsumexp", Types::real, x.dtype());
  const Axes axes = verbs::axes_of("logsumexp", over, x.shape());
  if (x.size() == 0) return log(sum(x, over, keepdims));
  const auto [low, shift] = shifted("logsumexp", x, axes);
  const Tensor y = log(sum(exp(low), over, true)) + shift;
  return keepdims ? y : y.squeeze(axes);
}

Tensor softmax(const Tensor& x, int axis) {
  const int along = verbs::axis_of("softmax", axis, x.shape());
  verbs::require_types("softmax", Types::real, x.dtype());
  if (x.size() == 0) return x;
  const Tensor e = exp(shifted("softmax", x, {along}).shifted);
  return e / sum(e, {along}, true);
}

Tensor log_softmax(const Tensor& x, int axis) {
  const int along = verbs::axis_of("log_softmax", axis, x.shape());
  verbs::require_types("log_softmax", Types::real, x.dtype());
  if (x.size() == 0) return x;
  const Tensor low = shifted("log_softmax", x, {along}).shifted;
  return low - log(sum(exp(low), {along}, true));
}

Tensor multiply_sum(const Tensor& a, const Tensor& b, Axes axes, bool keepdims) {
  verbs::require_same_device("multiply_sum", a, b);
  verbs::require_same_dtype("multiply_sum", a.dtype(), b.dtype());
  verbs::require_types("multiply_sum", Types::numeric, a.dtype());
  const Shape shape = verbs::require_broadcast("multiply_sum", a.shape(), b.shape());
  verbs::axes_of("multiply_sum", axes, shape);
  return sum(a * b, axes, keepdims);
}

}  // namespace eglantine
