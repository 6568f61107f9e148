#include "backend/cpu/cpu_backend.hpp"

#include <gtest/gtest.h>

#include "cpu/kernels.hpp"
#include "eglantine/error.hpp"

namespace eglantine::test {
namespace {

Expr some_copy(DType dtype) { return load_of({garbage(40), word_storage(dtype), layout::contiguous({40})}); }

TEST(CpuBackend, copies_at_offsets) {
  const std::unique_ptr<Storage> storage = backend().allocate(32);
  const uint32_t in[] = {1, 2, 3, 4, 5, 6, 7, 8};
  backend().upload(*storage, 0, std::as_bytes(std::span(in)));
  backend().upload(*storage, 8, std::as_bytes(std::span(in, 2)));
  uint32_t out[3] = {};
  backend().download(*storage, 4, std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out[0], 2u);
  EXPECT_EQ(out[1], 1u);
  EXPECT_EQ(out[2], 2u);
}

TEST(CpuBackend, counts_kernels_and_no_dispatches) {
  const std::unique_ptr<Backend> custom = cpu::make_backend();
  const MapKernel kernel{some_copy(DType::f32), contiguous_output(DType::f32, {40})};
  custom->run(kernel);
  custom->run(kernel);
  custom->synchronize();
  EXPECT_EQ(custom->statistics().kernels, 2);
  EXPECT_EQ(custom->statistics().dispatches, 0);
  EXPECT_EQ(custom->statistics().programs, 0);
}

TEST(CpuBackend, explains_a_kernel_as_its_description) {
  const Kernel kernel = MapKernel{some_copy(DType::i32), contiguous_output(DType::i32, {40})};
  EXPECT_EQ(backend().explain(kernel), describe(kernel));
}

TEST(CpuBackend, names_an_operation_that_the_table_does_not_have) {
  Expr value = some_copy(DType::i32);
  value.code.push_back({Op::exp, DType::i32, {0, -1, -1}});
  try {
    run_map(value);
    ADD_FAILURE() << "exp of i32 ran";
  } catch (const DTypeError& error) {
    EXPECT_STREQ(error.what(), "[cpu] the operation table has no exp of i32");
  }
}

TEST(CpuBackend, clock_goes_forward) {
  const int64_t before = backend().timestamp();
  EXPECT_GE(backend().timestamp(), before);
}

}  // namespace
}  // namespace eglantine::test
