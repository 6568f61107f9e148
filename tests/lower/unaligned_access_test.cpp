#include <gtest/gtest.h>

#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/row/formulas.hpp"
#include "support/as_hardware.hpp"
#include "support/stored_elements.hpp"

/// How vectors that begin anywhere are read and written, in the text and by running it.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

std::vector<uint32_t> scrambled_words(size_t count, uint32_t seed) {
  std::vector<uint32_t> words;
  for (size_t i = 0; i < count; ++i) words.push_back((static_cast<uint32_t>(i) + seed) * 2654435761U);
  return words;
}

MapKernel moved(const Strided& from, const Strided& to) { return {lower::load_of(from), to}; }

class UnalignedAccess : public testing::Test {
 protected:
  size_t words_ = 1 << 11;  ///< of an operand and a result

  Strided operand(StorageType storage, const Layout& layout) {
    return {buffer_of(*device_, scrambled_words(words_, 1)), storage, layout};
  }
  Strided result(StorageType storage, const Layout& layout) {
    return {buffer_of(*device_, scrambled_words(words_, 9)), storage, layout};
  }
  /// Runs the map as on hardware; compares what it writes, and that the rest of the output's memory keeps its value.
  void check(const MapKernel& map) {
    AsHardware hardware(*device_, 256);
    hardware.run(map);
    const StorageType storage = map.out.storage;
    const std::vector<uint32_t> source = scrambled_words(words_, 1), before = scrambled_words(words_, 9);
    std::vector<uint32_t> expected;
    for (int64_t i = 0; i < static_cast<int64_t>(words_) * 4 / bytes_of(storage); ++i)
      expected.push_back(bits_at(before, storage, i));
    layout_for_each(map.out.layout, map.value.operands[0].layout, [&](int64_t to, int64_t from) {
      expected[static_cast<size_t>(to)] = bits_at(source, storage, from);
    });
    const std::vector<uint32_t> found = download(*device_, map.out.buffer->storage(), words_);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(bits_at(found, storage, static_cast<int64_t>(i)), expected[i]) << "at " << i;
  }
  std::string text(const MapKernel& map) { return glsl_of(AsHardware(*device_, 256).target(), map); }

  std::unique_ptr<GlRuntime> device_ = open_runtime();

 private:
  template <class Visit>
  static void layout_for_each(const Layout& to, const Layout& from, Visit visit) {
    const int64_t columns = to.shape[to.shape.rank() - 1];
    const bool rows = to.shape.rank() > 1;
    for (int64_t r = 0; r < (rows ? to.shape[0] : 1); ++r)
      for (int64_t c = 0; c < columns; ++c)
        visit(to.offset + (rows ? r * to.strides[0] : 0) + c * to.strides.back(),
              from.offset + (rows ? r * from.strides[0] : 0) + c * from.strides.back());
  }
};

constexpr StorageType storages_of_words[] = {StorageType::u32, StorageType::i32, StorageType::u8, StorageType::i8};

TEST_F(UnalignedAccess, lines_from_every_start_into_every_start) {
  for (StorageType storage : storages_of_words)
    for (int64_t from = 0; from < 6; ++from)
      for (int64_t to = 0; to < 5; ++to)
        for (int64_t length : {1, 3, 4, 6, 1021})
          check(moved(operand(storage, {{length}, {1}, from}), result(storage, {{length}, {1}, to})));
}

TEST_F(UnalignedAccess, rows_of_odd_pitch) {
  for (StorageType storage : storages_of_words)
    for (int64_t columns : {3, 4, 12, 61})
      for (int64_t from : {0, 3})
        check(moved(operand(storage, {{17, columns}, {columns + 5, 1}, from}),
                    result(storage, {{17, columns}, {columns + 3, 1}, 1})));
}

TEST_F(UnalignedAccess, transposed_lines_of_odd_pitch) {
  for (StorageType storage : storages_of_words)
    for (int64_t lines : {37, 64})
      check(moved(operand(storage, {{lines, 21}, {1, 71}, 3}), result(storage, {{lines, 21}, {21, 1}, 0})));
}

TEST_F(UnalignedAccess, transposed_odd_rows_that_fill_a_buffer) {
  words_ = 1 << 12;
  for (StorageType storage : storages_of_words) {
    MapKernel map = moved(operand(storage, {{64, 37}, {1, 64}, 0}), result(storage, {{64, 37}, {37, 1}, 0}));
    map.out.whole = true;
    check(map);
  }
}

TEST_F(UnalignedAccess, one_text_for_all_starts) {
  const auto from = [&](int64_t start) {
    return text(moved(operand(StorageType::u32, {{1000}, {1}, start}), result(StorageType::u32, {{1000}, {1}, 0})));
  };
  EXPECT_EQ(from(1), from(2));
  EXPECT_EQ(from(1), from(7));
  EXPECT_EQ(from(0), from(4));
  EXPECT_EQ(from(0).find("eg_joined"), std::string::npos);
  EXPECT_NE(from(1).find("eg_joined"), std::string::npos);
}

/// Of words in a block each component is a read of its own there: eight for a vector, where elements are four. Texels
/// are read whole.
TEST_F(UnalignedAccess, software_reads_words_in_blocks_one_by_one) {
  lower::Target software = device_->target();
  software.software = true;
  const auto rows = [&](StorageType storage, bool texels) {
    software.texel_reads = texels;
    const Layout odd{{5, 37}, {37, 1}, 0};
    const RowKernel row = row_kernel(RowFormula::softmax, operand(storage, odd), result(StorageType::f32, odd));
    return glsl_of(software, row).find("eg_joined") != std::string::npos;
  };
  EXPECT_FALSE(rows(StorageType::f32, false));
  for (const bool texels : {false, true}) EXPECT_TRUE(rows(StorageType::f16, texels));
  EXPECT_TRUE(rows(StorageType::f32, true));
}

/// Of rows that begin anywhere neighbouring lanes access neighbouring words: a line each time, or all of a short row.
TEST_F(UnalignedAccess, lanes_of_rows_of_odd_length_access_neighbours) {
  lower::Target hardware = device_->target();
  hardware.software = false;
  const auto text_of = [&](int64_t length, StorageType storage, bool of_rows = false) {
    const Layout rows{{5, length}, {length, 1}, 0}, each{{5, length}, {1, 0}, 0};
    return glsl_of(hardware, row_kernel(of_rows ? RowFormula::var : RowFormula::softmax, operand(storage, rows),
                                        result(StorageType::f32, of_rows ? each : rows)));
  };
  EXPECT_NE(text_of(197, StorageType::f32).find("#define EG_APART 32\n"), std::string::npos);
  EXPECT_NE(text_of(37, StorageType::f32).find("#define EG_APART 16\n"), std::string::npos);
  for (const std::string& beside :
       {text_of(196, StorageType::f32), text_of(197, StorageType::f16), text_of(197, StorageType::f32, true)})
    EXPECT_EQ(beside.find("EG_APART 32\n"), std::string::npos);
}

/// All but a few elements of a long line are whole words.
TEST_F(UnalignedAccess, long_lines_are_written_without_atomics) {
  words_ = 1 << 15;
  AsHardware hardware(*device_, 256);
  const int64_t length = 100001;
  const MapKernel map =
      moved(operand(StorageType::u8, {{length}, {1}, 2}), result(StorageType::u8, {{length}, {1}, 5}));
  hardware.run(map);
  EXPECT_EQ(hardware.dispatches, 3);
  check(map);
  const std::string all = text(map), heading = "// map i32, ";
  const size_t second = all.find(heading, all.find(heading) + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_NE(all.substr(0, second).find("atomicOr"), std::string::npos);
  EXPECT_EQ(all.substr(second, all.find(heading, second + 1) - second).find("atomicOr"), std::string::npos);
}

/// Where atomics are slow.
TEST_F(UnalignedAccess, odd_rows_are_packed_by_a_map) {
  const auto packs = [&](int64_t length, bool asked) {
    AsHardware hardware(*device_, 256);
    hardware.plan_for().packs_words = asked;
    const Layout rows{{7, length}, {length, 1}, 0};
    Strided out = result(StorageType::f16, rows);
    out.whole = true;
    const RowKernel row = row_kernel(RowFormula::softmax, operand(StorageType::f16, rows), out);
    const std::string text = glsl_of(hardware.target(), row);
    const bool packed = text.find("// map f32, ") != std::string::npos;
    EXPECT_EQ(text.find("atomicOr") == std::string::npos, packed || length % 4 == 0);
    return packed;
  };
  EXPECT_TRUE(packs(37, true));
  EXPECT_FALSE(packs(36, true));
  EXPECT_FALSE(packs(37, false));
}

}  // namespace
}  // namespace eglantine::test
