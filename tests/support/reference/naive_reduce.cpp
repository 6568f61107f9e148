#include <algorithm>
#include <cmath>
#include <limits>

#include "element_types.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test::naive {
namespace {

using Elements = std::vector<double>;

std::vector<bool> reduced_axes(size_t rank, const std::vector<Axis>& axes) {
  std::vector<bool> reduced(rank, axes.empty());
  for (Axis axis : axes) reduced[static_cast<size_t>(axis < 0 ? axis + static_cast<Axis>(rank) : axis)] = true;
  return reduced;
}

DType real(DType dtype) { return is_float(dtype) ? dtype : DType::f32; }

double wrapped_product(DType dtype, double a, double b) {
  const auto bits = [](double v) { return static_cast<uint32_t>(static_cast<int64_t>(v)); };
  return as_element(dtype, static_cast<double>(bits(a) * bits(b)));
}

/// The position of the best element: the first NaN, else the first that no later one beats.
double place_of(const Elements& x, bool (*beats)(double, double)) {
  size_t best = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return static_cast<double>(i);
    if (beats(x[i], x[best])) best = i;
  }
  return static_cast<double>(best);
}

bool larger(double a, double b) { return a > b; }
bool smaller(double a, double b) { return a < b; }

}  // namespace

Array reduce(const Array& x, std::vector<Axis> axes, bool keepdims, DType result,
             const std::function<double(const Elements&)>& f) {
  const std::vector<bool> reduced = reduced_axes(x.shape.size(), axes);
  Dims kept;
  Dims over;
  Dims shape;
  for (size_t i = 0; i < reduced.size(); ++i) {
    kept.push_back(reduced[i] ? 1 : x.shape[i]);
    over.push_back(reduced[i] ? x.shape[i] : 1);
    if (!reduced[i] || keepdims) shape.push_back(kept.back());
  }
  Array out = generate(result, kept, [&](const Dims& outer) {
    Elements elements;
    for_each_index(over, [&](Dims inner) {
      for (size_t i = 0; i < inner.size(); ++i) inner[i] += outer[i];
      elements.push_back(x.at(inner));
    });
    return f(elements);
  });
  out.shape = shape;
  return out;
}

Array sum(const Array& x, const std::vector<Axis>& axes, bool keepdims) {
  const DType dtype = counted(x.dtype);
  return reduce(x, axes, keepdims, dtype, [&](const Elements& elements) {
    double total = 0;
    for (double v : elements) total = is_float(dtype) ? total + v : as_element(dtype, total + v);
    return total;
  });
}

Array prod(const Array& x, const std::vector<Axis>& axes, bool keepdims) {
  const DType dtype = counted(x.dtype);
  return reduce(x, axes, keepdims, dtype, [&](const Elements& elements) {
    double total = 1;
    for (double v : elements) total = is_float(dtype) ? total * v : wrapped_product(dtype, total, v);
    return total;
  });
}

Array max(const Array& x, const std::vector<Axis>& axes, bool keepdims) {
  return reduce(x, axes, keepdims, x.dtype,
                [](const Elements& e) { return e[static_cast<size_t>(place_of(e, larger))]; });
}

Array min(const Array& x, const std::vector<Axis>& axes, bool keepdims) {
  return reduce(x, axes, keepdims, x.dtype,
                [](const Elements& e) { return e[static_cast<size_t>(place_of(e, smaller))]; });
}

Array argmax(const Array& x, Axis axis, bool keepdims) {
  return reduce(x, {axis}, keepdims, DType::i32, [](const Elements& e) { return place_of(e, larger); });
}

Array argmin(const Array& x, Axis axis, bool keepdims) {
  return reduce(x, {axis}, keepdims, DType::i32, [](const Elements& e) { return place_of(e, smaller); });
}

Array sum_of_absolutes(const Array& x, const std::vector<Axis>& axes, bool keepdims) {
  return sum(map(x, DType::f32, [](double v) { return std::abs(v); }), axes, keepdims);
}

Array mean(const Array& x, const std::vector<Axis>& axes, bool keepdims) {
  return reduce(x, axes, keepdims, real(x.dtype), [](const Elements& elements) {
    double total = 0;
    for (double v : elements) total += v;
    return total / static_cast<double>(elements.size());
  });
}

Array var(const Array& x, const std::vector<Axis>& axes, bool keepdims) {
  return reduce(x, axes, keepdims, real(x.dtype), [](const Elements& elements) {
    double total = 0;
    for (double v : elements) total += v;
    const double middle = total / static_cast<double>(elements.size());
    double squares = 0;
    for (double v : elements) squares += (v - middle) * (v - middle);
    return squares / static_cast<double>(elements.size());
  });
}

Array logsumexp(const Array& x, const std::vector<Axis>& axes, bool keepdims) {
  return reduce(x, axes, keepdims, real(x.dtype), [](const Elements& elements) {
    double high = -std::numeric_limits<double>::infinity();
    for (double v : elements) high = std::isnan(v) || v > high ? v : high;
    if (!std::isfinite(high)) return high;
    double total = 0;
    for (double v : elements) total += std::exp(v - high);
    return high + std::log(total);
  });
}

}  // namespace eglantine::test::naive
