#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/rules.hpp"
#include "verbs/build.hpp"
#include "verbs/factors.hpp"

namespace eglantine::derivatives {

namespace {

Tensor scanned(const Tensor& x, const nodes::Scan& like, Reduction reduction, bool exclusive, bool reverse) {
  return pend(make_scan({reduction, x.node(), like.axis, exclusive, reverse}));
}

/// The sum of what follows, each element itself included unless the scan excluded it.
Tensor sum_of_followers(const Tensor& x, const nodes::Scan& scan) {
  return scanned(x, scan, Reduction::sum, scan.exclusive, !scan.reverse);
}

/// Of cumprod, where another derivative goes through x.
Tensor of_differentiated_products(const Tensor& x, const Tensor& g, const nodes::Scan& like) {
  const auto combined = [=](const Tensors& at, Reduction how) {
    return scanned(at[0], like, how, like.exclusive, like.reverse);
  };
  const auto spread = [=](const Tensor& each) { return Tensors{sum_of_followers(each, like)}; };
  return verbs::cotangents_of_factors({{x}, combined, spread}, g)[0];
}

/// Of cumprod: before the first zero the products after an element, divided by it; that zero itself gets those of the
/// others; behind it, every product has it.
Tensor of_products(const Tensor& x, const Tensor& result, const Tensor& g, const nodes::Scan& scan) {
  if (x.node()->is_differentiated()) return of_differentiated_products(x, g, scan);
  const Tensor zero = x == 0,
               zeros_so_far = scanned(zero.astype(DType::i32), scan, Reduction::sum, false, scan.reverse);
  const Tensor first = zero & (zeros_so_far == 1);
  const Tensor others = scanned(where(first, 1, x), scan, Reduction::prod, scan.exclusive, scan.reverse);
  return where(zeros_so_far == 0, sum_of_followers(g * result, scan) / where(zero, 1, x),
               where(first, sum_of_followers(g * others, scan), 0));
}

/// Of cummax and cummin: to the place that each came from, the first of equals.
Tensor of_extremes(const Tensor& x, const Tensor& g, const nodes::Scan& scan) {
  const Tensor before = scanned(x, scan, scan.reduction, true, scan.reverse);
  const Tensor moved = scan.reduction == Reduction::max ? x > before : x < before;
  const auto length = static_cast<int32_t>(x.shape()[scan.axis]);
  Shape along = x.shape();
  for (int axis = 0; axis < x.rank(); ++axis) along[axis] = axis == scan.axis ? length : 1;
  const Tensor place = broadcast_to(verbs::iota(x.device(), along).astype(DType::i32), x.shape());
  const Tensor from = scanned(where(moved, place, scan.reverse ? length : -1), scan,
                              scan.reverse ? Reduction::min : Reduction::max, scan.exclusive, scan.reverse);
  const Tensor known = (from >= 0) & (from < length);
  return scatter_add(zeros(x.shape(), g.dtype(), x.device()), scan.axis, where(known, from, 0), where(known, g, 0));
}

}  // namespace

void give_back(const nodes::Scan& scan, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (!to.wants(scan.arg)) return;
  const bool is_extreme = scan.reduction == Reduction::max || scan.reduction == Reduction::min;
  if (scan.reduction == Reduction::sum)
    to.give(scan.arg, sum_of_followers(g, scan));
  else if (scan.reduction == Reduction::prod)
    to.give(scan.arg, of_products(Tensor(scan.arg), result, g, scan));
  else if (is_extreme)
    to.give(scan.arg, of_extremes(Tensor(scan.arg), g, scan));
  else
    fail_without(to.function(), scan.reduction, scan.custom, "a scan");
}

}  // namespace eglantine::derivatives
