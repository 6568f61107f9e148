#include <gtest/gtest.h>

#include <functional>

#include "cpu/kernels.hpp"
#include "eglantine/error.hpp"
#include "graph/op_info.hpp"

namespace eglantine::test {
namespace {

/// {10, 20, 30}, the updates {5, 40} combined into elements 0 and 2.
ScatterKernel kernel_of(std::optional<Reduction> combine) {
  const Layout pair = layout::contiguous(Shape{2});
  return {load_of({buffer_of(Bits{0, 2}), StorageType::i32, pair}),
          load_of({buffer_of(Bits{5, 40}), StorageType::i32, pair}),
          {{2}, {0}, 0},
          3,
          1,
          combine,
          false,
          false,
          {buffer_of(Bits{10, 20, 30}), StorageType::i32, layout::contiguous(Shape{3})},
          std::make_shared<const IndexCheck>(IndexCheck{"scatter", {3}, 0, {2}, pair}),
          pair};
}

Bits scattered(std::optional<Reduction> combine) {
  const ScatterKernel kernel = kernel_of(combine);
  backend().run(kernel);
  return contents(*kernel.out.buffer);
}

TEST(CpuScatter, combines_by_each_reduction_that_it_promises) {
  EXPECT_EQ(scattered({}), (Bits{5, 20, 40}));
  EXPECT_EQ(scattered(Reduction::sum), (Bits{15, 20, 70}));
  EXPECT_EQ(scattered(Reduction::prod), (Bits{50, 20, 1200}));
  EXPECT_EQ(scattered(Reduction::max), (Bits{10, 20, 40}));
  EXPECT_EQ(scattered(Reduction::min), (Bits{5, 20, 30}));
}

TEST(CpuScatter, refuses_every_other_reduction) {
  for (const Reduction reduction : {Reduction::nanmax, Reduction::nanmin, Reduction::any, Reduction::all,
                                    Reduction::argmax, Reduction::argmin, Reduction::custom}) {
    SCOPED_TRACE(name_of(reduction));
    EXPECT_THROW(backend().run(kernel_of(reduction)), Error);
  }
}

}  // namespace
}  // namespace eglantine::test
