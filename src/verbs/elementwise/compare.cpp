#include "verbs/build.hpp"

/// Comparisons of whole tensors, and closeness.
namespace eglantine {

namespace {

void require_tolerance(std::string_view function, double rtol, double atol) {
  check::require_finite(function, "rtol", rtol);
  check::require_finite(function, "atol", atol);
}

std::pair<Tensor, Tensor> to_compare(std::string_view function, const Operand& a, const Operand& b) {
  auto both = verbs::to_tensors(function, a, b);
  check::require_same_device(function, both.first, both.second);
  check::require_broadcast(function, both.first.shape(), both.second.shape());
  return both;
}

/// |a - b| in f32, rounded once. Integers differ by an unsigned number, which no subtraction overflows.
Tensor distance(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DType::f32) return abs(a - b);
  return (maximum(a, b).astype(DType::u32) - minimum(a, b).astype(DType::u32)).astype(DType::f32);
}

}  // namespace

Tensor isclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  require_tolerance("isclose", rtol, atol);
  const auto given = to_compare("isclose", a, b);
  const Tensor x = verbs::to_counted(verbs::widened(given.first)), y = verbs::to_counted(verbs::widened(given.second));
  const Tensor bound = static_cast<float>(atol) + static_cast<float>(rtol) * abs(verbs::to_real(y));
  const Tensor close = eq(x, y) | (isfinite(x) & isfinite(y) & le(distance(x, y), bound));
  return equal_nan ? close | (isnan(x) & isnan(y)) : close;
}

bool allclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  require_tolerance("allclose", rtol, atol);
  const auto [x, y] = to_compare("allclose", a, b);
  return all(isclose(x, y, rtol, atol, equal_nan)).item<bool>();
}

bool array_equal(const Tensor& a, const Tensor& b) {
  check::require_same_device("array_equal", a, b);
  check::common_dtype("array_equal", a.dtype(), b.dtype());
  if (a.shape() != b.shape()) return false;
  return all(eq(a, b)).item<bool>();
}

bool same(const Tensor& a, const Tensor& b) {
  return a.defined() == b.defined() && (!a.defined() || a.node() == b.node());
}

}  // namespace eglantine
