#include <bit>
#include <cmath>
#include <limits>

#include "eglantine/own.hpp"
#include "eglantine/verbs/statistics.hpp"
#include "verbs/build.hpp"
#include "verbs/own_rule.hpp"
#include "verbs/reduce/memory_order.hpp"

/// Prefix operations along an axis.
namespace eglantine {

namespace {

/// The bits of an exclusive scan's first element.
uint32_t start_of(const nodes::Scan& scan, DType dtype) {
  return scan.custom ? std::bit_cast<uint32_t>(scan.custom->identity) : over_nothing(scan.reduction, dtype);
}

/// A scan of x along a checked axis. Of narrow numbers it is rounded at the end.
Tensor scanned(const Tensor& x, nodes::Scan scan) {
  if (x.size() == 0) return x;
  if (is_narrow(x.dtype())) return scanned(verbs::widened(x), std::move(scan)).astype(x.dtype());
  scan.arg = x.node();
  if (x.shape()[scan.axis] > 1) return pend(make_scan(std::move(scan)));
  if (!scan.exclusive) return x;
  return Tensor(make_constant(x.node()->device, x.dtype(), x.shape(), start_of(scan, x.dtype())));
}

/// Sums and products count truth values in i32.
Tensor counting(std::string_view function, Reduction reduction, const Tensor& x, int axis, bool exclusive,
                bool reverse) {
  const auto of = [&](const Tensor& at, int along) {
    return scanned(verbs::to_counted(at), {reduction, nullptr, along, exclusive, reverse});
  };
  return verbs::in_memory_order(x, check::axis_of(function, axis, x.shape()), of);
}

/// max and min of truth values are those of 0 and 1; an exclusive scan's identity is true unless it is 0.
Tensor extreme_of(const Tensor& x, const nodes::Scan& scan) {
  if (scan.exclusive && (x.dtype() == DType::i8 || x.dtype() == DType::u8)) {
    // They start at their own extreme, not at that of i32.
    const auto start = static_cast<int32_t>(over_nothing(scan.reduction, x.dtype()));
    const Tensor y = scanned(verbs::widened(x), scan);
    return (scan.reduction == Reduction::max ? maximum(y, start) : minimum(y, start)).astype(x.dtype());
  }
  if (x.dtype() != DType::boolean) return scanned(x, scan);
  return scanned(x.astype(DType::u32), scan).astype(DType::boolean);
}

Tensor extreme(std::string_view function, Reduction reduction, const Tensor& x, int axis, bool exclusive,
               bool reverse) {
  return verbs::in_memory_order(x, check::axis_of(function, axis, x.shape()), [&](const Tensor& at, int along) {
    return extreme_of(at, {reduction, nullptr, along, exclusive, reverse});
  });
}

/// log(exp(a) + exp(b)). Equal ones apart: infinities have no difference.
const ReduceOpPtr& log_of_sum() {
  static const auto* op = new ReduceOpPtr(std::make_shared<const ReduceOp>(
      ReduceOp{"logsumexp", -std::numeric_limits<float>::infinity(),
               "a == b ? a + 0.693147181 : eg_maximum(a, b) + eg_log1p(eg_exp(-abs(a - b)))", [](float a, float b) {
                 if (a == b) return a + 0.693147181F;
                 const float larger = std::isnan(a) || a > b ? a : b;
                 return larger + std::log1p(std::exp(-std::abs(a - b)));
               }}));
  return *op;
}
// Before there are threads: a static half made when another thread forks stays so in the child.
[[maybe_unused]] const bool made_early = log_of_sum() != nullptr;

/// exp(p) times the sums, along the scan, of w exp(q); no exp(p + q) that takes part is above 1. By logarithms, each
/// sign apart, so that what is large on one side and small on the other stays in range. Linear in w, which logarithms
/// are not at 0: it has a rule of its own, of the same form with p and q in each other's places.
Tensor sums_of_exponentials(const Tensor& p, const Tensor& q, const Tensor& w, const nodes::Scan& scan) {
  const auto of_sign = [&](const Tensor& part, const Tensors& at) {
    const Tensor counts = part > 0;
    const Tensor logarithms =
        where(counts, log(where(counts, part, 1)) + at[1], -std::numeric_limits<float>::infinity());
    return exp(at[0] + scanned(logarithms, scan));
  };
  const auto of = [&](const Tensors& at) { return of_sign(at[2], at) - of_sign(-at[2], at); };
  const auto back = [scan](const Tensors& at, const Tensor& result, const Tensor& g) {
    nodes::Scan opposite = scan;
    opposite.reverse = !scan.reverse;
    const Tensor by_weight = sums_of_exponentials(at[1], at[0], g, opposite);
    return Tensors{g * result, at[2] * by_weight, by_weight};
  };
  return verbs::with_own_rule({p, q, w}, of, back);
}

/// By x[j] the sum of g[i] exp(x[j] - y[i]) over all y[i] that x[j] is part of.
Tensors of_log_sums(const Tensors& x, const Tensor& y, const Tensor& g, nodes::Scan scan) {
  scan.reverse = !scan.reverse;
  const Tensor counts = y > -std::numeric_limits<float>::infinity();
  return {sums_of_exponentials(x[0], where(counts, -y, 0), where(counts, g, 0), scan)};
}

}  // namespace

Tensor cumsum(const Tensor& x, int axis, bool exclusive, bool reverse) {
  return counting("cumsum", Reduction::sum, x, axis, exclusive, reverse);
}

Tensor cumprod(const Tensor& x, int axis, bool exclusive, bool reverse) {
  return counting("cumprod", Reduction::prod, x, axis, exclusive, reverse);
}

Tensor cummax(const Tensor& x, int axis, bool exclusive, bool reverse) {
  return extreme("cummax", Reduction::max, x, axis, exclusive, reverse);
}

Tensor cummin(const Tensor& x, int axis, bool exclusive, bool reverse) {
  return extreme("cummin", Reduction::min, x, axis, exclusive, reverse);
}

Tensor logcumsumexp(const Tensor& given, int axis, bool exclusive, bool reverse) {
  const Tensor x = verbs::to_real(given);
  const int along = check::axis_of("logcumsumexp", axis, x.shape());
  const nodes::Scan scan{Reduction::custom, nullptr, along, exclusive, reverse, log_of_sum()};
  const auto of = [&](const Tensors& at) { return scanned(at[0], scan); };
  const auto back = [scan](const Tensors& at, const Tensor& y, const Tensor& g) { return of_log_sums(at, y, g, scan); };
  return verbs::with_own_rule({verbs::widened(x)}, of, back).astype(x.dtype());
}

Tensor scan(const Tensor& x, const ReduceOp& op, int axis, bool exclusive) {
  check::require_whole("scan", op);
  const int along = check::axis_of("scan", axis, x.shape());
  check::require_types("scan", Types::real, x.dtype());
  const auto whole = std::make_shared<const ReduceOp>(op);
  return verbs::in_memory_order(x, along, [&](const Tensor& at, int axis_of_memory) {
    return scanned(at, {Reduction::custom, nullptr, axis_of_memory, exclusive, false, whole});
  });
}

}  // namespace eglantine
