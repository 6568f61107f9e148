#pragma once

#include <algorithm>
#include <cmath>

#include "element_types.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/special_values.hpp"

/// Statistics and normalisations by their formulas, in double.
namespace eglantine::test {

inline Array log_softmax_reference(const Array& x, int64_t axis) {
  return naive::map(x, naive::logsumexp(x, {axis}, true), DType::f32, [](double v, double l) { return v - l; });
}

inline Array softmax_reference(const Array& x, int64_t axis) {
  return naive::map(log_softmax_reference(x, axis), DType::f32, [](double v) { return std::exp(v); });
}

inline Array standardized(const Array& x, const std::vector<int64_t>& axes, double eps = 1e-5F) {
  const Array centered =
      naive::map(x, naive::mean(x, axes, true), DType::f32, [](double v, double m) { return v - m; });
  return naive::map(centered, naive::var(x, axes, true), DType::f32,
                    [&](double v, double s) { return v / std::sqrt(s + eps); });
}

inline Array over_rms(const Array& x, const std::vector<int64_t>& axes, double eps = 1e-5F) {
  const Array squares = naive::map(x, DType::f32, [](double v) { return v * v; });
  return naive::map(x, naive::mean(squares, axes, true), DType::f32,
                    [&](double v, double s) { return v / std::sqrt(s + eps); });
}

inline Array norm_of(const Array& x, const std::vector<int64_t>& axes, bool keepdims, double ord) {
  return naive::reduce(x, axes, keepdims, DType::f32, [=](const std::vector<double>& e) {
    double total = ord == -infinity ? infinity : 0;
    for (double v : e) {
      const double size = std::abs(v);
      if (ord == infinity)
        total = std::isnan(size) || size > total ? size : total;
      else if (ord == -infinity)
        total = std::isnan(size) || size < total ? size : total;
      else
        total += ord == 0 ? static_cast<double>(v != 0) : std::pow(size, ord);
    }
    return std::isinf(ord) || ord == 0 ? total : std::pow(total, 1 / ord);
  });
}

inline double interpolated(double a, double b, double share) {
  if (share == 0 || a == b) return a;
  if (share == 1) return b;
  return a * (1 - share) + b * share;
}

inline Array quantile_of(const Array& x, double q, const std::vector<int64_t>& axes, bool keepdims = false) {
  return naive::reduce(x, axes, keepdims, DType::f32, [=](std::vector<double> e) {
    for (double v : e)
      if (std::isnan(v)) return nan;
    std::sort(e.begin(), e.end());
    const double place = q * static_cast<double>(e.size() - 1), low = std::floor(place);
    const auto at = static_cast<size_t>(low);
    return interpolated(e[at], e[std::min(at + 1, e.size() - 1)], place - low);
  });
}

inline Array trace_of(const Array& x) {
  const auto rank = x.shape.size();
  const DType dtype = x.dtype == DType::boolean ? DType::i32 : x.dtype;
  return generate(dtype, Dims(x.shape.begin(), x.shape.end() - 2), [&](Dims index) {
    double total = 0;
    index.resize(rank);
    for (int64_t i = 0; i < std::min(x.shape[rank - 2], x.shape[rank - 1]); ++i) {
      index[rank - 2] = index[rank - 1] = i;
      total += x.at(index);
    }
    return dtype == DType::f32 ? total : as_element(dtype, total);
  });
}

/// Covariances of rows.
inline Array cov_of(const Array& x, double correction) {
  const int64_t n = x.shape[1];
  const Array means = naive::mean(x, {1});
  return generate(DType::f32, {x.shape[0], x.shape[0]}, [&](const Dims& at) {
    double total = 0;
    for (int64_t k = 0; k < n; ++k)
      total += (x.at({at[0], k}) - means.at({at[0]})) * (x.at({at[1], k}) - means.at({at[1]}));
    return total / std::max(static_cast<double>(n) - correction, 0.0);
  });
}

inline Array corrcoef_of(const Array& x) {
  const Array c = cov_of(x, 0);
  return generate(DType::f32, c.shape, [&](const Dims& i) {
    return c.at(i) / std::sqrt(c.at({i[0], i[0]}) * c.at({i[1], i[1]}));
  });
}

}  // namespace eglantine::test
