#include "accuracy/measure.hpp"

#include <cmath>
#include <span>

#include "accuracy/arguments.hpp"
#include "eglantine/ops.hpp"
#include "support/reference/reference_math.hpp"

namespace eglantine::accuracy {
namespace {

/// How far a result is from one reading of its arguments.
struct Distance {
  int64_t ulp = 0;
  double absolute = 0;
};

Distance distance(float got, double want) {
  const float rounded = static_cast<float>(want);
  const bool finite = std::isfinite(got) && std::isfinite(want);
  const double absolute = finite ? std::abs(static_cast<double>(got) - want) : 0;
  return {reference::ulp_distance(got, rounded), absolute};
}

/// Whether one is a NaN, or an infinity, and the other is not.
bool differ_in_nan(const Sample& s) { return std::isnan(s.got) != std::isnan(s.want); }
bool differ_in_infinity(const Sample& s) {
  const float rounded = static_cast<float>(s.want);
  return !differ_in_nan(s) && (std::isinf(s.got) || std::isinf(rounded)) && s.got != rounded;
}

class Judge {
 public:
  explicit Judge(const Operation& operation) : operation_(operation) { result_.operation = &operation; }

  void look_at(Sample sample) {
    ++result_.arguments;
    sample.want = operation_.reference(sample.x, sample.y);
    const double as_is = sample.want;
    Distance found = distance(sample.got, as_is);
    bool ok = is_within(sample, found);
    const bool counts = ok;
    // The denormal operands as zeros, in every combination: the reading that explains the result best counts.
    for (unsigned which = 1; found.ulp > 0 && which < 1U << operation_.arity; ++which) {
      if (!are_denormal(sample, which)) continue;
      Sample reread = sample;
      reread.want = operation_.reference(zero_if(sample.x, which & 1U), zero_if(sample.y, which & 2U));
      const Distance other = distance(sample.got, reread.want);
      if (!is_within(reread, other) || (ok && other.ulp >= found.ulp)) continue;
      sample = reread;
      found = other;
      ok = true;
    }
    count_denormals(sample, as_is, counts);
    count(sample, found, ok);
  }

  const Measured& result() const { return result_; }

 private:
  static float zero_if(float x, bool flush) { return flush ? std::copysign(0.0F, x) : x; }

  static bool are_denormal(const Sample& s, unsigned which) {
    return ((which & 1U) == 0 || is_denormal(s.x)) && ((which & 2U) == 0 || is_denormal(s.y));
  }

  bool is_within(const Sample& s, const Distance& d) const {
    if (differ_in_nan(s)) return false;
    const bool near = static_cast<double>(d.ulp) <= operation_.ulp;
    if (differ_in_infinity(s) && !near) return false;
    if (operation_.promises_ulp(s.x)) return near || (d.absolute > 0 && d.absolute <= operation_.absolute);
    return near || !operation_.promises_absolute(s.x) || d.absolute <= operation_.beyond;
  }

  void count_denormals(const Sample& s, double as_is, bool counts) {
    const float rounded = static_cast<float>(as_is);
    const bool from_zero = !counts && s.want != as_is && !std::isnan(as_is);
    const bool to_zero = is_denormal(rounded) && s.got == 0;
    if (from_zero || to_zero) result_.flushed.add(s);
    if (is_denormal(rounded) && is_denormal(s.got)) result_.kept.add(s);
  }

  void count(const Sample& s, const Distance& d, bool ok) {
    if (!ok) result_.broken.add(s);
    if (differ_in_nan(s)) return result_.nans.add(s);
    if (!ok && differ_in_infinity(s)) result_.infinities.add(s);
    if (s.want == 0 && s.got == 0 && std::signbit(s.want) != std::signbit(s.got)) result_.signs.add(s);
    const bool within_ulp = static_cast<double>(d.ulp) <= operation_.ulp;
    if (operation_.promises_ulp(s.x)) {
      if (d.ulp > result_.ulp) result_.ulp = d.ulp, result_.ulp_at = s;
    } else if (!operation_.promises_absolute(s.x)) {
      return;
    }
    if (!within_ulp && d.absolute > result_.absolute) result_.absolute = d.absolute, result_.absolute_at = s;
  }

  const Operation& operation_;
  Measured result_;
};

std::vector<float> results_of(const Operation& operation, const Device& device, const Arguments& arguments) {
  const auto tensor = [&](const std::vector<float>& values) {
    return Tensor::from(std::span<const float>(values), {static_cast<int64_t>(values.size())}, device);
  };
  const Tensor x = tensor(arguments.x);
  return operation.call(x, operation.arity == 2 ? tensor(arguments.y) : x).astype(DType::f32).to_vector<float>();
}

}  // namespace

Measured measure(const Operation& operation, const Device& device, uint32_t stride) {
  Judge judge(operation);
  for_each_batch(operation, stride, [&](const Arguments& arguments) {
    const std::vector<float> got = results_of(operation, device, arguments);
    for (size_t i = 0; i < got.size(); ++i)
      judge.look_at({arguments.x[i], operation.arity == 2 ? arguments.y[i] : 0, got[i], 0});
  });
  return judge.result();
}

}  // namespace eglantine::accuracy
