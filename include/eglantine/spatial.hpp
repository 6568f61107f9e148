#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "eglantine/shape.hpp"

/// What verbs over spatial axes take for each of them: pools, convolutions, interpolation.
namespace eglantine {

/// Numbers for spatial axes: an integer for all of them, or, in braces or a vector, one for each.
/// Throws ShapeError for an integer beyond int64_t, and for more than 8 numbers.
class EGLANTINE_API PerAxis {
 public:
  PerAxis() = default;  ///< none
  template <std::integral T>
  requires(!std::same_as<T, bool>) PerAxis(T number) : for_all_(true) {
    if (!fits_int64(number)) fail_number(static_cast<uint64_t>(number));
    numbers_.push_back(static_cast<int64_t>(number));
  }
  PerAxis(std::initializer_list<int64_t> numbers) : numbers_(numbers) {}
  PerAxis(const std::vector<int64_t>& numbers) : numbers_(numbers) {}

  bool empty() const { return numbers_.empty(); }
  bool is_for_all() const { return for_all_; }  ///< whether numbers() is one for all axes
  const IntList& numbers() const { return numbers_; }

 private:
  [[noreturn]] static void fail_number(uint64_t number);

  IntList numbers_;
  bool for_all_ = false;
};

/// valid: none. same: as much as gives ceil(length / stride) windows, half of it in front, an odd element more behind.
enum class Padding { valid, same };

/// Elements added in front of and behind each spatial axis: an integer for all sides, {{before, after}, ...} with a
/// pair for each axis, or a rule. Throws as PerAxis.
class EGLANTINE_API Pads {
 public:
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  using Value = std::variant<PerAxis, Pairs, Padding>;  ///< PerAxis: one number, for all sides

  Pads() : Pads(0) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Pads(T number) : value_(PerAxis(number)) {}
  Pads(std::initializer_list<std::pair<int64_t, int64_t>> before_after) : value_(Pairs(before_after)) {}
  Pads(Pairs before_after) : value_(std::move(before_after)) {}
  Pads(Padding rule) : value_(rule) {}

  const Value& value() const { return value_; }

 private:
  Value value_;
};

}  // namespace eglantine
