#include <regex>
#include <set>

#include "lower/map/narrow_cases.hpp"
#include "lower/map/stencil_order.hpp"
#include "support/random/draw.hpp"

/// Maps of shifted views of one storage in the forms for hardware, on any device: what they have in common is read
/// once.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

constexpr StorageType storages_of_views[] = {StorageType::f32, StorageType::i32,  StorageType::u32,
                                             StorageType::f16, StorageType::bf16, StorageType::u8};

int64_t count_of(const std::string& text, const std::string& what) {
  int64_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// Neighbours of `rows` lines and `columns` places of memory whose lines are `pitch` elements apart.
NarrowMap stencil(GlRuntime& device, const Shape& domain, StorageType storage, int64_t rows, int64_t columns,
                  int64_t pitch, int64_t start = 0) {
  NarrowMap map(device, domain, storage);
  const auto view = [&](int64_t row, int64_t column) {
    Layout x{domain, {pitch, 1}, start + row * pitch + column};
    if (domain.rank() == 1) x.strides = {1};
    return x;
  };
  map.add(storage, view(rows - 1, columns - 1));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (i + j < rows + columns - 2) map.add_view(view(i, j));
  return map;
}

TEST(MapsOfSharedViews, read_a_line_of_neighbours_once) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto loads = [&](int64_t rows, int64_t columns, int64_t length) {
    return count_of(stencil(*device, {5, length}, StorageType::f32, rows, columns, length + 9).glsl(), "  vec4 m");
  };
  for (const int64_t length : {1000, 1001, 1003}) {
    EXPECT_EQ(loads(3, 3, length), 9) << length;
    EXPECT_EQ(loads(1, 5, length), 3) << length;
    EXPECT_EQ(loads(2, 2, length), 4) << length;
    EXPECT_EQ(loads(3, 1, length), 0) << length;
  }
}

/// Where a subgroup would have many vectors in two rows.
TEST(MapsOfSharedViews, read_short_odd_rows_by_elements) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto by_rows = [&](int64_t length) {
    return stencil(*device, {5, length}, StorageType::f32, 3, 3, length + 2).glsl().find("eg_load_in_row") !=
           std::string::npos;
  };
  EXPECT_FALSE(by_rows(37));
  EXPECT_TRUE(by_rows(222));
  EXPECT_FALSE(by_rows(1000));
  EXPECT_TRUE(by_rows(1001));
}

TEST(MapsOfSharedViews, of_every_storage_start_and_pitch) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(12);
  for (const StorageType storage : storages_of_views)
    for (const int64_t length : {36, 37, 516, 517, 519})
      for (int64_t start = 0; start < 4; ++start)
        for (const int64_t columns : {2, 3, 6})
          if (draw.next()) stencil(*device, {4, length}, storage, 2, columns, length + 5 + start % 2, start).check();
}

TEST(MapsOfSharedViews, of_lines_of_every_length) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(6);
  for (const StorageType storage : storages_of_views)
    for (const int64_t length : {4, 7, 1020, 1021, 1022, 1023})
      for (const int64_t columns : {2, 5, 9})
        if (draw.next()) stencil(*device, {1, length}, storage, 1, columns, length + columns, columns % 4).check();
}

TEST(MapsOfSharedViews, flipped_and_forward) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const StorageType storage : storages_of_views)
    for (const int64_t length : {512, 517}) {
      const Shape domain{3, length};
      const int64_t pitch = length + 6;
      const auto forward = [&](int64_t by) { return Layout{domain, {pitch, 1}, by}; };
      const auto flipped = [&](int64_t by) { return Layout{domain, {pitch, -1}, length - 1 + by}; };
      NarrowMap(*device, domain, storage)
          .add(storage, forward(5))
          .add_view(flipped(4))
          .add_view(forward(1))
          .add_view(flipped(0))
          .add_view(flipped(1))
          .add_view(forward(2))
          .check();
    }
}

/// Beside operands of other memory, and of one element for a row or a column.
TEST(MapsOfSharedViews, beside_other_operands) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const StorageType storage : storages_of_views)
    for (const Shape& domain : {Shape{5, 516}, Shape{5, 519}, Shape{2, 3, 1001}}) {
      const int64_t columns = domain[domain.rank() - 1], lines = domain.elements() / columns;
      const auto view = [&](int64_t by) {
        Layout x = layout::contiguous(domain, by);
        for (size_t axis = 0; axis + 1 < x.strides.size(); ++axis) x.strides[axis] += x.strides[axis] / columns * 3;
        return x;
      };
      Layout row = view(0), column = view(1);
      row.strides.back() = 0;
      std::fill(column.strides.begin(), column.strides.end() - 1, 0);
      NarrowMap(*device, domain, storage)
          .add(storage, view(lines + 3))
          .add_view(view(lines + 2))
          .add(storage)
          .add(StorageType::f32, row)
          .add(storage, column)
          .add(storage, view(1))
          .add_view(view(0))
          .check();
    }
}

/// Of an element a row and rows that repeat. A vector across the end of a row is gathered from both, and every length
/// of an axis is one divisor of the program.
TEST(MapsOfSharedViews, products_of_rows_of_every_length) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const std::regex division("eg_divide\\([^,]*, (eg_u\\[\\d+\\])");
  for (const int64_t length : {61, 131, 227, 333, 1001}) {
    const Shape domain{3, 5, length};
    const NarrowMap map = NarrowMap(*device, domain, StorageType::f32)
                              .add(StorageType::f32, {domain, {5, 1, 0}, 1})
                              .add(StorageType::f32, {domain, {length + 2, 0, 1}, 3});
    map.check();
    if (length < 200) continue;  // most subgroups would have a vector across
    const std::string all = map.glsl(), text = all.substr(0, all.find("void eg_store("));
    EXPECT_NE(text.find("eg_load_across"), std::string::npos) << length;
    std::set<std::string> divisors;
    for (std::sregex_iterator each(text.begin(), text.end(), division), end; each != end; ++each)
      divisors.insert((*each)[1]);
    EXPECT_EQ(divisors.size(), 2) << length;
  }
}

TEST(MapsOfSharedViews, beside_a_contiguous_operand_of_whole_vectors) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const int64_t length : {1001, 1002}) {
    const NarrowMap map = stencil(*device, {5, length}, StorageType::f32, 1, 2, length + 1).add(StorageType::f32);
    EXPECT_EQ(count_of(map.glsl(), "eg_joined(eg_b"), 0);
    map.check();
  }
}

TEST(MapsOfSharedViews, on_devices_with_small_limits) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const StorageType storage : storages_of_views)
    for (const int64_t length : {600, 601}) {
      const NarrowMap map = stencil(*device, {9, length}, storage, 3, 3, length + 2);
      map.check([](gl::Target& target) { target.max_bindings = 2; });
      map.check([](gl::Target& target) { target.max_block_bytes = 4096; });
      map.check([](gl::Target& target) {
        target.large_pages = true;
        target.resident_invocations = 64;
        target.max_groups = 5;
      });
    }
}

/// Results in neighbouring lines read the same ones.
TEST(MapsOfSharedViews, are_computed_line_after_line) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto large = [](gl::Target& target) {
    target.large_pages = true;
    target.resident_invocations = 128;
  };
  Draw draw = draw_one_of(6);
  for (const StorageType storage : storages_of_views)
    for (const int64_t length : {1000, 1001, 1002, 1003}) {
      if (!draw.next()) continue;
      const NarrowMap map = stencil(*device, {19, length}, storage, 3, 3, length + 2);
      EXPECT_NE(map.glsl(large).find("#define EG_TILE_LINES 8\n"), std::string::npos);
      map.check(large);
      map.check([&](gl::Target& target) {
        large(target);
        target.max_groups = 3;
      });
    }
  const Shape planes{3, 9, 510};
  NarrowMap map(*device, planes, StorageType::f32);
  const auto view = [&](int64_t by) { return Layout{planes, {11 * 521, 521, 1}, by}; };
  map.add(StorageType::f32, view(2 * 11 * 521 + 522));
  for (const int64_t by : {522, 11 * 521 + 1, 11 * 521 + 521, 11 * 521 + 522, 11 * 521 + 523, 11 * 521 + 1043})
    map.add_view(view(by));
  EXPECT_NE(map.glsl(large).find("#define EG_TILE_LINES 8\n"), std::string::npos);
  map.check(large);
}

TEST(MapsOfSharedViews, take_four_lines_for_each_that_tiles_share) {
  lower::Target target;
  target.resident_invocations = 1 << 14;
  const auto order = [&](const Shape& domain, const std::vector<int64_t>& strides,
                         const std::vector<int64_t>& offsets) {
    Expr value{domain, {}, {}, {}, {}};
    for (const int64_t offset : offsets)
      value.operands.push_back({nullptr, StorageType::f32, {domain, strides, offset}});
    return lower::stencil_order(target, value);
  };
  const auto rows = order({64, 65536}, {65540, 1}, {0, 1, 65540, 65541, 131081});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->axis, 0);
  EXPECT_EQ(rows->lines, 8);
  EXPECT_EQ(rows->vectors, 128);
  target.resident_invocations = 1 << 17;
  EXPECT_EQ(order({64, 65536}, {65540, 1}, {0, 131081})->lines, 4);
  target.resident_invocations = 1 << 14;
  const auto planes = order({8, 64, 65536}, {65536 * 66, 65536, 1}, {65536, 65536 * 67, 0, 65536 * 2});
  ASSERT_TRUE(planes);
  EXPECT_EQ(planes->axis, 1);
  EXPECT_FALSE(order({64, 65536}, {65540, 1}, {0, 1, 2}));
  EXPECT_FALSE(order({8, 1024}, {1026, 1}, {0, 1026}));
  EXPECT_FALSE(order({65536, 33}, {36, 1}, {0, 36}));
}

/// One range covers what each neighbour reads, but not what all of them read.
TEST(MapsOfSharedViews, in_several_ranges) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  constexpr int64_t range = 8192, ranges = 4;
  for (const StorageType storage : storages_of_views)
    for (const int64_t less : {16, 32})
      stencil(*device, {(range * ranges - less) / bytes_of(storage)}, storage, 1, 9, 0).check([](gl::Target& target) {
        target.max_block_bytes = range;
      });
}

}  // namespace
}  // namespace eglantine::test
