#include "lower/map/narrow_cases.hpp"
#include "support/random/draw.hpp"

/// Maps of elements that share words in the forms for hardware, on any device.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

TEST(Maps, compute_lines_of_narrow_elements_of_any_length) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(2);
  for (StorageType storage : narrow_storages)
    for (const int64_t length : {1, 2, 3, 4, 5, 1023, 1024, 4099, 100001}) {
      if (!draw.next()) continue;
      NarrowMap(*device, {length}, storage).add(storage).add(storage).add(storage).check();
      NarrowMap(*device, {length}, storage).whole().add(storage).add(storage).check();
    }
}

TEST(Maps, compute_narrow_elements_from_any_start_into_any_start) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(5);
  for (StorageType storage : narrow_storages)
    for (int64_t from = 0; from < 5; ++from)
      for (int64_t to = 0; to < 5; ++to) {
        if (!draw.next()) continue;
        for (const int64_t length : {3, 61, 1021})
          NarrowMap(*device, {length}, storage, {{length}, {1}, to})
              .add(storage, {{length}, {1}, from})
              .add(storage, {{length}, {1}, 1029})
              .check();
      }
}

TEST(Maps, compute_rows_of_narrow_elements_of_any_pitch) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(2);
  for (StorageType storage : narrow_storages)
    for (const int64_t columns : {3, 12, 61, 64})
      for (const int64_t more : {0, 1, 5}) {
        if (!draw.next()) continue;
        const Shape domain{17, columns};
        NarrowMap(*device, domain, storage, {domain, {columns + more, 1}, 2})
            .add(storage, {domain, {columns + 3, 1}, 3})
            .add(storage, {domain, {0, 1}, 1})
            .add(storage, {domain, {1, 0}, 1})
            .add(storage, {domain, {-columns, -1}, 17 * columns - 1})
            .add(storage, {domain, {2 * columns, 2}, 1})
            .check();
      }
}

TEST(Maps, copy_rows_of_whole_vectors_as_words) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (StorageType storage : narrow_storages)
    for (const int64_t columns : {48, 50, 64})
      for (const int64_t start : {0, 4, 16}) {
        const Shape domain{17, 3, columns};
        const NarrowMap map = NarrowMap(*device, domain, storage, {domain, {96 * 4, 96, 1}, start})
                                  .add(storage, {domain, {-80 * 3, 80, 1}, 16 * 80 * 3});
        const int64_t vector = 16 / bytes_of(storage);
        EXPECT_EQ(map.glsl().find("uvec4 eg_b") != std::string::npos, columns % vector == 0 && start % vector == 0)
            << columns << " from " << start;
        map.check();
      }
}

/// What is the same along a row: of four results that reach into the next row, of which there are two elements.
TEST(Maps, read_two_narrow_elements_for_results_of_two_rows) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (StorageType storage : narrow_storages)
    for (const Shape& domain : {Shape{311, 5}, Shape{67, 3, 7}, Shape{1, 9}, Shape{29, 3}, Shape{130, 4}}) {
      std::vector<int64_t> strides(static_cast<size_t>(domain.rank()));
      for (int axis = domain.rank() - 2, stride = 1; axis >= 0; stride *= static_cast<int>(domain[axis--]))
        strides[static_cast<size_t>(axis)] = stride;
      const NarrowMap map =
          NarrowMap(*device, domain, storage).whole().add(storage, {domain, {strides.begin(), strides.end()}, 3});
      const bool in_two_rows = domain[domain.rank() - 1] > 4 && domain[0] > 1;
      EXPECT_EQ(map.glsl().find("x0_last") != std::string::npos, in_two_rows) << to_string(domain);
      map.check();
    }
}

/// Vectors of a few bytes would leave memory idle: several are in flight, also at the end of a line.
TEST(Maps, read_several_short_vectors_at_a_time_where_pages_are_large) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto large = [](gl::Target& target) {
    target.large_pages = true;
    target.resident_invocations = 128;
  };
  const auto expect = [&](const NarrowMap& map, int at_once) {
    const std::string glsl = map.glsl(large), defined = "#define EG_UNROLL ";
    EXPECT_EQ(glsl.substr(glsl.find(defined) + defined.size(), 1), std::to_string(at_once));
    map.check(large);
  };
  for (StorageType storage : narrow_storages)
    for (const int64_t length : {4096, 10007}) {
      const int each = bytes_of(storage) == 1 ? 4 : 2;
      const Shape rows{3, length + 2};  // of no whole vectors, which would be copied as words
      expect(NarrowMap(*device, rows, storage).whole().add(storage, {rows, {0, 1}, 0}), 4);
      expect(NarrowMap(*device, {length}, storage).whole().add(storage).add(storage), each);
      expect(NarrowMap(*device, {length}, storage).whole().add(storage).add(storage, {{length}, {0}, 3}), each);
      expect(NarrowMap(*device, {length}, storage).whole().add(storage).add(StorageType::f32), 1);
    }
}

TEST(Maps, compute_with_narrow_elements_of_several_types) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (StorageType storage : {StorageType::f32, StorageType::f16, StorageType::bf16})
    for (const int64_t length : {64, 1021})
      NarrowMap(*device, {length}, storage)
          .add(StorageType::f16)
          .add(StorageType::bf16, {{length}, {1}, 3})
          .add(StorageType::u8, {{length}, {1}, 2})
          .add(StorageType::i8, {{length}, {-1}, length - 1})
          .check();
}

TEST(MapsOnLargePages, continue_narrow_elements_in_the_second_dimension) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (StorageType storage : narrow_storages)
    for (const int64_t length : {30011, 30012}) {
      const auto few_groups = [](gl::Target& target) {
        target.large_pages = true;
        target.max_groups = 5;
      };
      NarrowMap(*device, {length}, storage).whole().add(storage, {{length}, {1}, 1}).check(few_groups);
      NarrowMap(*device, {length}, storage).whole().add(storage).add(storage).check(few_groups);
    }
}

TEST(Maps, round_halves_by_their_bits) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const int64_t length : {1021, 1024})
    NarrowMap(*device, {length}, StorageType::f16).add(StorageType::f32).add(StorageType::f16).check([](auto& target) {
      target.packs_nearest = false;
    });
}

TEST(Maps, take_narrow_elements_on_gles) {
  const std::unique_ptr<GlRuntime> device = open_runtime({}, true);
  for (StorageType storage : narrow_storages)
    NarrowMap(*device, {1021}, storage, {{1021}, {1}, 1}).add(storage).add(storage, {{1021}, {1}, 3}).check();
}

}  // namespace
}  // namespace eglantine::test
