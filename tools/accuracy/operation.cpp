#include "accuracy/operation.hpp"

#include <cmath>

#include "eglantine/ops.hpp"
#include "support/reference/reference_math.hpp"

namespace eglantine::accuracy {
namespace {

struct Row {
  std::string_view name;
  double low, high, ulp;
};

constexpr Row table[] = {
#define EG_ELEMENTWISE(name, arity, types, result, glsl, cpp, low, high, ulp, doc) {#name, low, high, ulp},
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
};

constexpr struct {
  std::string_view name;
  double low, high, error;
} absolute_table[] = {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(...)
#define EG_ABSOLUTE(name, low, high, error) {#name, low, high, error},
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
#undef EG_ABSOLUTE
};

/// Fills in what the operation table promises.
Operation promised(Operation operation) {
  for (const Row& row : table) {
    if (row.name != operation.name) continue;
    operation.low = row.low;
    operation.high = row.high;
    operation.ulp = row.ulp;
  }
  for (const auto& row : absolute_table) {
    if (row.name != operation.name) continue;
    if (row.low >= operation.low && row.high <= operation.high) {
      operation.absolute = row.error;
      continue;
    }
    operation.low_absolute = row.low;
    operation.high_absolute = row.high;
    operation.beyond = row.error;
  }
  return operation;
}

#define EG_ONE(name)                                                                     \
  promised({#name, 1, [](const Tensor& x, const Tensor&) { return eglantine::name(x); }, \
            [](double x, double) { return static_cast<double>(reference::name(x)); }, 0, 0, 0, 0, 0, 0, 0})
#define EG_TWO(name)                                                                          \
  promised({#name, 2, [](const Tensor& x, const Tensor& y) { return eglantine::name(x, y); }, \
            [](double x, double y) { return static_cast<double>(reference::name(x, y)); }, 0, 0, 0, 0, 0, 0, 0})

}  // namespace

bool Operation::promises_ulp(float x) const {
  // An infinity has no neighbourhood in which a table could end: what it gives is always promised.
  return arity == 2 || std::isinf(x) || (x >= low && x <= high);
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
      EG_ONE(neg),      EG_ONE(abs),        EG_ONE(sign),         EG_ONE(relu),        EG_ONE(square),
      EG_ONE(exp),      EG_ONE(exp2),       EG_ONE(expm1),        EG_ONE(log),         EG_ONE(log2),
      EG_ONE(log1p),    EG_ONE(sqrt),       EG_ONE(rsqrt),        EG_ONE(reciprocal),  EG_ONE(sin),
      EG_ONE(cos),      EG_ONE(tan),        EG_ONE(tanh),         EG_ONE(sigmoid),     EG_ONE(silu),
      EG_ONE(gelu),     EG_ONE(erf),        EG_ONE(floor),        EG_ONE(ceil),        EG_ONE(round),
      EG_ONE(trunc),    EG_ONE(isnan),      EG_ONE(isinf),        EG_ONE(isfinite),    EG_TWO(add),
      EG_TWO(sub),      EG_TWO(mul),        EG_TWO(div),          EG_TWO(pow),         EG_TWO(remainder),
      EG_TWO(maximum),  EG_TWO(minimum),    EG_TWO(atan2),        EG_TWO(eq),          EG_TWO(ne),
      EG_TWO(lt),       EG_TWO(le),         EG_TWO(gt),           EG_TWO(ge),          EG_ONE(signbit),
      EG_ONE(exp10),    EG_ONE(log10),      EG_ONE(cbrt),         EG_ONE(asin),        EG_ONE(acos),
      EG_ONE(atan),     EG_ONE(sinh),       EG_ONE(cosh),         EG_ONE(asinh),       EG_ONE(acosh),
      EG_ONE(atanh),    EG_ONE(rad2deg),    EG_ONE(deg2rad),      EG_ONE(erfc),        EG_ONE(erfinv),
      EG_ONE(lgamma),   EG_ONE(digamma),    EG_ONE(softplus),     EG_ONE(log_sigmoid), EG_ONE(gelu_tanh),
      EG_ONE(selu),     EG_ONE(relu6),      EG_ONE(hardsigmoid),  EG_ONE(hardswish),   EG_ONE(mish),
      EG_ONE(softsign), EG_ONE(tanhshrink), EG_TWO(floor_divide), EG_TWO(fmod),        EG_TWO(fmax),
      EG_TWO(fmin),     EG_TWO(hypot),      EG_TWO(copysign),     EG_TWO(logaddexp),   EG_TWO(logaddexp2),
      EG_TWO(xlogy),    EG_TWO(prelu)};
  return all;
}

}  // namespace eglantine::accuracy
