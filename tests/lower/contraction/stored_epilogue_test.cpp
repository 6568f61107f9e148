#include "lower/contraction/stored_epilogue.hpp"

#include <bit>

#include "gl/fixture.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "support/as_hardware.hpp"
#include "support/stored_elements.hpp"

/// Epilogues with a long function that store a value on the way: the product stores it, and a map reads it there.
namespace eglantine::test {
namespace {

class StoredEpilogue : public testing::Test {
 protected:
  static constexpr int64_t rows = 2049, columns = 1024, depth = 17;  // results enough for a pass of their own

  Strided matrix(const Array& x, const Shape& shape) const {
    return {buffer_of(*device_, words_of(x, StorageType::f32)), StorageType::f32, layout::contiguous(shape)};
  }
  Strided result() const {
    return {buffer_of(*device_, Words(static_cast<size_t>(rows * columns), 0)), StorageType::f32,
            layout::contiguous({rows, columns})};
  }

  /// -(a b), stored, and its remainder by 2^30, which is itself; `also` the product plus that.
  MatmulKernel kernel_of(bool also) const {
    ExpressionBuilder epilogue({rows, columns});
    const int product = epilogue.accumulator(DType::f32);
    const int value = epilogue.operation(Op::neg, DType::f32, {product, -1, -1});
    epilogue.store(value, stored_);
    const int large = epilogue.parameter(DType::f32, {std::bit_cast<uint32_t>(0x1p30F)});
    const int same = epilogue.operation(Op::fmod, DType::f32, {value, large, -1});
    if (also) epilogue.operation(Op::add, DType::f32, {same, product, -1});
    MatmulKernel kernel;
    kernel.batch = {1};
    kernel.m = rows;
    kernel.n = columns;
    kernel.k = depth;
    kernel.a = matrix(a_, {1, rows, depth});
    kernel.b = matrix(b_, {1, depth, columns});
    kernel.epilogue = epilogue.take();
    kernel.out = out_;
    return kernel;
  }

  double wanted(int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum += a_.at({i, k}) * b_.at({k, j});
    return -sum;
  }

  Array downloaded(const Strided& x) const {
    const Words words = download(*device_, x.buffer->storage(), static_cast<size_t>(rows * columns));
    Array found{DType::f32, {rows, columns}, {}};
    for (const uint32_t bits : words) found.values.push_back(std::bit_cast<float>(bits));
    return found;
  }

  std::unique_ptr<gl::GlRuntime> device_ = open_runtime();
  Array a_ = random_elements(StorageType::f32, {rows, depth}, 1),
        b_ = random_elements(StorageType::f32, {depth, columns}, 2);
  Strided stored_ = result(), out_ = result();
};

TEST_F(StoredEpilogue, is_read_where_the_product_stores_it) {
  AsHardware hardware(*device_, 2048);
  hardware.plan_for().large_pages = true;
  const MatmulKernel kernel = kernel_of(false);
  EXPECT_TRUE(lower::lower(kernel, hardware.target(), &gl::unstored).temporaries.empty());
  hardware.run(kernel);
  EXPECT_EQ(hardware.dispatches, 2) << hardware.names;
  const Array stored = downloaded(stored_), out = downloaded(out_);
  EXPECT_EQ(stored.values, out.values);
  for (int64_t i = 0; i < rows; i += 61)
    for (int64_t j = 0; j < columns; j += 13) EXPECT_NEAR(stored.at({i, j}), wanted(i, j), 1e-5);
}

TEST_F(StoredEpilogue, of_a_product_that_the_rest_needs_stays_whole) {
  EXPECT_TRUE(lower::split_at_stored(kernel_of(false).epilogue));
  EXPECT_FALSE(lower::split_at_stored(kernel_of(true).epilogue));
  AsHardware hardware(*device_, 2048);
  hardware.plan_for().large_pages = true;
  hardware.run(kernel_of(true));
  const Array stored = downloaded(stored_), out = downloaded(out_);
  for (int64_t i = 0; i < rows; i += 61) {
    EXPECT_NEAR(stored.at({i, 7}), wanted(i, 7), 1e-5);
    EXPECT_NEAR(out.at({i, 7}), 0, 1e-5);
  }
}

}  // namespace
}  // namespace eglantine::test
