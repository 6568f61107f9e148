#include "verbs/creation/linspace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "evaluate/upload.hpp"
#include "verbs/build.hpp"

/// linspace and logspace: an exact line in integers of 64 and 96 bits, then rounded once. Integers have the same bits
/// on every device, and no compiler contracts them.
namespace eglantine {

namespace {

/// value(i) = start + i * step in 96 bits, two's complement, the lowest word first, in units of 2^(exponent - 94). The
/// ends are rounded to multiples of 2^34 units, 2^-60 of the larger. step is rounded to a unit, so value(i) is within
/// 1/8 of a multiple; rounded to one, it is exact where the line passes through one, as through 0. For that start is
/// half a multiple more, and the lowest 34 bits are cut off.
struct Line {
  std::array<uint32_t, 3> start, step;
  int exponent;
};

/// numerator 2^34 / denominator rounded to nearest, |numerator| < 2^62, denominator < 2^33.
std::array<uint32_t, 3> scaled_quotient(int64_t numerator, uint64_t denominator) {
  const uint64_t size = numerator < 0 ? -static_cast<uint64_t>(numerator) : static_cast<uint64_t>(numerator);
  const uint64_t whole = size / denominator, rest = size % denominator;
  // 34 bits more, and one to round by, in two steps that fit 64 bits.
  const uint64_t first = (rest << 30) / denominator, left = (rest << 30) % denominator;
  const uint64_t fraction = ((first << 5 | (left << 5) / denominator) + 1) >> 1;
  uint64_t low = (whole << 34) + fraction, high = (whole >> 30) + (low < fraction ? 1 : 0);
  if (numerator < 0) {
    low = -low;
    high = ~high + (low == 0 ? 1 : 0);
  }
  return {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), static_cast<uint32_t>(high)};
}

Line line_of(double start, double stop, int64_t steps, int least_exponent = std::numeric_limits<int>::min()) {
  int exponent = 0;
  std::frexp(std::max(std::abs(start), std::abs(stop)), &exponent);
  exponent = std::max(exponent, least_exponent);
  const auto multiple = [&](double x) { return std::llrint(std::ldexp(x, 60 - exponent)); };
  const int64_t first = multiple(start), last = multiple(stop);
  const uint64_t raised = (static_cast<uint64_t>(first) << 2) + 2;
  return {{0, static_cast<uint32_t>(raised), static_cast<uint32_t>(raised >> 32)},
          scaled_quotient(last - first, static_cast<uint64_t>(steps)),
          exponent};
}

/// The words of value(i) 2^(62 - exponent), a signed integer of 64 bits.
struct Fixed {
  Tensor high, low;
};
Fixed values_of(const Line& line, const Tensor& i) {
  const auto constant = [&](uint32_t word) { return full(i.shape(), word, DType::u32, i.device()); };
  const auto multiply_high = [&](uint32_t factor, const Tensor& more) {
    return pend(make_elementwise(Op::multiply_high, DType::u32, {i.node(), constant(factor).node(), more.node()}));
  };
  const Tensor carry = multiply_high(line.step[0], constant(0));  // the lowest word of start is 0
  const Tensor middle = i * line.step[1] + carry, low = middle + line.start[1];
  const Tensor high = i * line.step[2] + multiply_high(line.step[1], carry) + line.start[2];
  return {high + (low < line.start[1]).astype(DType::u32), low & ~3U};
}

void require_line(std::string_view function, double start, double stop, int64_t count, DType dtype) {
  check::require_types(function, Types::real, dtype);
  if (count < 0) check::fail<ShapeError>(function, "a negative count: ", std::to_string(count));
  if (count > int64_t{1} << 32)
    check::fail<ShapeError>(function, std::to_string(count), " elements are more than 2^32");
  if (!std::isfinite(start) || !std::isfinite(stop))
    check::fail<Error>(function, "start and stop must be finite, got ", Scalar(start).text(), " and ",
                       Scalar(stop).text());
}

/// The ends as they are, which a window of 60 bits may cut.
Tensor with_ends(const Tensor& i, const Tensor& inner, double first, double last) {
  return where(i == 0U, first, where(i == static_cast<uint32_t>(i.size() - 1), last, inner));
}

/// Element i as values_of() and Op::float_of_fixed have it, of a line whose elements are no denormals.
float element_of(const Line& line, uint32_t i) {
  const uint64_t middle = uint64_t{i} * line.step[1] + (uint64_t{i} * line.step[0] >> 32);
  const uint32_t low = static_cast<uint32_t>(middle) + line.start[1];
  const uint32_t high =
      i * line.step[2] + static_cast<uint32_t>(middle >> 32) + line.start[2] + (low < line.start[1] ? 1U : 0U);
  const auto fixed = static_cast<int64_t>(uint64_t{high} << 32 | (low & ~3U));
  return std::ldexp(static_cast<float>(fixed), line.exponent - 62);
}

}  // namespace

std::optional<Tensor> verbs::few_on_a_line(float start, float stop, int64_t count, const Device& device) {
  constexpr int64_t few = 4096, whose = 0x6c696e65;  // "line"
  constexpr int least_exponent = -60;                // of lines without denormals
  const float larger = std::max(std::abs(start), std::abs(stop));
  if (count < 2 || count > few || !(larger >= std::ldexp(1.0F, least_exponent))) return std::nullopt;
  const std::vector<int64_t> words{whose, std::bit_cast<int32_t>(start), std::bit_cast<int32_t>(stop), count};
  const auto make = [&] {
    const Line line = line_of(start, stop, count - 1);
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = element_of(line, static_cast<uint32_t>(i));
    values.front() = start;
    values.back() = stop;
    return std::vector<NodePtr>{Tensor::from(values, {count}, device).node()};
  };
  return Tensor(uploaded_once(device, words, make).front());
}

Tensor linspace(double start, double stop, int64_t count, DType dtype, const Device& device) {
  require_line("linspace", start, stop, count, dtype);
  for (double end : {start, stop}) Scalar(end).bits(dtype, "linspace");
  if (count <= 1) return full({count}, start, dtype, device);
  const Tensor i = verbs::iota(device, {count});
  const Line line = line_of(start, stop, count - 1);
  const auto [high, low] = values_of(line, i);
  const Tensor exponent = full({count}, static_cast<uint32_t>(line.exponent - 62), DType::u32, device);
  // A narrow result is rounded again.
  const Op rounding = is_narrow(dtype) ? Op::odd_of_fixed : Op::float_of_fixed;
  const Tensor inner = pend(make_elementwise(rounding, dtype, {high.node(), low.node(), exponent.node()}));
  return with_ends(i, inner, start, stop);
}

Tensor logspace(double start, double stop, int64_t count, double base, DType dtype, const Device& device) {
  require_line("logspace", start, stop, count, dtype);
  if (!(base > 0) || !std::isfinite(base))
    check::fail<Error>("logspace", "the base must be positive and finite, got ", Scalar(base).text());
  constexpr int largest = 20;
  const double first = start * std::log2(base), last = stop * std::log2(base);
  for (double power : {first, last})
    if (!(std::abs(power) < std::ldexp(1.0, largest)))
      check::fail<Error>("logspace", "powers of ", Scalar(base).text(), " from ", Scalar(start).text(), " to ",
                         Scalar(stop).text(), " pass 2^(2^20)");
  const auto rounded = [&](double power) { return static_cast<double>(static_cast<float>(std::pow(base, power))); };
  if (count <= 1) return full({count}, rounded(start), DType::f32, device).astype(dtype);
  const Tensor i = verbs::iota(device, {count});
  // The binary point lies `whole` bits below the top: above it the exponent of 2, below it 32 bits of fraction.
  const Line line = line_of(first, last, count - 1, largest);
  const auto [high, low] = values_of(line, i);
  constexpr uint32_t point = 62 - largest - 32;
  const Tensor whole = (high.astype(DType::i32) >> point).astype(DType::u32);
  const Tensor fraction = (high << (32 - point)) | (low >> point);
  const Tensor inner = pend(make_elementwise(Op::exp2_of_fixed, DType::f32, {whole.node(), fraction.node(), nullptr}));
  return with_ends(i, inner, rounded(start), rounded(stop)).astype(dtype);
}

}  // namespace eglantine
