#include <algorithm>
#include <utility>

#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/as_subgroups.hpp"
#include "lower/expressions.hpp"
#include "lower/schedules.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Compactions as on hardware, on any device: tiles in chunks, and counts added in shared memory or by subgroups.
namespace eglantine::test {
namespace {

class CompactionSchedules : public testing::Test {
 protected:
  CompactionSchedules() : device_(open_runtime()) {}

  /// Runs of elements that are chosen, or not, each with its own share, so that some tiles have few and some none.
  static Words mask_of(int64_t count, Random& random) {
    Words mask;
    while (std::ssize(mask) < count) {
      const double share = std::clamp(random.real(-0.5, 1.5), 0.0, 1.0);
      for (int64_t length = random.integer(1, 3 * compacted_tile); length > 0 && std::ssize(mask) < count; --length)
        mask.push_back(random.real(0, 1) < share ? 1 : 0);
    }
    return mask;
  }

  Strided strided(const Words& words, StorageType storage, int64_t count, int64_t offset) {
    return {buffer_of(*device_, words), storage, {Shape{count}, {1}, offset}};
  }

  /// Of each tile how many are chosen; or of more tiles than are counted so, of all up to it.
  static Words ends_of(const Words& mask, int64_t offset) {
    const int64_t count = std::ssize(mask) - offset;
    Words ends;
    uint32_t sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      sum += mask[static_cast<size_t>(offset + i)];
      if (i % compacted_tile != compacted_tile - 1 && i != count - 1) continue;
      ends.push_back(sum);
      if (count <= most_counted_tiles * compacted_tile) sum = 0;
    }
    return ends;
  }

  /// The mask and the updates begin `offset` elements into their memory, and the result as many: what lies before and
  /// after it stays.
  void check(AsHardware&& hardware, int64_t count, int64_t offset, bool bytes, Random& random) {
    Words mask(static_cast<size_t>(offset), 1), updates(static_cast<size_t>(offset), 7);
    for (const uint32_t each : mask_of(count, random)) mask.push_back(each);
    Words out(static_cast<size_t>(offset), 5), expected = out;
    for (int64_t i = 0; i < count; ++i) {
      updates.push_back(static_cast<uint32_t>(random.integer(0, 1 << 30)));
      if (mask[static_cast<size_t>(offset + i)] != 0) expected.push_back(updates.back());
    }
    const Words ends = ends_of(mask, offset);
    const int64_t length = std::ssize(expected) - offset;
    if (length == 0) return;
    out.resize(expected.size() + 1, 5);
    expected.push_back(5);
    const StorageType of_mask = bytes ? StorageType::boolean_byte : StorageType::boolean_word;
    ScatterKernel kernel;
    kernel.index = lower::load_of(strided(bytes ? packed(mask, StorageType::u8) : mask, of_mask, count, offset));
    kernel.updates = lower::load_of(strided(updates, StorageType::u32, count, offset));
    kernel.target = {Shape{count}, {0}, offset};
    kernel.length = length;
    kernel.stride = 1;
    kernel.distinct = kernel.partial = true;
    kernel.out = strided(out, StorageType::u32, length, offset);
    kernel.place = layout::contiguous(Shape{count});
    kernel.ends = strided(ends, StorageType::i32, std::ssize(ends), 0);
    hardware.run(kernel);
    EXPECT_EQ(hardware.dispatches, 1);
    EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), out.size()), expected)
        << count << " from " << offset << (bytes ? ", bytes" : "");
  }

  /// Of a mask of this shape, the coordinates of what is chosen.
  void check_coordinates(AsHardware&& hardware, const Shape& shape, int64_t offset, Random& random) {
    const int64_t count = shape.elements(), rank = shape.rank();
    const Words mask = mask_of(count, random), ends = ends_of(mask, 0);
    Words places, out(static_cast<size_t>(offset), 5), expected = out;
    for (int64_t i = 0; i < count; ++i) {
      places.push_back(static_cast<uint32_t>(i));
      int64_t inner = count, place = i;
      for (int axis = 0; axis < rank && mask[static_cast<size_t>(i)] != 0; ++axis) {
        inner /= shape[axis];
        expected.push_back(static_cast<uint32_t>(place / inner));
        place %= inner;
      }
    }
    const int64_t length = (std::ssize(expected) - offset) / rank;
    if (length == 0) return;
    out.resize(expected.size() + 1, 5);
    expected.push_back(5);
    ScatterKernel kernel;
    kernel.index = lower::load_of(strided(mask, StorageType::boolean_word, count, 0));
    kernel.updates = lower::load_of(strided(places, StorageType::i32, count, 0));
    kernel.target = {Shape{count}, {0}, offset};
    kernel.length = length;
    kernel.stride = rank;
    kernel.distinct = kernel.partial = true;
    kernel.out = strided(out, StorageType::i32, length * rank, offset);
    kernel.place = layout::contiguous(Shape{count});
    kernel.ends = strided(ends, StorageType::i32, std::ssize(ends), 0);
    kernel.coordinates = shape;
    hardware.run(kernel);
    EXPECT_EQ(hardware.dispatches, 1);
    EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), out.size()), expected) << to_string(shape);
  }

  std::unique_ptr<gl::GlRuntime> device_;
};

TEST_F(CompactionSchedules, give_the_coordinates_of_places) {
  Random random(draw_seed() + 5);
  for (const Shape& shape : {Shape{3, 5}, Shape{41, 103}, Shape{7, 1, 613}, Shape{5, 37, 2, 31}, Shape{2049, 2}})
    for (const int64_t offset : {0, 1}) {
      check_coordinates(AsHardware(*device_), shape, offset, random);
      check_coordinates(AsSubgroups(*device_, 1 << 20), shape, offset, random);
    }
}

TEST_F(CompactionSchedules, keep_what_the_mask_chooses) {
  Random random(draw_seed() + 1);
  for (const int64_t count : {int64_t{1}, int64_t{5}, compacted_tile - 1, compacted_tile, compacted_tile + 1,
                              5 * compacted_tile + 3, random.integer(1, 40 * compacted_tile)})
    for (const int64_t offset : {0, 1}) {
      const int64_t resident = random.integer(0, 1) == 0 ? 512 : 1 << 20;  // one group works through many tiles, or few
      check(AsHardware(*device_, resident), count, offset, random.integer(0, 1) == 0, random);
      check(AsSubgroups(*device_, resident), count, offset, random.integer(0, 1) == 0, random);
    }
}

TEST_F(CompactionSchedules, read_the_ends_of_many_tiles) {
  Random random(draw_seed() + 3);
  check(AsHardware(*device_), most_counted_tiles * compacted_tile + 5, 0, true, random);
}

TEST_F(CompactionSchedules, add_the_counts_of_many_tiles) {
  Random random(draw_seed() + 4);
  check(AsSubgroups(*device_, 1 << 20), 1500 * compacted_tile + 5, 0, true, random);
}

TEST_F(CompactionSchedules, take_smaller_groups_where_a_device_has_no_larger_ones) {
  Random random(draw_seed() + 2);
  for (const int64_t invocations : {64, 128}) {
    AsHardware hardware(*device_);
    hardware.plan_for().max_invocations = invocations;
    check(std::move(hardware), 3 * compacted_tile + 77, 1, true, random);
  }
}

}  // namespace
}  // namespace eglantine::test
