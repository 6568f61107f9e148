#pragma once

#include <string>
#include <vector>

#include "support/array.hpp"

namespace eglantine::test {

/// A tensor and its value.
struct Sample {
  Tensor tensor;
  Array array;
};

/// A way to hold values: contiguous, transposed, as part of something larger, pending...
struct View {
  std::string name;
  /// A tensor of x's shape and dtype on the current device, and its value: x, except for a broadcast view, which
  /// repeats the first slice of x. The rest of its buffer holds values that would show in any result (NaN, or the
  /// largest integers).
  Sample (*hold)(const Array& x);
};

/// contiguous, column_major, permuted, cropped, flipped, stepped, backwards, offset, broadcast, pending,
/// pending_permuted. Each works for every shape.
const std::vector<View>& every_view();

const View& view(const std::string& name);

}  // namespace eglantine::test
