#include "lower/map/narrow_cases.hpp"
#include "support/random/draw.hpp"

/// Transposed maps of elements that share words in the forms for hardware, on any device.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

struct Turned {
  Shape domain;
  Axes order;  ///< the domain's axes in the operand's memory, outermost first
};

// Edges on either side, words that end elsewhere than rows, and axes before, between and after.
const Turned turned_domains[] = {{{4, 4}, {1, 0}},         {{33, 31}, {1, 0}},           {{65, 127}, {1, 0}},
                                 {{128, 192}, {1, 0}},     {{5, 1100}, {1, 0}},          {{1100, 5}, {1, 0}},
                                 {{131, 259}, {1, 0}},     {{3, 45, 40}, {0, 2, 1}},     {{37, 5, 44}, {2, 1, 0}},
                                 {{7, 33, 35}, {1, 2, 0}}, {{9, 4, 3, 36}, {1, 3, 2, 0}}};

TEST(MapsTransposed, copy_narrow_elements_to_their_places) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(3);
  for (StorageType storage : narrow_storages)
    for (const auto& [domain, order] : turned_domains) {
      if (!draw.next()) continue;
      const NarrowMap map = NarrowMap(*device, domain, storage).whole().add_permuted(storage, order);
      EXPECT_EQ(map.is_tiled(), domain[domain.rank() - 1] > 8) << to_string(domain);
      map.check();
    }
}

/// Short lines that follow one another in memory are one, also where the results' axis of either is the outer one.
TEST(MapsTransposed, join_short_narrow_lines) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(2);
  const Turned cases[] = {{{10, 3, 17, 67}, {3, 1, 2, 0}}, {{2, 41, 7, 3, 133}, {4, 3, 0, 2, 1}},
                          {{37, 4, 64}, {2, 1, 0}},        {{12, 16, 64}, {2, 1, 0}},
                          {{8, 5, 17, 68}, {1, 3, 2, 0}},  {{5, 3, 2, 43, 66}, {4, 2, 0, 3, 1}}};
  for (StorageType storage : narrow_storages)
    for (const auto& [domain, order] : cases) {
      if (!draw.next()) continue;
      const NarrowMap map = NarrowMap(*device, domain, storage).whole().add_permuted(storage, order);
      EXPECT_NE(map.glsl().find("#define EG_JOINT"), std::string::npos) << to_string(domain);
      map.check();
    }
}

/// Lines that begin anywhere in a word: but for their ends, words are written whole, also where tiles meet.
TEST(MapsTransposed, write_whole_words_of_narrow_lines_of_any_length) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(4);
  for (StorageType storage : narrow_storages)
    for (const int64_t columns : {9, 10, 11, 31, 33, 35, 61, 66, 97, 127, 129, 185, 187, 613})
      for (int64_t start = 0; start < 4; ++start) {
        if (!draw.next()) continue;
        const Shape domain{5, 70, columns};
        const NarrowMap map =
            NarrowMap(*device, domain, storage, layout::contiguous(domain, start)).add_permuted(storage, {0, 2, 1});
        const int64_t in_word = 4 / bytes_of(storage);
        EXPECT_EQ(map.glsl().find("#define EG_ACROSS") != std::string::npos,
                  columns % in_word != 0 || start % in_word != 0);
        // Vectors of whole words take no masks, and blocks are transposed as the words that they are.
        EXPECT_NE(map.glsl().find(bytes_of(storage) == 2 ? ") & 1u) == 0u) {\n    eg_b" : ") & 3u) == 0u) {\n    eg_b"),
                  std::string::npos);
        EXPECT_NE(map.glsl().find("  eg_transpose_block("), std::string::npos);
        map.check();
      }
  const NarrowMap aligned =
      NarrowMap(*device, {70, 36}, StorageType::f16).whole().add_permuted(StorageType::f16, {1, 0});
  EXPECT_EQ(aligned.glsl().find("#define EG_ACROSS"), std::string::npos);
}

/// The same of a box of the results, whose lines begin at one place in a word or each at another.
TEST(MapsTransposed, write_whole_words_of_boxes_of_narrow_lines) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(3);
  const Shape domain{3, 70, 45}, even{3, 70, 44};
  for (StorageType storage : narrow_storages)
    for (const int64_t pitch : {48, 49, 50, 51})
      for (const int64_t start : {0, 1, 6}) {
        if (!draw.next()) continue;
        for (const Shape& box : {domain, even}) {
          const Layout out{box, {71 * pitch, pitch, 1}, start};
          const NarrowMap map = NarrowMap(*device, box, storage, out).add_permuted(storage, {0, 2, 1});
          const int64_t in_word = 4 / bytes_of(storage);
          const bool begins_whole = pitch % in_word == 0 && start % in_word == 0 && box[2] % in_word == 0;
          EXPECT_EQ(map.glsl().find("#define EG_ACROSS") != std::string::npos, !begins_whole);
          map.check();
        }
      }
}

/// Of 73 columns a second tile of 64 would be mostly empty.
TEST(MapsTransposed, have_tiles_that_their_lines_fill) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto columns_of = [&](const Shape& domain, StorageType from, StorageType to) {
    const NarrowMap map =
        NarrowMap(*device, domain, to).whole().add_permuted(from, domain.rank() == 2 ? Axes{1, 0} : Axes{0, 2, 1});
    if (is_float(dtype_of(to))) map.check();  // integers of floats saturate, which NarrowMap's loops do not
    const std::string text = map.glsl(), name = "#define EG_COLUMNS ";
    return std::stoi(text.substr(text.find(name) + name.size()));
  };
  EXPECT_EQ(columns_of({1024, 73}, StorageType::f32, StorageType::f16), 32);
  EXPECT_EQ(columns_of({1024, 72}, StorageType::f32, StorageType::f32), 32);
  EXPECT_EQ(columns_of({1024, 64}, StorageType::f32, StorageType::f32), 64);
  EXPECT_EQ(columns_of({1024, 321}, StorageType::f32, StorageType::f32), 64);
  EXPECT_EQ(columns_of({2, 521, 1001}, StorageType::f16, StorageType::f16), 32);
  EXPECT_EQ(columns_of({520, 1001}, StorageType::f16, StorageType::u8), 64) << "results of fewer bytes";
}

TEST(MapsTransposed, compute_with_narrow_elements_beside_others_in_place) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(3);
  for (StorageType storage : narrow_storages)
    for (const auto& [domain, order] : turned_domains) {
      if (!draw.next()) continue;
      NarrowMap(*device, domain, storage)
          .add(storage)
          .add_permuted(storage, order)
          .add_permuted(storage, order)
          .check();
    }
}

TEST(MapsTransposed, take_operands_of_several_widths_into_tiles) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (StorageType storage : {StorageType::f32, StorageType::f16, StorageType::bf16})
    for (const Shape& domain : {Shape{64, 36}, Shape{33, 68}, Shape{133, 258}}) {
      const NarrowMap map = NarrowMap(*device, domain, storage)
                                .whole()
                                .add_permuted(StorageType::f16, {1, 0})
                                .add_permuted(StorageType::f32, {1, 0})
                                .add_permuted(StorageType::i8, {1, 0});
      EXPECT_TRUE(map.is_tiled()) << to_string(domain);
      map.check();
    }
}

TEST(MapsTransposed, read_narrow_axes_backwards_and_from_inside) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (StorageType storage : narrow_storages)
    for (const int64_t columns : {40, 41}) {
      const Shape domain{65, columns};
      NarrowMap(*device, domain, storage)
          .whole()
          .add(storage, {domain, {-1, 71}, 64 + 3})
          .add(storage, {domain, {1, -71}, (columns - 1) * 71 + 5})
          .add(storage, {domain, {1, 72}, 4})
          .check();
    }
}

TEST(MapsTransposed, take_more_tiles_of_narrow_elements_than_groups) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const bool large_pages : {false, true})
    for (StorageType storage : {StorageType::f16, StorageType::u8})
      NarrowMap(*device, {2, 1100, 100}, storage)
          .whole()
          .add_permuted(storage, {0, 2, 1})
          .check([=](gl::Target& target) {
            target.max_groups = 7;
            target.large_pages = large_pages;
          });
}

TEST(MapsTransposed, take_narrow_elements_on_gles) {
  const std::unique_ptr<GlRuntime> device = open_runtime({}, true);
  for (StorageType storage : narrow_storages)
    for (const Shape& domain : {Shape{65, 128}, Shape{65, 127}})
      NarrowMap(*device, domain, storage).whole().add_permuted(storage, {1, 0}).add(storage).check();
}

}  // namespace
}  // namespace eglantine::test
