#include "verbs/network/spatial.hpp"

#include <algorithm>
#include <string>

#include "check/check.hpp"

namespace eglantine::verbs {

namespace {

using check::fail;

constexpr int words_of_axis = 8;

std::string text(int64_t number) { return std::to_string(number); }
std::string text(int64_t before, int64_t after) { return "(" + text(before) + ", " + text(after) + ")"; }

int64_t ceil_divided(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

/// "a window of 3 elements, 2 apart,"
std::string window_text(const SpatialAxis& given) {
  return "a window of " + text(given.window) + " elements" +
         (given.dilation == 1 ? "" : ", " + text(given.dilation) + " apart,");
}

[[noreturn]] void fail_beyond(std::string_view function, const Shape& shape, const SpatialAxis& given) {
  fail<ShapeError>(function, window_text(given), " and padding ", text(given.before, given.after), " of axis ",
                   text(given.axis), " of ", to_string(shape), " reach beyond 2^63 - 1 places");
}

/// Throws unless extent() and padded() are numbers that leave room for a stride.
void require_lengths(std::string_view function, const Shape& shape, const SpatialAxis& given) {
  int64_t span = 0, padded = 0;
  if (__builtin_mul_overflow(given.window - 1, given.dilation, &span) || __builtin_add_overflow(span, 1, &span) ||
      __builtin_add_overflow(given.before, given.length, &padded) ||
      __builtin_add_overflow(padded, given.after, &padded) || __builtin_add_overflow(padded, span, &padded) ||
      __builtin_add_overflow(padded, given.stride, &padded))
    fail_beyond(function, shape, given);
}

/// Padding::same.
SpatialAxis padded_as_same(std::string_view function, const Shape& shape, SpatialAxis given) {
  require_lengths(function, shape, given);
  const int64_t outputs = ceil_divided(given.length, given.stride);
  const int64_t total = outputs == 0 ? 0 : (outputs - 1) * given.stride + given.extent() - given.length;
  if (total > 0) {
    given.before = total / 2;
    given.after = total - total / 2;
  }
  given.outputs = outputs;
  return given;
}

const Pads::Pairs& require_pairs(std::string_view function, const Pads::Pairs& pairs, const Shape& shape, int first) {
  if (pairs.size() != static_cast<size_t>(shape.rank() - first))
    fail<ShapeError>(function, "padding has ", std::to_string(pairs.size()), " pairs, for the ",
                     std::to_string(shape.rank() - first), " spatial axes of ", to_string(shape));
  return pairs;
}

/// What pads say of the k-th spatial axis.
std::pair<int64_t, int64_t> pads_of(const Pads& pads, size_t k) {
  if (const auto* pairs = std::get_if<Pads::Pairs>(&pads.value())) return (*pairs)[k];
  const auto* number = std::get_if<PerAxis>(&pads.value());
  const int64_t side = number != nullptr ? number->numbers()[0] : 0;
  return {side, side};
}

bool is_same(std::string_view function, const Pads& pads) {
  const auto* rule = std::get_if<Padding>(&pads.value());
  if (rule != nullptr && *rule != Padding::valid && *rule != Padding::same)
    fail<Error>(function, std::to_string(static_cast<int>(*rule)), " is no Padding; there are valid and same");
  return rule != nullptr && *rule == Padding::same;
}

}  // namespace

std::vector<int64_t> words_of(const std::vector<SpatialAxis>& axes) {
  std::vector<int64_t> words;
  words.reserve(axes.size() * words_of_axis);
  for (const auto& [axis, length, window, stride, dilation, before, after, outputs] : axes)
    words.insert(words.end(), {axis, length, window, stride, dilation, before, after, outputs});
  return words;
}

std::vector<SpatialAxis> axes_of_words(const std::vector<int64_t>& words) {
  std::vector<SpatialAxis> axes;
  for (auto at = words.begin(); at != words.end(); at += words_of_axis)
    axes.push_back({static_cast<int>(at[0]), at[1], at[2], at[3], at[4], at[5], at[6], at[7]});
  return axes;
}

std::vector<int64_t> per_axis(std::string_view function, std::string_view name, const PerAxis& given,
                              const Shape& shape, int first, int64_t least) {
  const int axes = shape.rank() - first;
  if (!given.is_for_all() && given.numbers().rank() != axes)
    fail<ShapeError>(function, name, " is ", to_string(given.numbers()), ", which is not one number for each of the ",
                     std::to_string(axes), " spatial axes of ", to_string(shape));
  std::vector<int64_t> numbers;
  for (int k = 0; k < axes; ++k) {
    numbers.push_back(given.numbers()[given.is_for_all() ? 0 : k]);
    if (numbers.back() < least)
      fail<ShapeError>(function, name, " of axis ", std::to_string(first + k), " is ", text(numbers.back()),
                       "; it is at least ", text(least));
  }
  return numbers;
}

std::vector<Sides> sides_of(std::string_view function, const Shape& shape, int first, const Pads& pads) {
  const bool same = is_same(function, pads);
  if (const auto* pairs = std::get_if<Pads::Pairs>(&pads.value())) require_pairs(function, *pairs, shape, first);
  std::vector<Sides> sides;
  for (int axis = first; axis < shape.rank(); ++axis) {
    const auto [before, after] = pads_of(pads, static_cast<size_t>(axis - first));
    if (before < 0 || after < 0)
      fail<ShapeError>(function, "padding of axis ", std::to_string(axis), " is ", text(before, after),
                       "; counts are not negative");
    sides.push_back({before, after, same});
  }
  return sides;
}

std::vector<SpatialAxis> spatial_axes(std::string_view function, const Shape& shape, int first,
                                      const WindowRule& rule) {
  std::vector<SpatialAxis> axes;
  for (const Sides& sides : sides_of(function, shape, first, rule.padding)) {
    const size_t k = axes.size();
    const int axis = first + static_cast<int>(k);
    SpatialAxis given{axis, shape[axis], rule.window[k], rule.stride[k], rule.dilation[k], sides.before, sides.after};
    axes.push_back(sides.same ? padded_as_same(function, shape, given)
                              : with_outputs(function, shape, given, rule.ceil_mode));
  }
  return axes;
}

SpatialAxis with_outputs(std::string_view function, const Shape& shape, SpatialAxis given, bool ceil_mode) {
  require_lengths(function, shape, given);
  // Places of a window's first element after the first window; under ceil_mode also those that pass the padding.
  const int64_t room = given.padded() - given.extent() + (ceil_mode ? given.stride - 1 : 0);
  given.outputs = room < 0 ? 0 : room / given.stride + 1;
  if (ceil_mode) given.outputs = std::min(given.outputs, ceil_divided(given.before + given.length, given.stride));
  if (given.outputs > 0) return given;
  fail<ShapeError>(function, window_text(given), " spans ", text(given.extent()), " places; axis ", text(given.axis),
                   " of ", to_string(shape), " has ", text(given.length), ", and padding of ",
                   text(given.before, given.after));
}

std::optional<int64_t> window_of_padding(const SpatialAxis& x) {
  for (int64_t o = 0; o < x.outputs && o * x.stride < x.before; ++o) {
    const int64_t in_front = x.before - o * x.stride, first = ceil_divided(in_front, x.dilation);
    if (first >= x.window || first * x.dilation - in_front >= x.length) return o;
  }
  const int64_t behind = ceil_divided(x.before + x.length, x.stride);
  return behind < x.outputs ? std::optional(behind) : std::nullopt;
}

}  // namespace eglantine::verbs
