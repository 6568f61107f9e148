#pragma once

#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/shapes.hpp"
#include "support/views.hpp"

namespace eglantine::test {

/// Compares verb(tensor) with reference(array) for random data of each shape, in every view; where cases are drawn, in
/// one of three.
template <class Verb, class Reference>
void check_over_views(DType dtype, const std::vector<Dims>& shapes, Verb verb, Reference reference,
                      const Tolerance& tolerance = exact) {
  Draw draw = draw_one_of(3);
  for (const Dims& shape : shapes)
    for (const View& view : every_view()) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + text(shape) + " " + view.name);
      const Sample sample = view.hold(random_array(dtype, shape));
      EXPECT_TRUE(matches(verb(sample.tensor), reference(sample.array), tolerance));
    }
}

/// The same in the views that differ most, for verbs that read through their argument's view alone.
template <class Verb, class Reference>
void check_over_some_views(const Array& x, Verb verb, Reference reference, const Tolerance& tolerance = exact) {
  Draw draw = draw_one_of(3);
  for (const char* name : {"contiguous", "permuted", "stepped", "broadcast", "pending"}) {
    if (!draw.next()) continue;
    SCOPED_TRACE(text(x.shape) + " " + name);
    const Sample sample = view(name).hold(x);
    EXPECT_TRUE(matches(verb(sample.tensor), reference(sample.array), tolerance));
  }
}

}  // namespace eglantine::test
