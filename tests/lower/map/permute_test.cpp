#include <span>

#include "lower/expressions.hpp"
#include "lower/map/narrow_cases.hpp"
#include "lower/map/transpose/joint_tile.hpp"
#include "support/random/draw.hpp"

/// Maps with operands by another order of short axes in the form for hardware, on any device.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

struct Permuted {
  Shape domain;
  Axes order;  ///< the domain's axes in the operand's memory, outermost first
};

const Permuted permuted[] = {{{29, 409, 7}, {2, 1, 0}},
                             {{41, 572, 9}, {0, 2, 1}},
                             {{7, 549, 11}, {1, 0, 2}},
                             {{5, 3, 7, 2, 11, 13}, {5, 4, 3, 2, 1, 0}},
                             {{3, 5, 7, 11, 2, 13}, {1, 0, 5, 2, 3, 4}},
                             {{23, 400, 3}, {1, 0, 2}},
                             {{9, 409, 13}, {2, 0, 1}},
                             {{2, 3, 2, 3, 2, 997}, {4, 2, 5, 0, 1, 3}},
                             {{1030, 5, 4, 3}, {3, 2, 0, 1}}};

NarrowMap map_of(GlRuntime& device, const Permuted& each, StorageType storage, StorageType out) {
  return NarrowMap(device, each.domain, out).whole().add_permuted(storage, each.order);
}

TEST(MapsPermuted, copy_elements_to_their_places) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(3);
  for (StorageType storage : {StorageType::f32, StorageType::f16, StorageType::u8})
    for (const Permuted& each : permuted) {
      if (!draw.next()) continue;
      const NarrowMap map = map_of(*device, each, storage, storage);
      EXPECT_NE(map.glsl().find("map_permute: "), std::string::npos) << to_string(each.domain);
      // Boxes of narrow elements have few bytes, of which more are in flight so.
      EXPECT_EQ(map.glsl().find("#define EG_PREFETCH") != std::string::npos, storage != StorageType::f32)
          << to_string(each.domain);
      map.check();
    }
}

TEST(MapsPermuted, compute_with_others_in_place_and_several_in_tiles) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(4);
  for (StorageType storage : {StorageType::f32, StorageType::bf16, StorageType::i8})
    for (const Permuted& each : permuted) {
      if (!draw.next()) continue;
      map_of(*device, each, storage, storage).add(storage).add_permuted(storage, each.order).check();
    }
}

/// Of large boxes what is read beside them is loaded while they are, also where their last results are fewer than
/// invocations; of small ones it is not.
TEST(MapsPermuted, load_others_while_large_boxes_are_read) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const Permuted large[] = {{{3, 92, 1410}, {2, 1, 0}}, {{3, 231, 1409}, {2, 1, 0}}};
  for (const Permuted& each : large) {
    NarrowMap map = map_of(*device, each, StorageType::f32, StorageType::f32).add(StorageType::f32);
    map.add(StorageType::f16);
    EXPECT_NE(map.glsl().find("eg_ahead0 = eg_load_ahead("), std::string::npos) << to_string(each.domain);
    map.check();
  }
  const NarrowMap small =
      map_of(*device, {{3, 240, 33, 7}, {0, 3, 2, 1}}, StorageType::f32, StorageType::f32).add(StorageType::f32);
  EXPECT_NE(small.glsl().find("void eg_ahead() {}"), std::string::npos);
  small.check();
}

/// Boxes of bytes that begin at words in memory are read by words, and four results are computed at once, of 16 bits
/// too, also beside operands of which vectors begin elsewhere; runs may end within words.
TEST(MapsPermuted, read_words_of_narrow_elements_and_compute_four_bytes) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(2);
  const Permuted by_words[] = {{{4096, 3, 3}, {2, 1, 0}},
                               {{2052, 5, 2}, {1, 2, 0}},
                               {{3, 1028, 7}, {2, 0, 1}},
                               {{1024, 5, 7}, {0, 2, 1}},
                               {{6004, 3}, {1, 0}}};
  const Permuted singly[] = {{{4097, 3, 3}, {2, 1, 0}}, {{1023, 5, 7}, {0, 2, 1}}};
  for (StorageType storage : narrow_storages)
    for (const bool words : {true, false})
      for (const Permuted& each : words ? std::span<const Permuted>(by_words) : std::span<const Permuted>(singly)) {
        if (!draw.next()) continue;
        const Layout beside = layout::contiguous(each.domain, 1);
        const NarrowMap map = map_of(*device, each, storage, storage).add(storage).add(storage, beside);
        const std::string text = map.glsl();
        EXPECT_EQ(text.find("eg_of_word(") != std::string::npos, words && bytes_of(storage) == 1)
            << to_string(each.domain);
        EXPECT_NE(text.find("int from = clamp(first, 0, count - 4)"), std::string::npos);
        map.check();
      }
}

/// A line of memory with elements around it, or backwards, of which a map makes short rows.
struct Lines {
  int64_t length, pitch, offset;  ///< of lines; where the first element lies
  bool backwards;
  int64_t step = 1;
};

/// Lines across runs, or along them: the second axis of results is in one box with the last two.
Layout layout_of(const Lines& lines, const Shape& short_axes, bool along) {
  constexpr int64_t least = int64_t{1} << 14;
  const int64_t b = short_axes[1], a = std::max(short_axes[0], least / (lines.length * b) + 1),
                front = lines.backwards ? -lines.step : lines.step,
                first = lines.offset + (lines.backwards ? lines.step * (lines.length - 1) : 0);
  if (along) return {{a, lines.length, b}, {lines.pitch, front, lines.pitch * a}, first};
  return {{lines.length, a, b}, {front, lines.pitch, lines.pitch * a}, first};
}

constexpr Lines lines_read[] = {{256, 256, 0, false}, {256, 264, 8, true}, {256, 260, 4, false},
                                {258, 258, 0, false}, {258, 262, 2, true}, {257, 257, 0, false},
                                {252, 263, 3, true},  {257, 259, 1, true}, {128, 257, 0, false, 2},
                                {11, 11, 0, false},   {6, 7, 1, false},    {5, 8, 0, true}};

/// 16 bits of each element are staged as they lie, read by vectors of memory wherever lines begin.
TEST(MapsPermuted, stage_pairs_of_halves) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(8);
  for (const StorageType storage : {StorageType::f16, StorageType::bf16})
    for (const Shape& axes : {Shape{26, 5}, Shape{9, 12}, Shape{31, 7}, Shape{70, 2}, Shape{40, 3}})
      for (const Lines& lines : lines_read)
        for (const bool along : {false, true}) {
          if (!draw.next()) continue;
          const Layout layout = layout_of(lines, axes, along);
          SCOPED_TRACE(to_string(layout.shape) + " in lines of " + std::to_string(lines.pitch));
          NarrowMap(*device, layout.shape, storage).whole().add(storage, layout).check();
          NarrowMap(*device, layout.shape, storage, layout::contiguous(layout.shape, 3))
              .add(storage, layout)
              .add(storage, layout)
              .add(storage, {layout.shape, {0, 0, 1}, 0})
              .check();
        }
}

TEST(MapsPermuted, read_vectors_of_halves) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto is_read_by = [&](const Lines& lines, bool along, const char* text) {
    const Layout layout = layout_of(lines, {70, 5}, along);
    NarrowMap map(*device, layout.shape, StorageType::f16);
    map.whole().add(StorageType::f16, layout).add(StorageType::f16);
    return map.glsl().find(text) != std::string::npos;
  };
  for (const bool along : {false, true}) {
    EXPECT_TRUE(is_read_by({256, 256, 0, false}, along, "uvec4 a0_0")) << "of eight";
    EXPECT_TRUE(is_read_by({256, 264, 8, true}, along, "uvec4 a0_0")) << "of eight, backwards";
    EXPECT_TRUE(is_read_by({256, 260, 4, false}, along, "uvec2 a0_0")) << "of four";
    EXPECT_EQ(is_read_by({257, 257, 1, false}, along, "eg_joined(a0_0"), !along) << "of four, anywhere across runs";
    EXPECT_FALSE(is_read_by({128, 257, 0, false, 2}, along, "eg_pairs0(")) << "each second element";
    EXPECT_EQ(is_read_by({5, 5, 0, false}, along, "eg_half(a0_0"), along) << "one by one, along runs alone";
  }
}

TEST(MapsPermuted, read_and_write_words_on_gles) {
  const std::unique_ptr<GlRuntime> device = open_runtime({}, true);
  for (StorageType storage : narrow_storages)
    map_of(*device, {{4096, 3, 3}, {2, 1, 0}}, storage, storage).add(storage).check();
}

/// A tile has one of two that lie across the results in orders of their own: the other is copied into theirs first.
TEST(MapsPermuted, operands_of_two_other_orders) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const Shape& domain : {Shape{97, 40, 128}, Shape{41, 65, 131}})
    for (StorageType storage : {StorageType::f32, StorageType::f16}) {
      const NarrowMap map = NarrowMap(*device, domain, storage)
                                .whole()
                                .add_permuted(storage, {0, 2, 1})
                                .add_permuted(storage, {2, 1, 0})
                                .add(storage);
      const std::string text = map.glsl();
      const size_t first = text.find("void main()");
      EXPECT_NE(text.find("void main()", first + 1), std::string::npos) << to_string(domain);
      map.check();
    }
}

/// Of many orders the copies would be more memory than all that is read, or than the device binds.
TEST(MapsPermuted, operands_of_many_other_orders_are_read_in_place) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  NarrowMap map(*device, {64, 65, 67}, StorageType::f32);
  map.whole();
  for (const Axes& order :
       {Axes{0, 2, 1}, Axes{2, 0, 1}, Axes{0, 2, 1}, Axes{1, 2, 0}, Axes{2, 1, 0}, Axes{1, 2, 0}, Axes{2, 1, 0}})
    map.add_permuted(StorageType::f32, order);
  const std::string text = map.glsl();
  EXPECT_EQ(text.find("void main()", text.find("void main()") + 1), std::string::npos);
  map.check();
}

/// Words that runs end in belong to others, too.
TEST(MapsPermuted, keep_what_lies_around_results_that_begin_anywhere) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (StorageType storage : {StorageType::f32, StorageType::f16, StorageType::u8})
    for (int64_t start = 0; start < 4; ++start) {
      const Shape domain{61, 53, 7};
      NarrowMap(*device, domain, storage, layout::contiguous(domain, start)).add_permuted(storage, {2, 1, 0}).check();
    }
}

/// Repeated along an axis: read once, written for each.
TEST(MapsPermuted, repeat_what_they_read) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (StorageType storage : {StorageType::f32, StorageType::f16, StorageType::u8})
    for (const int axis : {1, 2}) {
      const int64_t rows = 301, columns = 47, times = 3;
      const Shape domain = axis == 1 ? Shape{rows, times, columns} : Shape{rows, columns, times};
      const Layout from = axis == 1 ? Layout{domain, {1, 0, rows}, 0} : Layout{domain, {1, rows, 0}, 0};
      const NarrowMap map = NarrowMap(*device, domain, storage).whole().add(storage, from);
      map.check();
      EXPECT_TRUE(axis == 1 || map.glsl().find("map_permute: ") != std::string::npos);
    }
}

TEST(MapsPermuted, read_axes_backwards_and_of_every_second_element) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const Shape domain{131, 49, 7};
  for (StorageType storage : {StorageType::f32, StorageType::f16}) {
    NarrowMap(*device, domain, storage).whole().add(storage, {domain, {-1, 131, 131 * 49}, 130}).check();
    NarrowMap(*device, domain, storage).whole().add(storage, {domain, {2, 263, 263 * 49}, 1}).check();
  }
}

/// The sum or product of neighbours along each axis, whose memory has them the other way round.
NarrowMap stencil(GlRuntime& device, const Shape& domain, StorageType storage) {
  const std::vector<int64_t> strides{1, domain[0] + 2, (domain[0] + 2) * (domain[1] + 2)};
  const int64_t centre = strides[0] + strides[1] + strides[2];
  NarrowMap map(device, domain, storage);
  map.whole().add(storage, {domain, strides, centre + strides[2]});
  for (const int64_t apart : {int64_t{0}, -strides[2], strides[1], -strides[1], strides[0], -strides[0]})
    map.add_view({domain, strides, centre + apart});
  return map;
}

TEST(MapsPermuted, stage_shifted_views_once) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(3);
  for (StorageType storage : {StorageType::i32, StorageType::f16, StorageType::u8})
    for (const Shape& domain : {Shape{27, 10, 211}, Shape{4, 47, 182}, Shape{40, 41, 37}, Shape{3, 2, 5001}}) {
      if (!draw.next()) continue;
      const NarrowMap map = stencil(*device, domain, storage);
      const std::string text = map.glsl();
      EXPECT_NE(text.find("eg_box0"), std::string::npos) << to_string(domain);
      EXPECT_EQ(text.find("eg_box1"), std::string::npos) << to_string(domain);
      EXPECT_NE(text.find("#define EG_PREFETCH"), std::string::npos) << to_string(domain);
      map.check();
    }
}

/// Of so many elements that copies of what tiles of two axes do not stage would be worth it.
TEST(MapsPermuted, stage_shifted_views_of_many_elements_once) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const Shape domain{67, 4001};
  const int64_t pitch = domain[0] + 2;
  NarrowMap map(*device, domain, StorageType::f32);
  map.whole().add(StorageType::f32, {domain, {1, pitch}, 2 * pitch + 1});
  for (const int64_t place : {pitch + 1, int64_t{1}, pitch + 2, pitch}) map.add_view({domain, {1, pitch}, place});
  const std::string text = map.glsl();
  EXPECT_NE(text.find("eg_box0"), std::string::npos);
  EXPECT_EQ(text.find("map_transpose"), std::string::npos);
  map.check();
}

/// What shifted views share reaches further than each of them.
TEST(MapsPermuted, stage_views_where_bindings_cover_little) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const int64_t bytes : {int64_t{1} << 14, int64_t{1} << 15, int64_t{1} << 16})
    for (const Shape& domain : {Shape{40, 41, 37}, Shape{27, 10, 211}})
      stencil(*device, domain, StorageType::f32).check([&](gl::Target& target) { target.max_block_bytes = bytes; });
}

/// Columns that rows repeat are read in place: side by side the same element.
TEST(MapsPermuted, read_what_rows_repeat_in_place) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto text_of = [&](int64_t columns) {
    const Shape domain{31, 23, 5, columns};
    const NarrowMap map = NarrowMap(*device, domain, StorageType::f32)
                              .whole()
                              .add(StorageType::f32)
                              .add(StorageType::f32, {domain, {115, 1, 23, 0}, 0});
    map.check();
    return map.glsl();
  };
  EXPECT_EQ(text_of(105).find("map_permute: "), std::string::npos);
  EXPECT_NE(text_of(9).find("map_permute: "), std::string::npos);
}

/// A few thousand elements fit in a box, and are cut so that every multiprocessor has one.
TEST(MapsPermuted, share_out_few_elements) {
  lower::Target gpu;
  gpu.max_invocations = 1024;
  gpu.max_shared_bytes = 49152;
  const Shape domain{64, 64, 7};
  const BufferPtr out = std::make_shared<Buffer>(nullptr, 4 * domain.elements());
  const Strided x{nullptr, StorageType::f32, {domain, {1, 64, 4096}, 0}};
  const auto boxes_of = [&](int64_t multiprocessors) {
    gpu.resident_invocations = multiprocessors * 2048;
    const MapKernel kernel{lower::load_of(x), {out, StorageType::f32, layout::contiguous(domain), true}};
    const std::optional<lower::JointTile> tile = lower::joint_tile(gpu, kernel);
    int64_t boxes = tile ? 1 : 0;
    for (int axis = 0; tile && axis < domain.rank(); ++axis)
      boxes *= (domain[axis] + tile->sizes[static_cast<size_t>(axis)] - 1) / tile->sizes[static_cast<size_t>(axis)];
    return boxes;
  };
  EXPECT_GT(boxes_of(132), 2 * boxes_of(1));
}

TEST(MapsPermuted, are_others_where_these_have_long_runs) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto is_permuted = [&](const Shape& domain, const Axes& order) {
    return NarrowMap(*device, domain, StorageType::f32)
               .whole()
               .add_permuted(StorageType::f32, order)
               .glsl()
               .find("map_permute: ") != std::string::npos;
  };
  EXPECT_FALSE(is_permuted({256, 128}, {1, 0}));
  EXPECT_FALSE(is_permuted({64, 64, 64}, {1, 0, 2}));
  EXPECT_FALSE(is_permuted({4096, 7}, {1, 0}));
  EXPECT_FALSE(is_permuted({7, 4096}, {1, 0}));
  EXPECT_TRUE(is_permuted({30, 64, 9}, {2, 1, 0}));
  EXPECT_TRUE(is_permuted({64, 64, 3, 5}, {3, 1, 0, 2})) << "few columns of short lines";
}

}  // namespace
}  // namespace eglantine::test
