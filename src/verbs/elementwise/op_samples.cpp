#include "verbs/elementwise/op_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check/check.hpp"
#include "eglantine/scalar.hpp"

namespace eglantine::verbs {

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
// None is so small that a driver may flush it to zero.
constexpr float special[] = {0.0F, -0.0F, 1.0F, -1.0F, 0.5F, 2.0F, 1e-30F, -1e-30F, 1e30F, -1e30F, inf, -inf, nan};
constexpr size_t random_choices = 512, in_each_range = 256;
constexpr ValueRange ranges[] = {{-1, 1}, {0, 1}, {-10, 10}, {-100, 100}};

bool holds(const CheckOptions& options, float value) {
  const CheckOptions open;
  if (std::isnan(value)) return options.nan;
  if (std::isinf(value)) return value < 0 ? options.low == open.low : options.high == open.high;
  return value >= options.low && value <= options.high;
}

std::vector<float> special_values(const CheckOptions& options) {
  std::vector<float> values;
  if (!options.special_values) return values;
  for (float value : special)
    if (holds(options, value)) values.push_back(value);
  return values;
}

void add_specials(Columns& columns, SampleNumbers& numbers, const std::vector<float>& values) {
  const size_t arity = columns.size(), count = values.size();
  if (count == 0) return;
  if (arity > 2) {
    for (std::vector<float>& column : columns)
      for (size_t i = 0; i < random_choices; ++i) column.push_back(values[numbers.below(count)]);
    return;
  }
  for (size_t i = 0; i < (arity == 1 ? count : count * count); ++i) {
    columns.front().push_back(values[i % count]);
    if (arity == 2) columns.back().push_back(values[i / count]);
  }
}

void add_ranges(std::vector<float>& column, SampleNumbers& numbers, const CheckOptions& options) {
  for (const ValueRange& range : ranges) {
    const auto [low, high] = within(options, range);
    for (size_t i = 0; i < in_each_range; ++i) column.push_back(numbers.between(low, high));
  }
}

}  // namespace

void require_range(const CheckOptions& options) {
  constexpr std::string_view function = "check_op";
  const std::string range = Scalar(options.low).text() + " to " + Scalar(options.high).text();
  if (!std::isfinite(options.low) || !std::isfinite(options.high))
    check::fail<Error>(function, "the range from ", range, " is not finite; an end is open when it is left as it is");
  if (options.low >= options.high)
    check::fail<Error>(function, "the range from ", range, " holds no two numbers; low must be below high");
}

ValueRange within(const CheckOptions& options, const ValueRange& range) {
  const ValueRange common{std::max(range.low, options.low), std::min(range.high, options.high)};
  return common.low < common.high ? common : ValueRange{options.low, options.high};
}

float SampleNumbers::between(float low, float high) {
  if (!std::isfinite(high - low)) return 2 * between(low / 2, high / 2);
  return std::min(high, low + (high - low) * (static_cast<float>(word_() >> 8) * 0x1p-24F));
}

float SampleNumbers::of_any_size() {
  const float size = std::pow(10.0F, between(-6, 6));
  return below(2) == 0 ? size : -size;
}

Columns sample_arguments(int arity, const CheckOptions& options) {
  SampleNumbers numbers;
  Columns columns(static_cast<size_t>(arity));
  add_specials(columns, numbers, special_values(options));
  for (std::vector<float>& column : columns) {
    add_ranges(column, numbers, options);
    for (size_t i = 0; i < in_each_range; ++i) {
      const float any = numbers.of_any_size();
      column.push_back(holds(options, any) ? any : numbers.between(options.low, options.high));
    }
  }
  return columns;
}

Columns sample_triples(const CheckOptions& options) {
  SampleNumbers numbers;
  Columns columns(3);
  for (const ValueRange& range : ranges) {
    const auto [low, high] = within(options, range);
    for (std::vector<float>& column : columns)
      for (size_t i = 0; i < in_each_range; ++i) column.push_back(numbers.between(low, high));
  }
  return columns;
}

std::vector<float> finite_samples(const CheckOptions& options) {
  std::vector<float> samples = sample_arguments(1, options).front();
  std::erase_if(samples, [](float x) { return !std::isfinite(x); });
  return samples;
}

}  // namespace eglantine::verbs
