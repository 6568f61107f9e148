#include "lower/lowering_cache.hpp"
#include "lower/reduce/forms.hpp"
#include "support/random/draw.hpp"

/// all, any and counts of booleans four at a time: the bits are the CPU's.
namespace eglantine::test {
namespace {

class BooleanWords : public ReduceForms {
 protected:
  /// All `usual`, but for one at each of these places.
  Tensor but_for(int64_t count, bool usual, const std::vector<int64_t>& places) {
    std::vector<bool> values(static_cast<size_t>(count), usual);
    for (const int64_t place : places) values[static_cast<size_t>(place)] = !usual;
    const Tensor x = Tensor::from(values, {count}).eval();
    Words words(values.begin(), values.end());
    moved_[x.node()->stored().buffer] = buffer_of(*device_, joined(words, StorageType::boolean_byte));
    return x;
  }

  void expect_each(const Tensor& x, const Axes& axes) {
    const std::string tree = "reduce_row ";
    expect([&] { return all(x, axes); }, tree + "min u32\n");
    expect([&] { return any(x, axes); }, tree + "max u32\n");
    expect([&] { return sum(x.astype(DType::i32), axes); }, tree + "sum u32\n");
  }
};

TEST_F(BooleanWords, that_begin_and_end_anywhere) {
  Draw draw = draw_one_of(3);
  for (const int64_t length : {64, 65, 71, 1000, 9001})
    for (int64_t start = 0; start < 5; ++start) {
      if (!draw.next()) continue;
      SCOPED_TRACE(std::to_string(length) + " from " + std::to_string(start));
      for (const bool usual : {false, true})
        for (const int64_t place : {start, start + 1, start + length / 2, start + length - 2, start + length - 1})
          expect_each(but_for(start + length + 3, usual, {place}).slice(0, start, start + length), {0});
    }
}

TEST_F(BooleanWords, beside_which_others_lie) {
  for (int64_t start = 1; start < 5; ++start)
    for (const bool usual : {false, true})
      expect_each(but_for(start + 99, usual, {start - 1, start + 90}).slice(0, start, start + 90), {0});
}

/// Words and the bytes beside them are read singly: each from a block of its own.
TEST_F(BooleanWords, of_one_long_row_have_edges_too) {
  resident_ = 1 << 18;
  for (const int64_t start : {0, 1})
    for (const bool usual : {false, true})
      for (const int64_t place : {start, start + 300'000, start + 600'000}) {
        const Tensor x = but_for(start + 600'001, usual, {place}).slice(0, start);
        expect([&] { return all(x, {0}); }, "reduce_column_singly min u32\n");
        expect([&] { return any(x, {0}); }, "reduce_column_singly max u32\n");
        expect([&] { return sum(x.astype(DType::i32), {0}); }, "reduce_column_singly sum u32\n");
      }
}

TEST_F(BooleanWords, in_rows_of_whole_words) {
  const Tensor x = stored({37, 104}, DType::boolean);
  expect_each(x, {1});
  expect_each(x.slice(1, 4, 100), {1});
}

TEST_F(BooleanWords, not_in_rows_that_share_words) {
  const Tensor x = stored({37, 103}, DType::boolean);
  expect([&] { return all(x, {1}); }, "reduce_row all boolean\n");
  expect([&] { return any(stored({63}, DType::boolean), {0}); }, "reduce_row any boolean\n");
}

/// What a kernel adds is no parameter of the graph's, which a cache replaces.
TEST_F(BooleanWords, of_a_known_structure_are_reduced_alike) {
  const Device gl = Device::open("gl");
  for (const bool usual : {true, false, true}) {
    const std::vector<bool> values(300, usual);
    const Tensor x = Tensor::from(values, {300}, gl);
    EXPECT_EQ(all(x).item<bool>(), usual);
    EXPECT_EQ(sum(x.astype(DType::i32)).item<int32_t>(), usual ? 300 : 0);
  }
}

}  // namespace
}  // namespace eglantine::test
