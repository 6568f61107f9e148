#include "lower/contraction/few_columns/padding.hpp"

#include "lower/contraction/few_columns/cases.hpp"
#include "support/random/draw.hpp"

/// Products of 9 to 15 columns that are summed up as 16.
namespace eglantine::test {
namespace {

class FewColumnsPadding : public FewColumnsSchedules {
 protected:
  /// Of a million rows.
  static bool gains(int64_t k, int64_t columns, StorageType storage = StorageType::f32) {
    FewColumnsCase c{1, 8, k, columns};
    c.storage = storage;
    AsHardware hardware(*device_);
    lower::FewColumnsProduct product = lower::product_of(kernel_of(c));
    product.sizes.rows = 1 << 20;
    return lower::gains_by_padding(hardware.target(), product);
  }
};

TEST_F(FewColumnsPadding, where_the_text_for_so_many_is_slow) {
  for (const int64_t columns : {9, 10, 11, 12, 13, 14, 15}) EXPECT_TRUE(gains(3673, columns)) << columns;
  for (const int64_t columns : {5, 8, 16}) EXPECT_FALSE(gains(3673, columns)) << columns;
  for (const int64_t columns : {11, 15}) EXPECT_TRUE(gains(513, columns)) << columns;
  for (const int64_t columns : {9, 12, 14}) EXPECT_FALSE(gains(513, columns)) << columns;
  EXPECT_TRUE(gains(3672, 14));
  for (const int64_t columns : {9, 11, 13, 15}) EXPECT_FALSE(gains(3672, columns)) << columns;
  EXPECT_FALSE(gains(512, 15));
  EXPECT_FALSE(gains(33, 15));
  EXPECT_TRUE(gains(3673, 15, StorageType::f16));
  EXPECT_FALSE(gains(3673, 12, StorageType::f16));
}

TEST_F(FewColumnsPadding, leaves_out_the_last_columns) {
  Draw draw = draw_one_of(2);
  for (const FewColumnsCase& c :
       {FewColumnsCase{1, 32'773, 513, 11}, FewColumnsCase{1, 8401, 2001, 9, false, true, true}}) {
    if (!draw.next()) continue;
    AsHardware hardware(*device_);
    const FewColumnsKernel kernel = kernel_of(c);
    EXPECT_TRUE(lower::gains_by_padding(hardware.target(), lower::product_of(kernel)));
    expect_close(hardware, c);
  }
}

}  // namespace
}  // namespace eglantine::test
