#include <gtest/gtest.h>

#include "cpu/kernels.hpp"

// Places of sorted rows that are selected have the bits of a whole sort.
namespace eglantine::test {
namespace {

/// The rows, or of each these places alone.
Bits sorted(DType dtype, const Bits& keys, const Shape& shape, bool descending, const IntList& read) {
  const Shape results{shape[0], read.empty() ? shape[1] : read.rank()};
  const Strided x{buffer_of(keys), word_storage(dtype), layout::contiguous(shape)},
      out = contiguous_output(dtype, results);
  SortKernel kernel{load_of(x), {}, 1, descending, results[1], accumulator_of(dtype, results), out};
  kernel.read = read;
  backend().run(kernel);
  return contents(*out.buffer);
}

/// Up to four places in order, often the first and the last.
IntList some_places(Numbers& numbers, int64_t length) {
  std::vector<int64_t> places{numbers.below(length), numbers.below(length)};
  places.push_back(std::min(length - 1, places[0] + 1));
  places.push_back(numbers.below(2) == 0 ? 0 : length - 1);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

void check(Numbers& numbers, DType dtype, const Bits& keys, const Shape& shape) {
  for (const bool descending : {false, true}) {
    const IntList read = some_places(numbers, shape[1]);
    const Bits all = sorted(dtype, keys, shape, descending, {}), some = sorted(dtype, keys, shape, descending, read);
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int i = 0; i < read.rank(); ++i)
        ASSERT_EQ(some[static_cast<size_t>(row * read.rank() + i)], all[static_cast<size_t>(row * shape[1] + read[i])])
            << name_of(dtype) << " row " << row << " of " << shape[1] << " at " << read[i];
  }
}

// Direct selection, by one digit and by several, on one thread and on more.
const Shape shapes[] = {{3, 2}, {5, 1025}, {2, 4097}, {3, 20000}, {1, 150001}};

TEST(CpuSortPlaces, of_any_bits) {
  Numbers numbers(3);
  for (const Shape& shape : shapes)
    for (const DType dtype : {DType::f32, DType::i32, DType::u32})
      check(numbers, dtype, random_words(shape.elements(), numbers.word()), shape);
}

/// Equal keys that are not equal bits: zeros of both signs, NaNs with payloads.
TEST(CpuSortPlaces, of_few_keys) {
  const Bits some{bits_of(0.0F), bits_of(-0.0F), bits_of(1.5F), 0x7fc00001U, 0xffc12345U, bits_of(INFINITY)};
  Numbers numbers(4);
  for (const Shape& shape : shapes)
    for (const int64_t kinds : {1, 2, 4, 6}) {
      Bits keys(static_cast<size_t>(shape.elements()));
      for (uint32_t& key : keys) key = some[static_cast<size_t>(numbers.below(kinds))];
      check(numbers, DType::f32, keys, shape);
      check(numbers, DType::u32, keys, shape);
      for (uint32_t& key : keys) key &= 1U;
      check(numbers, DType::boolean, keys, shape);
    }
}

/// Keys that lie close together share their first digits.
TEST(CpuSortPlaces, of_close_keys) {
  Numbers numbers(5);
  for (const Shape& shape : shapes) {
    Bits keys(static_cast<size_t>(shape.elements()));
    for (uint32_t& key : keys) key = bits_of(1.0F) + static_cast<uint32_t>(numbers.below(3000));
    check(numbers, DType::f32, keys, shape);
  }
}

TEST(CpuSortPlaces, through_views_and_epilogues) {
  const Shape shape{4, 9000};
  const Bits keys = bits_of(random_floats(shape.elements(), 6)), order = sorted(DType::f32, keys, shape, false, {});
  const Layout flipped = layout::flip(layout::contiguous(shape), 1);
  const IntList read{0, 4499, 4500};
  const Shape results{shape[0], read.rank()};
  Expr epilogue = accumulator_of(DType::f32, results);
  epilogue.code.push_back({Op::neg, DType::f32, {0, -1, -1}});
  const Strided out = contiguous_output(DType::f32, results);
  SortKernel kernel{load_of({buffer_of(keys), StorageType::f32, flipped}), {}, 1, false, results[1], epilogue, out};
  kernel.read = read;
  backend().run(kernel);
  const Bits some = contents(*out.buffer);
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int i = 0; i < read.rank(); ++i)
      EXPECT_EQ(float_of(some[static_cast<size_t>(row * read.rank() + i)]),
                -float_of(order[static_cast<size_t>(row * shape[1] + read[i])]));
}

}  // namespace
}  // namespace eglantine::test
