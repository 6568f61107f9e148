#include "lower/contraction/few_columns/as_product.hpp"

#include <utility>

#include "lower/contraction/few_columns/cases.hpp"
#include "support/random/draw.hpp"

/// Batches of few columns as products of many small matrices in shared memory, and many columns of one matrix whose
/// rows would be read by single elements as tiles.
namespace eglantine::test {
namespace {

class FewColumnsAsProduct : public FewColumnsSchedules {
 protected:
  static bool is_taken(const FewColumnsCase& c) {
    return lower::as_product(AsHardware(*device_, c.resident).target(), kernel_of(c)).has_value();
  }
};

TEST_F(FewColumnsAsProduct, in_any_order_of_results_and_memory) {
  Draw draw = draw_one_of(3);
  for (const bool columns_first : {false, true})
    for (const bool backwards : {false, true})
      for (const StorageType storage : {StorageType::f32, StorageType::f16, StorageType::bf16}) {
        if (!draw.next()) continue;
        FewColumnsCase c{29, 38, 58, 14, backwards, columns_first};
        c.storage = c.of_columns = c.of_results = storage;
        c.backwards = backwards;
        c.across = columns_first;
        c.start = 1;
        EXPECT_TRUE(is_taken(c)) << text_of(c);
        AsHardware hardware(*device_, c.resident);
        expect_close(hardware, c);
        EXPECT_EQ(hardware.names, "matmul f32\n") << text_of(c);
      }
}

TEST_F(FewColumnsAsProduct, no_single_or_large_or_computed_ones) {
  FewColumnsCase computed{29, 38, 58, 14};
  EXPECT_TRUE(is_taken(computed));
  computed.computed = true;
  EXPECT_FALSE(is_taken(computed));
  EXPECT_FALSE(is_taken({1, 38, 58, 14}));
  EXPECT_FALSE(is_taken({29, 38, 58, 1}));
  EXPECT_TRUE(is_taken({29, 38, 158, 14})) << "in steps, of which a group has shared memory for one";
  EXPECT_FALSE(is_taken({29, 300, 58, 14})) << "as many rows as fill the device";
}

TEST_F(FewColumnsAsProduct, many_columns_of_rows_side_by_side_that_begin_anywhere) {
  for (const auto& [columns_first, storage] : {std::pair{false, StorageType::f32}, {true, StorageType::bf16}}) {
    FewColumnsCase c{1, 47, 90001, 9, true, columns_first};
    c.storage = c.of_columns = storage;
    EXPECT_TRUE(is_taken(c)) << text_of(c);
    AsHardware hardware(*device_, c.resident);
    expect_close(hardware, c);
    EXPECT_EQ(hardware.names.substr(0, 7), "matmul ") << text_of(c) << hardware.names;
  }
  EXPECT_TRUE(is_taken({1, 7095, 2332, 14, true, true}));
  EXPECT_FALSE(is_taken({1, 7096, 2332, 14, true, true})) << "whole vectors";
  EXPECT_FALSE(is_taken({1, 7095, 2332, 8, true, true})) << "few columns";
  EXPECT_FALSE(is_taken({1, 2332, 7095, 14, false, true})) << "rows one after the other";
  EXPECT_FALSE(is_taken({1, 709, 2332, 14, true, true})) << "a small matrix";
}

}  // namespace
}  // namespace eglantine::test
