#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "eglantine/verbs/movement.hpp"
#include "support/array.hpp"

/// pad, roll and windows as loops over indices.
namespace eglantine::test::naive {

/// Where the element at `place` (negative: in front) of an axis comes from; -1: from nowhere.
inline int64_t padded_from(int64_t place, int64_t length, PadMode mode) {
  if (mode == PadMode::constant) return place >= 0 && place < length ? place : -1;
  if (length == 1) return 0;
  while (place < 0 || place >= length) {
    if (mode == PadMode::edge) return place < 0 ? 0 : length - 1;
    if (mode == PadMode::wrap) place += place < 0 ? length : -length;
    if (mode == PadMode::reflect) place = place < 0 ? -place : 2 * (length - 1) - place;
  }
  return place;
}

inline Array pad(const Array& x, const std::vector<std::pair<int64_t, int64_t>>& before_after, PadMode mode,
                 double value = 0) {
  Dims shape = x.shape;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] += before_after[i].first + before_after[i].second;
  return generate(x.dtype, shape, [&](const Dims& index) {
    Dims from = index;
    for (size_t i = 0; i < from.size(); ++i) {
      from[i] = padded_from(index[i] - before_after[i].first, x.shape[i], mode);
      if (from[i] < 0) return value;
    }
    return x.at(from);
  });
}

/// Element i of axis k is x's element i - shifts[k], around the axis.
inline Array roll(const Array& x, const Dims& shifts) {
  return generate(x.dtype, x.shape, [&](const Dims& index) {
    Dims from = index;
    for (size_t i = 0; i < from.size(); ++i) from[i] = ((index[i] - shifts[i]) % x.shape[i] + x.shape[i]) % x.shape[i];
    return x.at(from);
  });
}

/// Windows of each of the axes, which are named once.
inline Array windows(const Array& x, const Dims& axes, const Dims& sizes, const Dims& steps, const Dims& dilations) {
  Dims shape = x.shape;
  for (size_t k = 0; k < axes.size(); ++k) {
    int64_t& places = shape[static_cast<size_t>(axes[k])];
    places = (places - (sizes[k] - 1) * dilations[k] - 1) / steps[k] + 1;
    shape.push_back(sizes[k]);
  }
  return generate(x.dtype, shape, [&](const Dims& index) {
    Dims from(index.begin(), index.begin() + x.rank());
    for (size_t k = 0; k < axes.size(); ++k) {
      int64_t& place = from[static_cast<size_t>(axes[k])];
      place = place * steps[k] + index[static_cast<size_t>(x.rank()) + k] * dilations[k];
    }
    return x.at(from);
  });
}

}  // namespace eglantine::test::naive
