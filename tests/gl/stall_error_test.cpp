#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "support/compare.hpp"

/// Stall errors: a word that a kernel lowers when a work group gave up waiting for another one.
namespace eglantine::test {
namespace {

const Expr no_index{{1}, {}, {}, {{0}}, {{Op::parameter, DType::i32, {0, -1, -1}}}};
const Layout one = layout::contiguous(Shape{1});

CheckedIndex of_take() {
  return {&no_index, std::make_shared<const IndexCheck>(IndexCheck{"take", {1}, 0, {1}, one}), &one};
}

TEST(StallError, is_an_error_of_the_kernel_that_lowered_it) {
  const auto runtime = open_runtime();
  const gl::Flag stall_error = runtime->flags().open_stall_error("sort");
  const CheckPtr lowered = runtime->flags().take();
  runtime->flags().open_stall_error("sort");
  const CheckPtr untouched = runtime->flags().take();
  const uint32_t zero = 0;
  runtime->upload(stall_error.buffer->storage(), stall_error.element * 4, std::as_bytes(std::span(&zero, 1)));
  runtime->flags().settle();
  ASSERT_TRUE(lowered->error());
  EXPECT_ERROR(lowered->error().raise(), DeviceError,
               "[sort] a work group gave up waiting for another one: the driver does not keep resident groups running");
  EXPECT_TRUE(untouched->good());
}

TEST(StallError, is_the_same_for_all_dispatches_of_a_kernel_and_part_of_its_check) {
  const auto runtime = open_runtime();
  const gl::Flag check = runtime->flags().open(of_take());
  const gl::Flag stall_error = runtime->flags().open_stall_error("sort"),
                 again = runtime->flags().open_stall_error("sort");
  EXPECT_NE(check.element, stall_error.element);
  EXPECT_EQ(stall_error.element, again.element);
  const CheckPtr both = runtime->flags().take();
  const uint32_t zero = 0;
  runtime->upload(stall_error.buffer->storage(), stall_error.element * 4, std::as_bytes(std::span(&zero, 1)));
  runtime->flags().settle();
  EXPECT_TRUE(both->error());
}

TEST(StallError, never_settles_its_own_kernels_check_before_the_kernel_has_run) {
  const auto runtime = open_runtime();
  for (int kernel = 0; kernel < 100; ++kernel) {
    if (kernel % 3 == 0) {
      runtime->flags().open_stall_error("sort");
      runtime->flags().take();
    }
    runtime->flags().open(of_take());
    runtime->flags().open_stall_error("sort");
    ASSERT_FALSE(runtime->flags().take()->settled()) << "kernel " << kernel;
  }
}

}  // namespace
}  // namespace eglantine::test
