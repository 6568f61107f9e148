#include "perf/check.hpp"

#include <algorithm>
#include <cmath>

namespace eglantine::perf {

namespace {

constexpr int64_t elements_of_a_piece = int64_t{1} << 20;

bool near(double actual, double expected, const Check& check) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(actual) : actual == expected;
  return std::abs(actual - expected) <= check.relative * std::abs(expected) + check.absolute;
}

template <class T>
std::string difference_of(const Tensor& actual, const Tensor& expected, const Check& check) {
  const std::vector<T> a = actual.to_vector<T>(), e = expected.to_vector<T>();
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same =
        std::is_same_v<T, float> ? near(static_cast<double>(a[i]), static_cast<double>(e[i]), check) : a[i] == e[i];
    if (!same)
      return "element " + std::to_string(i) + " of " + to_string(actual.shape()) + " is " + std::to_string(a[i]) +
             ", not " + std::to_string(e[i]);
  }
  return "";
}

Tensor piece_of(const Tensor& x, int axis, int64_t start, int64_t stop) {
  return axis < 0 ? x : x.slice(axis, start, stop);
}

std::string difference_of_any(const Tensors& actual, const Tensors& expected, const Check& check) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::string what = difference(actual[i], expected[i], check); !what.empty())
      return expected.size() == 1 ? what : "result " + std::to_string(i) + ": " + what;
  return "";
}

/// Compares one piece; operands that are not cut are on the reference device already.
std::string problem_of_piece(const std::function<Tensors(const Tensors&)>& verb, const Tensors& operands,
                             const Tensors& whole, const Tensors& results, const Check& check, int64_t start,
                             int64_t stop) {
  Tensors cut;
  for (size_t i = 0; i < operands.size(); ++i) {
    const int axis = check.operand_axes[i];
    cut.push_back(axis < 0 ? whole[i] : piece_of(operands[i], axis, start, stop).to(whole[i].device()));
  }
  Tensors pieces;
  for (const Tensor& result : results) pieces.push_back(piece_of(result, check.result_axis, start, stop));
  const std::string what = difference_of_any(pieces, verb(cut), check);
  return what.empty() ? "" : "from " + std::to_string(start) + " to " + std::to_string(stop) + ": " + what;
}

}  // namespace

Device reference_for(const Device& device) {
  if (device.info().kind != "cpu") return Device::open("cpu");
  try {
    return Device::open("gl");
  } catch (const DeviceError&) {
    return device;
  }
}

std::string difference(const Tensor& actual, const Tensor& expected, const Check& check) {
  if (!(actual.shape() == expected.shape()))
    return "the shape is " + to_string(actual.shape()) + ", not " + to_string(expected.shape());
  switch (expected.dtype()) {
    case DType::f32:
      return difference_of<float>(actual, expected, check);
    case DType::f16:
    case DType::bf16:
      return difference(actual.astype(DType::f32), expected.astype(DType::f32), check);
    case DType::i32:
      return difference_of<int32_t>(actual, expected, check);
    case DType::u32:
      return difference_of<uint32_t>(actual, expected, check);
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      return difference(actual.astype(DType::i32), expected.astype(DType::i32), check);
  }
  return "";
}

std::string problem_of(const std::function<Tensors(const Tensors&)>& verb, const Tensors& operands,
                       const Check& check) {
  const Device reference = reference_for(operands.front().device());
  const Tensors results = verb(operands);
  eval(results);
  Tensors whole;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool needed = check.result_axis < 0 || check.operand_axes[i] < 0;
    whole.push_back(needed ? operands[i].to(reference) : zeros({1}, DType::f32, reference));
  }
  if (check.result_axis < 0) return difference_of_any(results, verb(whole), check);
  const int64_t length = results.front().shape()[check.result_axis];
  const int64_t piece =
      std::clamp<int64_t>(elements_of_a_piece / std::max<int64_t>(1, results.front().size() / length), 1, length);
  for (const int64_t start : {int64_t{0}, (length - piece) / 2, length - piece}) {
    std::string what = problem_of_piece(verb, operands, whole, results, check, start, start + piece);
    if (!what.empty() || piece == length) return what;
  }
  return "";
}

}  // namespace eglantine::perf
