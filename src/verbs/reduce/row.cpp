#include "verbs/reduce/row.hpp"
#include "evaluate/evaluate.hpp"
#include "layout/layout.hpp"

/// Operations of two reduced values per row: one kernel (glsl/row/row.comp) if a group can process a row, else verbs.
namespace eglantine {

using verbs::count_over;

namespace verbs {

namespace {

/// Rows of up to longest_alone stay on the chip. Longer ones are read twice by one work group each, which pays off
/// where there are enough rows to fill the device, and rows are short enough for one group.
constexpr int64_t longest_alone = 16384, longest = 131072, enough_rows = 64;

}  // namespace

bool takes_row_kernel(const Tensor& x, const Axes& axes) {
  const int64_t length = count_over(x.shape(), axes);
  if (x.size() == 0 || length == 1) return false;
  if (length > limits_of(*x.node()).longest_row) return false;
  return length <= longest_alone || (length <= longest && x.size() / length >= enough_rows);
}

Tensor row(RowOp op, const Tensor& x, const Axes& axes, bool keepdims, float parameter) {
  const Tensor y = pend(make_row(op, x.node(), axes, parameter));
  return reduces(op) ? y.reshape(verbs::reduced_shape(x.shape(), axes, keepdims)) : y;
}

}  // namespace verbs

using verbs::row;
using verbs::takes_row_kernel;

namespace {

/// x minus its maximum along the axes; a maximum of +-infinity counts as 0, so that x - shift is never inf - inf.
struct Stable {
  Tensor shifted;
  Tensor shift;
};

Stable stable(const Tensor& x, const Axes& axes) {
  const Tensor largest = max(x, axes, true);
  const Tensor shift = where(isinf(largest), 0.0F, largest);
  return {x - shift, shift};
}

}  // namespace

Tensor logsumexp(const Tensor& given, Axes over, bool keepdims) {
  const Tensor x = verbs::to_real(given);
  const Axes axes = check::axes_of("logsumexp", over, x.shape());
  if (x.size() == 0) return log(sum(x, over, keepdims));
  if (takes_row_kernel(x, axes)) return row(RowOp::logsumexp, x, axes, keepdims);
  const auto [low, shift] = stable(x, axes);
  const Tensor y = log(sum(exp(low), axes, true)) + shift;
  return keepdims ? y : y.squeeze(axes);
}

Tensor softmax(const Tensor& given, int axis) {
  const Tensor x = verbs::to_real(given);
  const int along = check::axis_of("softmax", axis, x.shape());
  if (x.size() == 0) return x;
  if (takes_row_kernel(x, {along})) return row(RowOp::softmax, x, {along});
  const Tensor e = exp(stable(x, {along}).shifted);
  return e / sum(e, {along}, true);
}

Tensor log_softmax(const Tensor& given, int axis) {
  const Tensor x = verbs::to_real(given);
  const int along = check::axis_of("log_softmax", axis, x.shape());
  if (x.size() == 0) return x;
  if (takes_row_kernel(x, {along})) return row(RowOp::log_softmax, x, {along});
  const Tensor low = stable(x, {along}).shifted;
  return low - log(sum(exp(low), {along}, true));
}

namespace verbs {

Tensor standardized(const Tensor& x, const Axes& axes, float eps) {
  if (x.size() == 0) return x;
  if (takes_row_kernel(x, axes)) return row(RowOp::standardize, x, axes, false, eps);
  Tensor one = x;  // an element of each row, so that rows of equal elements round nothing
  for (int64_t axis : axes) one = one.slice(static_cast<int>(axis), 0, 1);
  // Relative to about the mean: neither a mean far from zero nor an outlier costs the others digits.
  const Tensor distance = mean(x - one, axes, true);
  const auto shifted = [&] { return x - (one + distance); };  // built anew: a value with two readers would be stored
  const Tensor center = mean(shifted(), axes, true);
  const auto centered = [&] { return shifted() - center; };
  return centered() * rsqrt(mean(square(centered()), axes, true) + eps);
}

Tensor over_rms(const Tensor& x, const Axes& axes, float eps) {
  if (x.size() == 0) return x;
  if (takes_row_kernel(x, axes)) return row(RowOp::rms, x, axes, false, eps);
  return x * rsqrt(mean(square(x), axes, true) + eps);
}

}  // namespace verbs

}  // namespace eglantine
