#include "lower/map/narrow_cases.hpp"
#include "support/random/draw.hpp"

/// Maps that transpose blocks in registers, in the form for hardware with large pages, on any device.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

struct Case {
  Shape domain;
  Axes order;  ///< the domain's axes in the operand's memory, outermost first
};

// Rows of results that begin at each place in a vector, lines that do, one axis of columns or two, and planes.
const Case of_two_axes[] = {{{1030, 16}, {1, 0}},      {{1031, 33}, {1, 0}},      {{509, 46}, {1, 0}},
                            {{1021, 19}, {1, 0}},      {{5, 200, 68}, {0, 2, 1}}, {{3, 132, 67}, {0, 2, 1}},
                            {{2, 1027, 12}, {0, 2, 1}}};
const Case of_three_axes[] = {{{129, 3, 257}, {2, 1, 0}},
                              {{131, 131, 5}, {2, 1, 0}},
                              {{134, 43, 12}, {2, 1, 0}},
                              {{3, 136, 7, 19}, {0, 3, 2, 1}},
                              {{4, 140, 2, 41}, {0, 3, 2, 1}}};

constexpr StorageType storages[] = {StorageType::f32, StorageType::f16, StorageType::bf16, StorageType::u8};

void with_large_pages(gl::Target& target) { target.large_pages = true; }

bool is_in_registers(const NarrowMap& map) {
  return map.glsl(with_large_pages).find("map_transpose_registers: ") != std::string::npos;
}

void check_in_registers(const NarrowMap& map, const Shape& domain) {
  EXPECT_TRUE(is_in_registers(map)) << to_string(domain);
  map.check(with_large_pages);
}

TEST(MapsInRegisters, move_elements_of_three_axes) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(3);
  for (const StorageType storage : storages)
    for (const auto& [domain, order] : of_three_axes)
      for (const bool whole : {true, false}) {
        if (!draw.next()) continue;
        NarrowMap map(*device, domain, storage);
        if (whole) map.whole();
        check_in_registers(map.add_permuted(storage, order), domain);
      }
}

TEST(MapsInRegisters, move_halves_to_odd_rows) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const StorageType storage : {StorageType::f16, StorageType::bf16})
    for (const Shape& domain : {Shape{515, 67}, Shape{129, 131}, Shape{64, 1027}, Shape{203, 97}})
      check_in_registers(NarrowMap(*device, domain, storage).add_permuted(storage, {1, 0}), domain);
}

TEST(MapsInRegisters, compute_with_one_beside) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(3);
  for (const StorageType storage : storages)
    for (const auto& [domain, order] : of_two_axes) {
      if (!draw.next()) continue;
      const std::vector<int64_t> nowhere(static_cast<size_t>(domain.rank()), 0);
      NarrowMap map(*device, domain, storage);
      map.add_permuted(storage, order).add(storage).add(storage, {domain, nowhere, 0});
      check_in_registers(map, domain);
    }
}

/// What lies around results that begin anywhere keeps its bits.
TEST(MapsInRegisters, begin_anywhere) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Draw draw = draw_one_of(4);
  for (const StorageType storage : storages)
    for (int64_t start = 0; start < 5; ++start)
      for (const int64_t columns : {33, 52}) {
        if (!draw.next()) continue;
        const Shape domain{515, columns};
        NarrowMap map(*device, domain, storage, layout::contiguous(domain, start));
        map.add(storage, {domain, {1, 523}, start}).add(storage, layout::contiguous(domain, 4 - start));
        check_in_registers(map, domain);
      }
}

TEST(MapsInRegisters, take_more_blocks_than_groups_in_a_dimension) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const StorageType storage : {StorageType::f32, StorageType::u8}) {
    NarrowMap map(*device, {1031, 68}, storage);
    map.whole().add_permuted(storage, {1, 0}).add(storage);
    EXPECT_TRUE(is_in_registers(map));
    map.check([](gl::Target& target) {
      target.large_pages = true;
      target.max_groups = 3;
    });
  }
}

/// Where operands lie otherwise, several are read beside them, or tiles are full.
TEST(MapsInRegisters, are_tiles_where_these_do_as_well) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto map_of = [&](const Shape& domain) { return NarrowMap(*device, domain, StorageType::f32).whole(); };
  const Shape domain{519, 64};
  NarrowMap backwards = map_of(domain), rows = map_of(domain), several = map_of(domain), odd = map_of({519, 63}),
            moved = map_of(domain);
  backwards.add(StorageType::f32, {domain, {-1, 519}, 518}).add(StorageType::f32);
  rows.add_permuted(StorageType::f32, {1, 0}).add(StorageType::f32, {domain, {0, 1}, 0});
  several.add_permuted(StorageType::f32, {1, 0}).add(StorageType::f32).add(StorageType::f32);
  odd.add_permuted(StorageType::f32, {1, 0}).add(StorageType::f32);
  moved.add_permuted(StorageType::f32, {1, 0});
  for (const NarrowMap* map : {&backwards, &rows, &several, &odd, &moved}) {
    EXPECT_FALSE(is_in_registers(*map));
    map->check(with_large_pages);
  }
}

}  // namespace
}  // namespace eglantine::test
