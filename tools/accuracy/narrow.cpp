#include "accuracy/narrow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "accuracy/arguments.hpp"
#include "eglantine/ops.hpp"

namespace eglantine::accuracy {
namespace {

struct Format {
  int fraction, lowest, highest;  ///< bits of the fraction, exponents of the least normal and of the largest number
  float (*value)(uint32_t bits);
};

Format format_of(DType dtype) {
  if (dtype == DType::f16) return {10, -14, 15, [](uint32_t bits) -> float { return half::from_bits(uint16_t(bits)); }};
  return {7, -126, 127, [](uint32_t bits) -> float { return bfloat16::from_bits(uint16_t(bits)); }};
}

/// Below, an f32 result that is off by 8 ULP may be denormal, and flushed.
constexpr double least_kept = std::numeric_limits<float>::min() * (1 + 0x1p-20);

/// An infinity as the power of two behind the largest number, which is as far as rounding goes.
double clamped(const Format& format, double x) {
  const double end = std::ldexp(1.0, format.highest + 1);
  return std::clamp(x, -end, end);
}

class NarrowJudge {
 public:
  NarrowJudge(const Operation& operation, DType dtype) : operation_(operation), format_(format_of(dtype)) {
    result_.operation = &operation;
    result_.dtype = dtype;
  }

  void look_at(Sample sample) {
    ++result_.arguments;
    sample.want = operation_.reference(sample.x, sample.y);
    double found = error_of(sample);
    bool ok = is_within(sample, found);
    const auto as = [&](float x, float y) {
      Sample reread = sample;
      reread.want = operation_.reference(x, y);
      found = error_of(reread);
      ok = is_within(reread, found);
    };
    // Denormal operands as zeros, in every combination, and a NaN of the other sign, which widening need not keep: a
    // reading that explains the result counts.
    for (unsigned which = 1; !ok && which < 1U << operation_.arity; ++which)
      as(zero_if(sample.x, which & 1U), zero_if(sample.y, which & 2U));
    if (!ok && std::isnan(sample.y)) as(sample.x, -sample.y);
    if (!ok) return result_.broken.add(sample);
    if (operation_.promises_ulp(sample.x) && found <= narrow_promise && found > result_.ulp) {
      result_.ulp = found;
      result_.ulp_at = sample;
    }
  }

  const NarrowMeasured& result() const { return result_; }

 private:
  static float zero_if(float x, bool flush) { return flush && is_denormal(x) ? std::copysign(0.0F, x) : x; }

  double error_of(const Sample& s) const {
    if (std::isnan(s.got) || std::isnan(s.want)) return std::isnan(s.got) == std::isnan(s.want) ? 0 : HUGE_VAL;
    const double want = clamped(format_, s.want), apart = std::abs(clamped(format_, s.got) - want);
    if (s.got == 0 && std::abs(want) < least_kept) return 0;  // flushed, or rounded
    return apart / std::min(narrow_ulp(result_.dtype, want), std::ldexp(1.0, format_.highest - format_.fraction));
  }

  bool is_within(const Sample& s, double error) const {
    if (std::isnan(s.got) != std::isnan(s.want)) return false;
    if (error <= narrow_promise) return true;
    if (operation_.promises_ulp(s.x)) return is_within(s, error, operation_.absolute);
    return !operation_.promises_absolute(s.x) || is_within(s, error, operation_.beyond);
  }

  /// Rounded to nearest after an absolute error.
  bool is_within(const Sample& s, double error, double absolute) const {
    return absolute > 0 && error <= 0.5 + absolute / narrow_ulp(result_.dtype, clamped(format_, s.want));
  }

  const Operation& operation_;
  Format format_;
  NarrowMeasured result_;
};

Arguments all_values(const Format& format) {
  Arguments all;
  for (uint32_t bits = 0; bits < 65536; ++bits) all.x.push_back(format.value(bits));
  return all;
}

Arguments pairs(const Format& format, uint32_t stride) {
  Arguments arguments;
  const auto add = [&](uint32_t x, uint32_t y) {
    arguments.x.push_back(format.value(x & 0xffffU));
    arguments.y.push_back(format.value(y & 0xffffU));
  };
  for (uint32_t x = 0; x < 65536; x += 509)
    for (uint32_t y = 0; y < 65536; y += 521) add(x, y);
  std::mt19937 engine(20240229);
  for (uint64_t i = 0; i < (uint64_t{1} << 32) / stride; ++i) {
    const uint32_t x = engine(), y = engine();
    // Of like magnitude: an exponent within 2 of the other's.
    const uint32_t like = (x + (y % 5 << format.fraction) - (2U << format.fraction)) ^ (y >> 8 & 0x803fU);
    add(x, i % 2 == 0 ? y : like);
  }
  return arguments;
}

std::vector<float> results_of(const Operation& operation, DType dtype, const Device& device, const Arguments& of) {
  const auto tensor = [&](const std::vector<float>& values) {
    return Tensor::from(values, {static_cast<int64_t>(values.size())}, device).astype(dtype).eval();
  };
  const Tensor x = tensor(of.x);
  return operation.call(x, operation.arity == 2 ? tensor(of.y) : x).astype(DType::f32).to_vector<float>();
}

}  // namespace

double narrow_ulp(DType dtype, double x) {
  const Format format = format_of(dtype);
  const int exponent = x == 0 ? format.lowest : std::max(std::ilogb(x), format.lowest);
  return std::ldexp(1.0, exponent - format.fraction);
}

NarrowMeasured measure_narrow(const Operation& operation, DType dtype, const Device& device, uint32_t stride) {
  NarrowJudge judge(operation, dtype);
  const Format format = format_of(dtype);
  const Arguments arguments = operation.arity == 1 ? all_values(format) : pairs(format, stride);
  const std::vector<float> got = results_of(operation, dtype, device, arguments);
  for (size_t i = 0; i < got.size(); ++i)
    judge.look_at({arguments.x[i], operation.arity == 2 ? arguments.y[i] : 0, got[i], 0});
  return judge.result();
}

}  // namespace eglantine::accuracy
