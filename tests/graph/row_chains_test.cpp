#include "graph/planning/ownership/row_chains.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "eglantine/ops.hpp"

namespace eglantine::test {
namespace {

/// Where columns are too few for a device's row kernels, and long, others read them.
TEST(RowChains, few_long_columns_of_many_elements_are_apart) {
  DeviceLimits device;
  const auto are_rows = [&](int64_t length, int64_t columns) {
    const Tensor x = Tensor::from(std::vector<float>(static_cast<size_t>(length * columns)), {length, columns});
    return has_rows_of_a_kernel(*x.node(), {0}, device);
  };
  EXPECT_TRUE(are_rows(4096, 1100));
  device.enough_columns = 1408;
  EXPECT_FALSE(are_rows(4096, 1100));
  EXPECT_TRUE(are_rows(4096, 1408));
  EXPECT_TRUE(are_rows(2048, 1100));
  EXPECT_TRUE(are_rows(1024, 1100));
  // Rows that begin between vectors are read in pieces.
  EXPECT_FALSE(are_rows(2048, 2049));
  EXPECT_TRUE(are_rows(2048, 2052));
  EXPECT_TRUE(are_rows(1024, 4101));
  EXPECT_TRUE(are_rows(1025, 8449));
}

}  // namespace
}  // namespace eglantine::test
