#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Vectors that begin at any element of any dtype: read with the bits of aligned ones, and written without touching
/// what lies beside them.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Unaligned, UnalignedVectors);

constexpr DType dtypes[] = {DType::f32, DType::i32,  DType::u32, DType::boolean,
                            DType::f16, DType::bf16, DType::i8,  DType::u8};

/// Equal bits; any NaN equals any NaN.
bool same_elements(const Tensor& a, const Tensor& b) {
  const Array x = download(a), y = download(b);
  if (x.shape != y.shape || x.dtype != y.dtype) return false;
  for (size_t i = 0; i < x.values.size(); ++i)
    if (std::bit_cast<uint64_t>(x.values[i]) != std::bit_cast<uint64_t>(y.values[i]) &&
        !(std::isnan(x.values[i]) && std::isnan(y.values[i])))
      return false;
  return true;
}

/// x, of any strides, in memory where row r begins at element start + r * pitch.
Tensor held_at(const Array& x, int64_t start, int64_t pitch) {
  const int64_t rows = x.shape[0], length = x.shape[1];
  const Array all = random_array(x.dtype, {start + rows * pitch}, 7);
  Array memory = all;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < length; ++i)
      memory.values[static_cast<size_t>(start + r * pitch + i)] = x.values[static_cast<size_t>(r * length + i)];
  return upload(memory).slice(0, start).reshape({rows, pitch}).slice(1, 0, length);
}

Tensor twice(const Tensor& x) { return x.dtype() == DType::boolean ? logical_not(x) : x + x; }

EG_TEST(UnalignedVectors, every_length_and_start) {
  for (DType dtype : dtypes)
    for (int64_t length = 0; length <= 37; ++length) {
      const Array x = random_array(dtype, {1, length});
      const Tensor aligned = upload(x), expected = twice(aligned).eval();
      for (int64_t start = 1; start <= 5; ++start) {
        const Tensor there = held_at(x, start, length + start);
        ASSERT_TRUE(same_elements(twice(there), expected)) << name_of(dtype) << " " << length << " from " << start;
        ASSERT_TRUE(same_elements(there.flip({1}).eval().flip({1}), aligned))
            << name_of(dtype) << " " << length << " from " << start;
      }
    }
}

EG_TEST(UnalignedVectors, every_step) {
  for (DType dtype : dtypes)
    for (int64_t step : {-3, -2, -1, 2, 3}) {
      const Tensor x = upload(random_array(dtype, {61})).slice(0, 1), copy = x.slice(0, 0, {}, 1).eval();
      const Array all = download(copy);
      Array expected{dtype, {}, {}};
      for (int64_t i = step > 0 ? 0 : 59; i >= 0 && i < 60; i += step)
        expected.values.push_back(all.values[static_cast<size_t>(i)]);
      expected.shape = {static_cast<int64_t>(expected.values.size())};
      ASSERT_TRUE(matches(x.slice(0, step > 0 ? 0 : -1, {}, step), expected)) << name_of(dtype) << " by " << step;
    }
}

/// What each family makes of rows, as it makes it of aligned rows of the same shape: the same order of sums.
EG_TEST(UnalignedVectors, rows_have_the_bits_of_aligned_ones) {
  const Tensor index = Tensor::from<int32_t>({4, 0, 2, 2}, {4});
  const std::function<Tensor(const Tensor&)> works[] = {
      [](const Tensor& x) { return twice(x); },
      [](const Tensor& x) { return twice(x).transpose(0, 1); },
      [](const Tensor& x) { return sum(x.astype(DType::f32), {1}); },
      [](const Tensor& x) { return sum(x.astype(DType::f32), {0}); },
      [](const Tensor& x) { return argmax(x.astype(DType::f32), 1); },
      [](const Tensor& x) { return softmax(x.astype(DType::f32), 1); },
      [](const Tensor& x) { return softmax(x.astype(DType::f32), 0).astype(x.dtype()); },
      [](const Tensor& x) { return cumsum(x.astype(DType::f32), 1).astype(x.dtype()); },
      [](const Tensor& x) { return cumsum(x.astype(DType::f32), 0); },
      [&](const Tensor& x) { return take(x, index, 0); },
      [](const Tensor& x) {
        return twice(x).pad({{1, 0}, {2, 1}});
      },
      [](const Tensor& x) {
        return concatenate({twice(x), x, twice(x)}, 1);
      },
      [](const Tensor& x) { return matmul(x.astype(DType::f32), x.astype(DType::f32).transpose(0, 1)); },
  };
  Draw draw = draw_programs_one_of(5);
  for (DType dtype : {DType::f32, DType::boolean, DType::f16, DType::u8})
    for (int64_t length : {1, 3, 8, 37}) {
      const Array x = random_array(dtype, {5, length});
      const Tensor aligned = held_at(x, 0, (length + 7) / 4 * 4);
      for (size_t i = 0; i < std::size(works); ++i) {
        if (!draw.next()) continue;
        const Tensor expected = works[i](aligned).eval();
        for (const auto& [start, pitch] : {std::pair<int64_t, int64_t>{0, length + 1}, {3, length + 2}})
          ASSERT_TRUE(same_elements(works[i](held_at(x, start, pitch)), expected))
              << name_of(dtype) << " rows of " << length << " from " << start << ", work " << i;
      }
    }
}

EG_TEST(UnalignedVectors, long_rows) {
  constexpr int64_t length = 4099;
  Draw draw = draw_programs_one_of(3);
  for (DType dtype : {DType::f32, DType::bf16, DType::i8}) {
    if (!draw.next()) continue;
    const Array x = random_array(dtype, {3, length});
    const Tensor packed = upload(x), aligned = held_at(x, 0, length + 5);
    ASSERT_TRUE(same_elements(twice(packed), twice(aligned))) << name_of(dtype);
    for (int axis : {0, 1}) {
      const Tensor a = packed.astype(DType::f32), b = aligned.astype(DType::f32);
      ASSERT_TRUE(same_elements(sum(a, {axis}), sum(b, {axis}))) << name_of(dtype);
      ASSERT_TRUE(same_elements(softmax(a, axis), softmax(b, axis))) << name_of(dtype);
      ASSERT_TRUE(same_elements(cumsum(a, axis), cumsum(b, axis))) << name_of(dtype);
    }
    const Tensor index = Tensor::from<int32_t>({2, 0, 2, 1}, {4});
    ASSERT_TRUE(same_elements(take(packed, index, 0), take(aligned, index, 0))) << name_of(dtype);
  }
}

/// Every element beside a written part keeps its value.
EG_TEST(UnalignedVectors, stores_touch_nothing_beside_them) {
  for (DType dtype : dtypes)
    for (int64_t length : {1, 2, 3, 4, 5, 8, 21})
      for (int64_t start = 0; start <= 5; ++start) {
        const Array around = random_array(dtype, {40}, 3), part = random_array(dtype, {length}, 5);
        const Array written = download(twice(upload(part)));
        Array expected = around;
        for (int64_t i = 0; i < length; ++i)
          expected.values[static_cast<size_t>(start + i)] = written.values[static_cast<size_t>(i)];
        const auto put = upload(around).index_put({eglantine::Slice{start, start + length}}, twice(upload(part)));
        ASSERT_TRUE(matches(put, expected)) << name_of(dtype) << " " << length << " at " << start;
        const Tensor joined = concatenate(
            {upload(around).slice(0, 0, start), twice(upload(part)), upload(around).slice(0, start + length)}, 0);
        ASSERT_TRUE(matches(joined, expected)) << name_of(dtype) << " " << length << " at " << start;
      }
}

EG_TEST(UnalignedVectors, stores_into_rows_touch_nothing_beside_them) {
  Draw draw = draw_programs_one_of(4);
  for (DType dtype : dtypes)
    for (const auto& [length, pitch] :
         {std::pair<int64_t, int64_t>{1, 3}, {3, 5}, {6, 7}, {13, 17}, {8, 12}, {61, 70}, {600, 603}})
      for (int64_t start : {0, 1}) {
        if (start + length > pitch || !draw.next()) continue;
        const Array around = random_array(dtype, {9, pitch}, 3), part = random_array(dtype, {9, length}, 5);
        const Array written = download(twice(upload(part)));
        Array expected = around;
        for (int64_t r = 0; r < 9; ++r)
          for (int64_t i = 0; i < length; ++i)
            expected.values[static_cast<size_t>(r * pitch + start + i)] =
                written.values[static_cast<size_t>(r * length + i)];
        const Tensor put = upload(around).index_put({eglantine::Slice{}, eglantine::Slice{start, start + length}},
                                                    twice(upload(part)));
        ASSERT_TRUE(matches(put, expected)) << name_of(dtype) << " " << length << " at " << start;
      }
}

}  // namespace
}  // namespace eglantine::test
