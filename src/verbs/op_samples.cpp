#include "verbs/op_samples.hpp"

#include <cmath>
#include <limits>

namespace eglantine::verbs {

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
// None is so small that a driver may take it for zero.
constexpr float special[] = {0.0F, -0.0F, 1.0F, -1.0F, 0.5F, 2.0F, 1e-30F, -1e-30F, 1e30F, -1e30F, inf, -inf, nan};
constexpr size_t specials = std::size(special);
constexpr size_t random_choices = 512, in_each_range = 256;

struct Range {
  float low, high;
};
constexpr Range ranges[] = {{-1, 1}, {0, 1}, {-10, 10}, {-100, 100}};

void add_specials(Columns& columns, Numbers& numbers) {
  const size_t arity = columns.size();
  if (arity > 2) {
    for (std::vector<float>& column : columns)
      for (size_t i = 0; i < random_choices; ++i) column.push_back(special[numbers.below(specials)]);
    return;
  }
  for (size_t i = 0; i < (arity == 1 ? specials : specials * specials); ++i) {
    columns.front().push_back(special[i % specials]);
    if (arity == 2) columns.back().push_back(special[i / specials]);
  }
}

}  // namespace

float Numbers::between(float low, float high) {
  return low + (high - low) * static_cast<float>(word_() >> 8) * 0x1p-24F;
}

float Numbers::of_any_size() {
  const float size = std::pow(10.0F, between(-6, 6));
  return below(2) == 0 ? size : -size;
}

Columns sample_arguments(int arity) {
  Numbers numbers;
  Columns columns(static_cast<size_t>(arity));
  add_specials(columns, numbers);
  for (std::vector<float>& column : columns) {
    for (const Range& range : ranges)
      for (size_t i = 0; i < in_each_range; ++i) column.push_back(numbers.between(range.low, range.high));
    for (size_t i = 0; i < in_each_range; ++i) column.push_back(numbers.of_any_size());
  }
  return columns;
}

Columns sample_triples() {
  Numbers numbers;
  Columns columns(3);
  for (const Range& range : ranges)
    for (std::vector<float>& column : columns)
      for (size_t i = 0; i < in_each_range; ++i) column.push_back(numbers.between(range.low, range.high));
  return columns;
}

std::vector<float> finite_samples() {
  std::vector<float> samples = sample_arguments(1).front();
  std::erase_if(samples, [](float x) { return !std::isfinite(x); });
  return samples;
}

}  // namespace eglantine::verbs
