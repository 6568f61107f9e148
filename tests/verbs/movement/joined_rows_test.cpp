#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

/// Parts whose rows in the result are short, so that they share words and lines of memory with those of other parts.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Verbs, JoinedRows);

constexpr DType dtypes[] = {DType::f32, DType::i32, DType::boolean, DType::f16, DType::bf16, DType::i8, DType::u8};

double larger(double a, double b) { return a > b ? a : b; }

/// Parts as tensors and as arrays.
struct Parts {
  std::vector<Tensor> tensors;
  std::vector<Array> arrays;

  void add(const Tensor& tensor, const Array& array) {
    tensors.push_back(tensor);
    arrays.push_back(array);
  }
};

/// In turn what lies in memory, a flip of it, every second row, one row shown again and again, and a transposed matrix.
void add_part(Parts& parts, DType dtype, int64_t rows, int64_t row) {
  const uint64_t seed = parts.arrays.size();
  const auto random = [&](const Dims& shape) { return random_array(dtype, shape, seed + 1); };
  const Array whole = random({rows, row}), twice = random({2 * rows, row}), one = random({1, row}),
              across = random({row, rows});
  if (seed % 5 == 0) parts.add(upload(whole), whole);
  if (seed % 5 == 1) parts.add(upload(whole).flip({1}), naive::slice(whole, 1, -1, {}, -1));
  if (seed % 5 == 2) parts.add(upload(twice).slice(0, 1, {}, 2), naive::slice(twice, 0, 1, {}, 2));
  if (seed % 5 == 3) parts.add(upload(one).expand({rows, row}), naive::expand(one, {rows, row}));
  if (seed % 5 == 4) parts.add(upload(across).transpose(0, 1), naive::transpose(across, 0, 1));
}

EG_TEST(JoinedRows, of_views_are_stacked_and_concatenated_as_by_loops) {
  Draw drawn = draw_programs_one_of(8);
  for (const DType dtype : dtypes)
    for (const int64_t row : {1, 3, 7, 13, 26, 83})
      for (const int64_t count : {2, 3, 6, 17}) {
        if (!drawn.next()) continue;
        SCOPED_TRACE(::testing::Message() << count << " of rows of " << row << " " << name_of(dtype));
        Parts parts;
        for (int64_t i = 0; i < count; ++i) add_part(parts, dtype, 37, row);
        EXPECT_TRUE(matches(stack(parts.tensors, 1), naive::stack(parts.arrays, 1)));
        add_part(parts, dtype, 37, row + 1);
        EXPECT_TRUE(matches(concatenate(parts.tensors, 1), naive::concatenate(parts.arrays, 1)));
      }
}

EG_TEST(JoinedRows, of_expressions_are_those_of_loops) {
  Draw drawn = draw_programs_one_of(6);
  for (const DType dtype : dtypes)
    for (const int64_t row : {1, 5, 13, 26})
      for (const int64_t count : {2, 3, 5}) {
        if (dtype == DType::boolean || !drawn.next()) continue;
        SCOPED_TRACE(::testing::Message() << count << " of rows of " << row << " " << name_of(dtype));
        Parts parts;
        for (int64_t i = 0; i < count; ++i) {
          const auto seed = static_cast<uint64_t>(2 * i);
          const Array x = random_array(dtype, {41, row}, seed + 1), y = random_array(dtype, {41, row}, seed + 2);
          parts.add(maximum(upload(x), upload(y)), naive::map(x, y, dtype, larger));
        }
        EXPECT_TRUE(matches(stack(parts.tensors, 1), naive::stack(parts.arrays, 1)));
      }
}

/// The rows end within words, and what follows reads them where they lie.
EG_TEST(JoinedRows, are_read_by_what_follows) {
  Draw drawn = draw_programs_one_of(3);
  for (const DType dtype : dtypes) {
    if (!drawn.next()) continue;
    SCOPED_TRACE(name_of(dtype));
    Parts parts;
    for (int64_t i = 0; i < 3; ++i) add_part(parts, dtype, 29, 7);
    const Tensor joined = concatenate(parts.tensors, 1).slice(1, 3, 17);
    const Array expected = naive::slice(naive::concatenate(parts.arrays, 1), 1, 3, 17, 1);
    EXPECT_TRUE(matches(joined, expected));
    EXPECT_TRUE(
        matches(concatenate({joined, parts.tensors[0]}, 1), naive::concatenate({expected, parts.arrays[0]}, 1)));
  }
}

EG_TEST(JoinedRows, that_replace_a_part_of_each_row_leave_the_rest) {
  Draw drawn = draw_programs_one_of(3);
  for (const DType dtype : dtypes)
    for (const int64_t row : {3, 14, 27}) {
      if (!drawn.next()) continue;
      SCOPED_TRACE(::testing::Message() << "rows of " << row << " " << name_of(dtype));
      const Array x = random_array(dtype, {43, row}, 1), y = random_array(dtype, {43, row - 2}, 2);
      const Array first = naive::slice(x, 1, 0, 1, 1), last = naive::slice(x, 1, row - 1, {}, 1);
      EXPECT_TRUE(matches(upload(x).index_put({Slice{}, Slice{1, row - 1}}, upload(y)),
                          naive::concatenate({first, y, last}, 1)));
    }
}

/// So many that threads share them, and a part ends within a row.
EG_TEST(JoinedRows, of_many_rows_are_all_there) {
  for (const DType dtype : {DType::f16, DType::u8}) {
    const Array x = random_array(dtype, {100003, 13}, 1), y = random_array(dtype, {100003, 13}, 2);
    EXPECT_TRUE(matches(stack({upload(x), upload(y)}, 1), naive::stack({x, y}, 1))) << name_of(dtype);
  }
}

}  // namespace
}  // namespace eglantine::test
