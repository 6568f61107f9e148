#include <algorithm>

#include "eglantine/verbs/statistics.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/reduce/memory_order.hpp"
#include "verbs/reduce/part_means.hpp"
#include "verbs/reduce/row_order.hpp"
#include "verbs/reduce/shared_mean.hpp"

/// Reductions. Those that take two values of a row (softmax, var and their kin) are in row.cpp.
namespace eglantine {

using verbs::count_over;
using verbs::to_counted;

namespace {

/// A checked reduction of x, of its own dtype (i32 for argmax and argmin). Of narrow numbers it is rounded at the end.
Tensor reduced(Reduction reduction, const Tensor& x, const Axes& over, bool keepdims) {
  const ReductionInfo& row = info_of(reduction);
  check::require_types(row.name, row.types, x.dtype());
  const Axes axes = verbs::reduction_axes(row.name, over, x.shape());
  if (is_idempotent(reduction))
    if (const Tensor once = verbs::with_repeats_once(x, axes); once.size() < x.size())
      return reduced(reduction, once, axes, keepdims);
  if (is_narrow(x.dtype()))
    return reduced(reduction, verbs::widened(x), axes, keepdims).astype(result_of(row.result, x.dtype()));
  const DType dtype = result_of(row.result, x.dtype());
  const Shape result = verbs::reduced_shape(x.shape(), axes, keepdims);
  if (x.size() == 0) return Tensor(make_constant(x.node()->device, dtype, result, over_nothing(reduction, dtype)));
  // Over single elements the element is the result, and its position is 0.
  if (count_over(row.name, x.shape(), axes) == 1)
    return dtype == x.dtype() && !is_arg(reduction) ? x.reshape(result) : zeros(result, dtype, x.device());
  if (is_arg(reduction) && verbs::repeats_along(x, axes[0]))
    return zeros(result, dtype, x.device());  // the first of equals
  const auto of = [&](const Tensor& at, const layout::ReduceOrder& order) {
    return pend(make_reduce(reduction, dtype, at.node(), order));
  };
  return verbs::reduced_in_memory_order(x, axes, of).reshape(result);
}

/// max and min of truth values are any and all.
Tensor extreme(Reduction reduction, const Tensor& x, const Axes& axes, bool keepdims) {
  verbs::require_nonempty(name_of(reduction), x, check::axes_of(name_of(reduction), axes, x.shape()));
  if (x.dtype() == DType::boolean) reduction = reduction == Reduction::max ? Reduction::any : Reduction::all;
  return reduced(reduction, x, axes, keepdims);
}

/// Integers and booleans have no NaN: `plain` is the same of them.
Tensor extreme_of_numbers(Reduction reduction, Reduction plain, const Tensor& x, const Axes& axes, bool keepdims) {
  verbs::require_nonempty(name_of(reduction), x, check::axes_of(name_of(reduction), axes, x.shape()));
  return is_float(x.dtype()) ? reduced(reduction, x, axes, keepdims) : extreme(plain, x, axes, keepdims);
}

Tensor position_of_all(Reduction reduction, const Tensor& x) {
  const std::string_view name = name_of(reduction);
  verbs::require_nonempty(name, x, check::axes_of(name, {}, x.shape()));
  check::require_i32_count(name, x.shape());
  return reduced(reduction, to_counted(ravel(x)), 0, false);
}

Tensor position(Reduction reduction, const Tensor& x, int axis, bool keepdims) {
  const std::string_view name = name_of(reduction);
  const int along = check::i32_axis_of(name, axis, x.shape());
  verbs::require_nonempty(name, x, along);
  return reduced(reduction, to_counted(x), {along}, keepdims);
}

}  // namespace

Tensor sum(const Tensor& x, Axes axes, bool keepdims) { return reduced(Reduction::sum, to_counted(x), axes, keepdims); }
Tensor prod(const Tensor& x, Axes axes, bool keepdims) {
  return reduced(Reduction::prod, to_counted(x), axes, keepdims);
}
Tensor max(const Tensor& x, Axes axes, bool keepdims) { return extreme(Reduction::max, x, axes, keepdims); }
Tensor min(const Tensor& x, Axes axes, bool keepdims) { return extreme(Reduction::min, x, axes, keepdims); }

Tensor nanmax(const Tensor& x, Axes axes, bool keepdims) {
  return extreme_of_numbers(Reduction::nanmax, Reduction::max, x, axes, keepdims);
}

Tensor nanmin(const Tensor& x, Axes axes, bool keepdims) {
  return extreme_of_numbers(Reduction::nanmin, Reduction::min, x, axes, keepdims);
}

Tensor any(const Tensor& x, Axes axes, bool keepdims) {
  return reduced(Reduction::any, x.astype(DType::boolean), axes, keepdims);
}

Tensor all(const Tensor& x, Axes axes, bool keepdims) {
  return reduced(Reduction::all, x.astype(DType::boolean), axes, keepdims);
}

Tensor argmax(const Tensor& x, int axis, bool keepdims) { return position(Reduction::argmax, x, axis, keepdims); }
Tensor argmin(const Tensor& x, int axis, bool keepdims) { return position(Reduction::argmin, x, axis, keepdims); }
Tensor argmax(const Tensor& x) { return position_of_all(Reduction::argmax, x); }
Tensor argmin(const Tensor& x) { return position_of_all(Reduction::argmin, x); }

Tensor mean(const Tensor& x, Axes over, bool keepdims) {
  const Axes given = check::axes_of("mean", over, x.shape());
  verbs::require_nonempty("mean", x, given);
  if (const auto spread = verbs::spread_of(x, given)) return var(*spread, given, keepdims);
  const verbs::OrderedRows rows = verbs::with_runs_last(verbs::without_repeats(verbs::to_f32(x), given), given);
  const Tensor& wide = rows.x;
  const Axes& axes = rows.axes;
  const DType dtype = verbs::real_dtype(x);
  const auto in_place = [&, shape = verbs::reduced_shape(x.shape(), given, keepdims)](const Tensor& means) {
    const bool moved = !std::is_sorted(rows.left.begin(), rows.left.end());
    return (moved ? means.permute(rows.left) : means).reshape(shape);
  };
  if (const auto known = verbs::known_mean(wide, axes)) return in_place(*known).astype(dtype);
  if (verbs::are_columns_of_one_node(wide, axes)) return in_place(verbs::mean_as_one(wide, axes)).astype(dtype);
  if (const auto of_parts = verbs::mean_of_parts(wide, axes)) return in_place(*of_parts).astype(dtype);
  if (verbs::may_share_mean(wide, axes))
    return in_place(verbs::mean_as_one(verbs::all_in_memory(wide, axes), axes)).astype(dtype);
  if (verbs::are_rows_of_one_node(wide, axes)) return in_place(verbs::mean_as_one(wide, axes)).astype(dtype);
  const Tensor total = axes.rank() == x.rank() ? verbs::sum_of_mean(wide) : sum(wide, axes);
  // Of a single element each there is nothing to divide, which bf16's maps would wait for.
  const int64_t count = count_over("mean", wide.shape(), axes);
  return (count == 1 ? in_place(total) : in_place(total) / static_cast<float>(count)).astype(dtype);
}

Tensor multiply_sum(const Tensor& a, const Tensor& b, Axes axes, bool keepdims) {
  check::require_same_device("multiply_sum", a, b);
  check::require_types("multiply_sum", Types::numeric, check::common_dtype("multiply_sum", a.dtype(), b.dtype()));
  const Shape shape = check::require_broadcast("multiply_sum", a.shape(), b.shape());
  check::axes_of("multiply_sum", axes, shape);
  const DType dtype = result_type(a.dtype(), b.dtype());
  if (!is_narrow(dtype)) return sum(a * b, axes, keepdims);
  const Tensor total = sum(verbs::widened(a) * verbs::widened(b), axes, keepdims);
  return is_float(dtype) ? total.astype(dtype) : total;
}

}  // namespace eglantine
