#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "eglantine/operand.hpp"
#include "eglantine/tensor.hpp"

/// What Tensor::operator[], operator(), index and index_put take.
namespace eglantine {

/// The places start, start + step, ... before stop (after it where step < 0) along an axis, as Python's
/// start:stop:step: negative bounds count from the end, absent ones are the ends in the step's direction, and bounds
/// outside the axis are cut to it. A step of 0 is an IndexError.
struct Slice {
  std::optional<int64_t> start{}, stop{};
  int64_t step = 1;
};

/// A new axis of length 1.
struct NewAxis {};
inline constexpr NewAxis newaxis{};

/// As many whole axes as the other indices leave.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};

/// One index of a tensor: an integer, a Slice, newaxis, ellipsis, or a tensor of i32 or booleans.
class EGLANTINE_API Index {
 public:
  using Value = std::variant<int64_t, Slice, NewAxis, Ellipsis, Tensor>;

  /// Throws IndexError for an integer beyond int64_t.
  template <std::integral T>
  requires(!std::same_as<T, bool>) Index(T place) : value_(checked(place)) {}
  Index(Slice slice) : value_(slice) {}
  Index(NewAxis) : value_(newaxis) {}
  Index(Ellipsis) : value_(ellipsis) {}
  Index(Tensor places) : value_(std::move(places)) {}

  const Value& value() const { return value_; }

 private:
  template <class T>
  static int64_t checked(T place) {
    if (!fits_int64(place)) fail_place(static_cast<uint64_t>(place));
    return static_cast<int64_t>(place);
  }
  [[noreturn]] static void fail_place(uint64_t place);

  Value value_;
};

template <class... Indices>
Tensor Tensor::operator()(const Indices&... indices) const {
  return index({Index(indices)...});
}

}  // namespace eglantine
