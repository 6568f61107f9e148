#include <cmath>

#include "support/kernel_count.hpp"
#include "support/random/draw.hpp"
#include "support/reference/special_values.hpp"
#include "verbs/row/row_cases.hpp"

/// Row operations of rows of every size class, few and many, and in small windows.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Rows, RowSizes);
EG_ON_EACH_DEVICE(Windows, WindowedRows);

EG_TEST(RowSizes, rows_at_the_edges_of_every_size_class) {
  Draw draw = draw_programs_one_of(4);
  for (int64_t length : {1, 2, 4, 5, 13, 127, 128, 129, 512, 1023, 1025, 4097, 16384, 16385})
    if (draw.next()) expect_rows(random_reals({length < 200 ? 13 : 3, length}, -10, 10), 1);
  for (int64_t length : {16386, 32769, 65536, 70001})
    if (draw.next()) expect_rows(random_reals({2, length}, -10, 10), 1);
}

EG_TEST(RowSizes, columns_of_every_length) {
  for (int64_t length : {2, 13, 128, 1025, 4097})
    expect_rows(random_reals({length, length < 200 ? 130 : 5}, -10, 10), 0);
}

EG_TEST(RowSizes, more_rows_than_a_round_of_the_device_takes) {
  expect_rows(random_reals({5003, 5}, -3, 3), 1);
  expect_rows(random_reals({7, 3001}, -3, 3), 0);
}

EG_TEST(RowSizes, rows_too_long_for_a_kernel_take_several) {
  const Array x = random_reals({140003}, -10, 10);
  expect_rows(x, 0);
  EXPECT_GT(kernels_of(logsumexp(upload(x))), 1);
}

EG_TEST(RowSizes, many_long_rows) {
  const Array x = random_reals({64, 33000}, -10, 10);
  EXPECT_TRUE(matches(softmax(upload(x), 1), softmax_reference(x, 1), of_share));
  EXPECT_TRUE(matches(logsumexp(upload(x), {1}), naive::logsumexp(x, {1}), millionth));
  EXPECT_TRUE(matches(var(upload(x), {1}), naive::var(x, {1}), {0, 1e-5, 1e-6}));
}

EG_TEST(RowSizes, far_from_zero) {
  for (double center : {1e4, -1e6}) {
    const Array x = random_reals({3, 1025}, center - 1, center + 1);
    EXPECT_TRUE(matches(softmax(upload(x), 1), softmax_reference(x, 1), millionth));
    EXPECT_TRUE(matches(logsumexp(upload(x), {1}), naive::logsumexp(x, {1}), millionth));
    EXPECT_TRUE(matches(var(upload(x), {1}), naive::var(x, {1}), {0, 1e-5, 1e-6 * center * center}));
  }
  EXPECT_EQ(var(full({3, 4097}, 1e6), {1}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(var(full({4097, 3}, 1e6), {0}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

/// Of n elements a row, along each axis.
void expect_infinities_in_parts(int64_t n) {
  Array x = random_reals({5, n}, -1000, -999);
  for (int64_t i = 0; i < n; ++i) {
    const auto at = [&](int64_t row) -> double& { return x.values[static_cast<size_t>(row * n + i)]; };
    if (i < n - 100) at(0) = -infinity;  // whole chunks of the row contribute nothing
    if (i == 1234) at(1) = infinity;
    if (i == n - 1) at(2) = nan;
    at(3) = -infinity;
  }
  for (int axis : {1, 0}) {
    const Array rows = axis == 1 ? x : naive::transpose(x, 0, 1);
    const Array y = download(softmax(upload(rows), axis)), l = download(logsumexp(upload(rows), {axis}));
    const auto of = [&](int64_t row, int64_t i) { return y.at(axis == 1 ? Dims{row, i} : Dims{i, row}); };
    EXPECT_EQ(of(0, 17), 0);
    double sum = 0;
    for (int64_t i = n - 100; i < n; ++i) sum += of(0, i);
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_TRUE(std::isnan(of(1, 1234)));
    EXPECT_EQ(of(1, 7), 0);
    for (int64_t row : {2, 3}) EXPECT_TRUE(std::isnan(of(row, 7)) && std::isnan(of(row, n - 1))) << row;
    EXPECT_EQ(l.values[1], infinity);
    EXPECT_TRUE(std::isnan(l.values[2]));
    EXPECT_EQ(l.values[3], -infinity);
    EXPECT_NEAR(l.values[4], naive::logsumexp(x, {1}).values[4], 1e-3);
  }
}

EG_TEST(RowSizes, infinities_in_parts_of_long_rows) {
  expect_infinities_in_parts(3000);
  expect_infinities_in_parts(36000);  // of which a kernel takes a third, or a tenth
}

EG_TEST(RowSizes, the_same_bits_every_time) {
  const Tensor x = upload(random_reals({37, 1025}, -10, 10));
  for (const auto& verb :
       {+[](const Tensor& a) { return softmax(a, 1); }, +[](const Tensor& a) { return var(a, {0}); }})
    EXPECT_TRUE(same_bits(verb(x), verb(x)));
}

EG_TEST(WindowedRows, contiguous_and_strided) {
  expect_rows(random_reals({311, 257}, -10, 10), 1);
  expect_rows(random_reals({311, 257}, -10, 10), 0);
  expect_rows(random_reals({37, 41, 43}, -10, 10), 1);
}

EG_TEST(WindowedRows, rows_longer_than_a_window) {
  const Array x = random_reals({5, 16400}, -10, 10);
  expect_rows(x, 1);
  expect_rows(naive::transpose(x, 0, 1), 0);
  const Tensor far = upload(random_reals({16000, 16}, -10, 10));
  EXPECT_TRUE(matches(softmax(far, 0), softmax_reference(download(far), 0), millionth));
  EXPECT_TRUE(matches(sqrt(var(far, {0})),
                      naive::map(naive::var(download(far), {0}), DType::f32, [](double v) { return std::sqrt(v); }),
                      {0, 1e-5, 1e-6}));
}

}  // namespace
}  // namespace eglantine::test
