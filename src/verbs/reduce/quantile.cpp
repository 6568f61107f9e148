#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "eglantine/verbs/statistics.hpp"
#include "verbs/order/sort.hpp"
#include "verbs/reduce/row_order.hpp"

/// Quantiles: elements of sorted rows.
namespace eglantine {

using verbs::count_over;

namespace {

/// Elements of x's rows in order, of its computed type, along a last axis of one: at `middle` places from `low` on. Of
/// floats at the last place, too: NaN comes last, and one makes a row's result NaN. Elements that all repeat as often
/// are sorted once: each then takes as many places.
class SortedRows {
 public:
  SortedRows(std::string_view function, const Tensor& x, const Axes& axes, int64_t low, int64_t middle)
      : SortedRows(function, x, verbs::with_repeats_once(x, axes), axes, low, middle) {}

  const Tensor& element(int64_t place) const {
    const auto at = std::find(places_.begin(), places_.end(), place / repeats_) - places_.begin();
    return found_[static_cast<size_t>(at)];
  }
  Tensor at(int64_t place) const { return verbs::to_real(element(place)); }
  /// y, of rows; NaN where a row has one.
  Tensor nan_or(const Tensor& y) const {
    if (!is_float(found_.front().dtype())) return y;
    return where(isnan(at(length_ * repeats_ - 1)), std::numeric_limits<float>::quiet_NaN(), y);
  }

 private:
  SortedRows(std::string_view function, const Tensor& x, const Tensor& once, const Axes& axes, int64_t low,
             int64_t middle)
      : length_(count_over(function, once.shape(), axes)),
        repeats_(count_over(function, x.shape(), axes) / length_),
        places_(places(low, middle, is_float(x.dtype()))),
        found_(verbs::sorted_at(joined(function, once, axes), places_)) {}

  IntList places(int64_t low, int64_t middle, bool last) const {
    IntList read;
    const auto add = [&](int64_t place) {
      if (!read.contains(place)) read.push_back(place);
    };
    for (int64_t place = low; place < low + middle; ++place) add(place / repeats_);
    if (last) add(length_ - 1);
    return read;
  }

  /// x with the axes joined to one, the last.
  Tensor joined(std::string_view function, const Tensor& x, const Axes& axes) const {
    if (length_ > std::numeric_limits<int32_t>::max())
      check::fail<ShapeError>(function, std::to_string(length_), " elements along axes ", to_string(axes), " of ",
                              to_string(x.shape()), " are more than a sort takes");
    Axes order;
    Shape shape;
    for (int i = 0; i < x.rank(); ++i) {
      if (axes.contains(i)) continue;
      order.push_back(i);
      shape.push_back(x.shape()[i]);
    }
    for (int64_t axis : axes) order.push_back(axis);
    shape.push_back(length_);
    return x.permute(order).reshape(shape);
  }

  int64_t length_, repeats_;
  IntList places_;
  std::vector<Tensor> found_;
};

/// floor((a + b) / 2) without overflow (Dietz), and the half that it cuts off. All bits but the lowest 8 fit f32, and
/// so do those 8 with a half: one addition rounds.
Tensor half_way_of_integers(const Tensor& a, const Tensor& b) {
  const Tensor half = (a & b) + ((a ^ b) >> 1), low = half & 0xff, odd = (a ^ b) & 1;
  return verbs::to_real(half - low) + (verbs::to_real(low) + verbs::to_real(odd) * 0.5F);
}

Tensor half_way(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DType::i32 || a.dtype() == DType::u32) return half_way_of_integers(a, b);
  // Halves are exact, and add up to no infinity of their own.
  return verbs::to_real(a) * 0.5F + verbs::to_real(b) * 0.5F;
}

/// From the nearer end, as NumPy: exact where both are equal. An infinite difference has only weights to offer.
Tensor between(const Tensor& a, const Tensor& b, float share) {
  const Tensor difference = b - a, weighted = a * (1 - share) + b * share;
  return where(isfinite(difference), share < 0.5F ? a + difference * share : b - difference * (1 - share), weighted);
}

/// Where a share of a row's elements precedes: between two places, so far from the first.
struct Between {
  Between(double q, int64_t length)
      : place(q * static_cast<double>(length - 1)),
        low(static_cast<int64_t>(std::floor(place))),
        share(static_cast<float>(place - std::floor(place))) {
    if (share == 1) ++low, share = 0;
  }
  bool is_one_place() const { return share < std::numeric_limits<float>::min(); }

  double place;
  int64_t low;
  float share;
};

}  // namespace

Tensor median(const Tensor& x, Axes over, bool keepdims) {
  const Axes axes = check::axes_of("median", over, x.shape());
  verbs::require_nonempty("median", x, axes);
  const Shape shape = verbs::reduced_shape(x.shape(), axes, keepdims);
  if (x.size() == 0) return zeros(shape, verbs::real_dtype(x), x.device());
  const int64_t length = count_over("median", x.shape(), axes), low = (length - 1) / 2;
  const SortedRows rows("median", x, axes, low, 2 - length % 2);
  const Tensor middle = length % 2 == 1 ? rows.at(low) : half_way(rows.element(low), rows.element(low + 1));
  return rows.nan_or(middle).reshape(shape).astype(verbs::real_dtype(x));
}

Tensor quantile(const Tensor& x, double q, Axes over, bool keepdims) {
  const Axes axes = check::axes_of("quantile", over, x.shape());
  if (!(q >= 0 && q <= 1)) check::fail<Error>("quantile", "q is ", Scalar(q).text(), ", and must lie in [0, 1]");
  verbs::require_nonempty("quantile", x, axes);
  const Shape shape = verbs::reduced_shape(x.shape(), axes, keepdims);
  const DType dtype = verbs::real_dtype(x);
  if (x.size() == 0) return zeros(shape, dtype, x.device());
  if (q == 0) return min(verbs::widened(x), axes, keepdims).astype(dtype);
  if (q == 1) return max(verbs::widened(x), axes, keepdims).astype(dtype);
  const Between found(q, count_over("quantile", x.shape(), axes));
  const SortedRows rows("quantile", x, axes, found.low, found.is_one_place() ? 1 : 2);
  const Tensor value =
      found.is_one_place() ? rows.at(found.low) : between(rows.at(found.low), rows.at(found.low + 1), found.share);
  return rows.nan_or(value).reshape(shape).astype(dtype);
}

}  // namespace eglantine
