#pragma once

#include <cmath>
#include <string>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_statistics.hpp"

/// What row operations of any rows are compared with. composite_test.cpp has the same verbs over every view and special
/// values.
namespace eglantine::test {

inline constexpr Tolerance millionth{0, 1e-6, 1e-6};
// Shares of long rows are small, so the absolute bound is too.
inline constexpr Tolerance of_share{0, 4e-6, 1e-12};

inline void expect_rows(const Array& x, int axis) {
  SCOPED_TRACE(text(x.shape) + " over axis " + std::to_string(axis));
  const Tensor on_device = upload(x);
  EXPECT_TRUE(matches(softmax(on_device, axis), softmax_reference(x, axis), of_share));
  EXPECT_TRUE(matches(log_softmax(on_device, axis), log_softmax_reference(x, axis), millionth));
  EXPECT_TRUE(matches(logsumexp(on_device, {axis}), naive::logsumexp(x, {axis}), millionth));
  EXPECT_TRUE(matches(var(on_device, {axis}, true), naive::var(x, {axis}, true), {0, 1e-5, 1e-6}));
}

}  // namespace eglantine::test
