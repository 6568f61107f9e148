#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/reference/naive.hpp"

/// All 256 values of i8 and u8: how they widen, move, wrap and saturate.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Narrow, NarrowBytes);

constexpr DType byte_types[] = {DType::i8, DType::u8};

Array all_of(DType dtype) {
  const double least = dtype == DType::i8 ? -128 : 0;
  return generate(dtype, {256}, [&](const Dims& at) { return least + static_cast<double>(at[0]); });
}

Array counted(DType dtype, int64_t first, int64_t count, double step = 1) {
  return generate(dtype, {count},
                  [&](const Dims& at) { return as_element(dtype, static_cast<double>(first + at[0]) * step); });
}

EG_TEST(NarrowBytes, all_widen_and_come_back) {
  for (const DType dtype : byte_types) {
    const Array all = all_of(dtype);
    const Tensor x = upload(all);
    EXPECT_TRUE(matches(x, all)) << name_of(dtype);
    for (const DType to : {DType::i32, DType::u32, DType::f32, DType::f16, DType::bf16, DType::boolean}) {
      EXPECT_TRUE(matches(x.astype(to), naive::cast(all, to))) << name_of(dtype) << " to " << name_of(to);
      if (to == DType::boolean) continue;
      EXPECT_TRUE(matches(x.astype(to).eval().astype(dtype), all)) << name_of(dtype) << " from " << name_of(to);
    }
  }
}

EG_TEST(NarrowBytes, all_move_as_they_are) {
  for (const DType dtype : byte_types) {
    const Array all = all_of(dtype);
    const Tensor x = upload(all);
    EXPECT_TRUE(matches(x.flip({0}).eval().flip({0}), all)) << name_of(dtype);
    EXPECT_TRUE(matches(concatenate({x.slice(0, 0, 3), x.slice(0, 3)}, 0), all)) << name_of(dtype);
    EXPECT_TRUE(matches(x.reshape({16, 16}).transpose(0, 1).eval().transpose(0, 1).reshape({256}), all));
    EXPECT_TRUE(matches(sort(x.flip({0}), 0), all)) << name_of(dtype);
  }
}

EG_TEST(NarrowBytes, integers_wrap_into_them) {
  const Array whole = counted(DType::i32, -700, 1401);
  for (const DType dtype : byte_types)
    EXPECT_TRUE(matches(upload(whole).astype(dtype), naive::cast(whole, dtype))) << name_of(dtype);
}

EG_TEST(NarrowBytes, floats_saturate_into_them) {
  for (const DType from : {DType::f32, DType::f16, DType::bf16}) {
    const Array quarters = counted(from, -1300, 2601, 0.25);
    for (const DType dtype : byte_types)
      EXPECT_TRUE(matches(upload(quarters).astype(dtype), naive::cast(quarters, dtype)))
          << name_of(from) << " to " << name_of(dtype);
  }
}

/// Each with each.
EG_TEST(NarrowBytes, sums_and_products_of_all_pairs_wrap) {
  for (const DType dtype : byte_types) {
    const Array all = all_of(dtype);
    const Tensor x = upload(all), rows = x.unsqueeze(1), columns = x.unsqueeze(0);
    const auto pairs = [&](auto combine) {
      return generate(dtype, {256, 256}, [&](const Dims& at) {
        return as_element(dtype,
                          combine(all.values[static_cast<size_t>(at[0])], all.values[static_cast<size_t>(at[1])]));
      });
    };
    EXPECT_TRUE(matches(rows + columns, pairs([](double a, double b) { return a + b; }))) << name_of(dtype);
    EXPECT_TRUE(matches(rows - columns, pairs([](double a, double b) { return a - b; }))) << name_of(dtype);
    EXPECT_TRUE(matches(rows * columns, pairs([](double a, double b) { return a * b; }))) << name_of(dtype);
  }
}

}  // namespace
}  // namespace eglantine::test
