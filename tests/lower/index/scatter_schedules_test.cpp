#include <algorithm>

#include "graph/op/op_info.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/schedules.hpp"
#include "support/random/random_data.hpp"

/// Integers combined at indices as on hardware, on any device: in copies in shared memory, or one by one.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

uint32_t combined(Reduction by, StorageType storage, uint32_t a, uint32_t b) {
  if (by == Reduction::sum) return a + b;
  const bool less = storage == StorageType::u32 ? a < b : static_cast<int32_t>(a) < static_cast<int32_t>(b);
  return less == (by == Reduction::max) ? b : a;
}

struct ScatterCase {
  int64_t count, places;
  Reduction by = Reduction::sum;
  StorageType storage = StorageType::i32;
};

class ScatterSchedules : public testing::Test {
 protected:
  ScatterSchedules() : device_(open_runtime()), hardware_(*device_) {}

  Strided words(const Words& words, StorageType storage, int64_t offset = 0) {
    const int64_t count = static_cast<int64_t>(words.size()) - offset;
    return {buffer_of(*device_, words), storage, {Shape{count}, {1}, offset}};
  }

  /// Places in the first half are met more often; negative indices count from the end.
  Words indices(const ScatterCase& c, Random& random) {
    Words index;
    for (int64_t i = 0; i < c.count; ++i) {
      const int64_t place = random.integer(0, i % 2 == 0 ? c.places - 1 : (c.places - 1) / 2);
      index.push_back(static_cast<uint32_t>(i % 5 == 0 ? place - c.places : place));
    }
    return index;
  }

  ScatterKernel kernel_of(const ScatterCase& c, const Words& index, const Words& updates, const Words& out) {
    ScatterKernel kernel;
    kernel.index = lower::load_of(words(index, StorageType::i32));
    kernel.updates = lower::load_of(words(updates, c.storage));
    kernel.out = words(out, c.storage, 1);
    kernel.target = {Shape{c.count}, {0}, 1};
    kernel.length = c.places;
    kernel.stride = 1;
    kernel.combine = c.by;
    kernel.place = layout::contiguous(Shape{c.count});
    kernel.check =
        std::make_shared<const IndexCheck>(IndexCheck{"scatter_add", Shape{c.places}, 0, Shape{c.count}, kernel.place});
    return kernel;
  }

  /// The output begins one element into its memory, which keeps what it holds there.
  void check(const ScatterCase& c, bool by_copies) {
    SCOPED_TRACE(std::to_string(c.count) + " to " + std::to_string(c.places) + " by " + std::string(name_of(c.by)));
    Random random(static_cast<uint64_t>(c.count + c.places));
    const Words index = indices(c, random);
    Words updates, out;
    for (int64_t i = 0; i < c.count; ++i) updates.push_back(static_cast<uint32_t>(random.integer(-1000, 1000)));
    for (int64_t i = 0; i <= c.places; ++i) out.push_back(static_cast<uint32_t>(random.integer(-10, 10)));
    const ScatterKernel kernel = kernel_of(c, index, updates, out);
    EXPECT_EQ(glsl_of(hardware_.target(), kernel).find("#define EG_COPIES") != std::string::npos, by_copies);
    hardware_.run(kernel);
    for (size_t i = 0; i < index.size(); ++i) {
      const auto at = static_cast<int32_t>(index[i]);
      uint32_t& place = out[static_cast<size_t>(1 + (at < 0 ? at + c.places : at))];
      place = combined(c.by, c.storage, place, updates[i]);
    }
    EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), out.size()), out);
  }

  std::unique_ptr<GlRuntime> device_;
  AsHardware hardware_;
};

/// Rows of updates, some of which go nowhere: as software devices take them.
class RowsOfOneIndex : public ScatterSchedules {
 protected:
  RowsOfOneIndex() {
    hardware_.plan_for().software = true;
    hardware_.plan_for().resident_invocations = 1024;
  }

  /// columns_apart: of the output, whose rows follow one another.
  static ScatterKernel laid_out(ScatterKernel kernel, const Shape& domain, int64_t places, int64_t columns_apart) {
    kernel.index.operands.front().layout = {domain, {1, 0}, 0};
    kernel.index.domain = domain;
    kernel.updates.operands.front().layout = layout::contiguous(domain);
    kernel.updates.domain = domain;
    kernel.target = {domain, {0, columns_apart}, 0};
    kernel.length = places;
    kernel.stride = domain[1] * columns_apart;
    kernel.combine.reset();
    kernel.distinct = kernel.partial = true;
    kernel.place = layout::contiguous(domain);
    kernel.check = std::make_shared<const IndexCheck>(IndexCheck{"compress", Shape{places}, 0, domain, kernel.place});
    return kernel;
  }

  void check_rows(int64_t rows, int64_t length, bool at_once, bool vectors, int64_t columns_apart = 1) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(length));
    Random random(static_cast<uint64_t>(rows * length));
    Words index, updates;
    for (int64_t row = 0, places = 0; row < rows; ++row)
      index.push_back(static_cast<uint32_t>(random.integer(0, 2) > 0 ? places++ : rows));
    const int64_t places = rows;
    for (int64_t i = 0; i < rows * length; ++i) updates.push_back(static_cast<uint32_t>(random.integer(1, 1 << 20)));
    Words out(static_cast<size_t>(places * length * columns_apart));
    ScatterKernel kernel = kernel_of({rows, places}, index, updates, out);
    kernel.out = words(out, StorageType::i32);
    kernel = laid_out(std::move(kernel), Shape{rows, length}, places, columns_apart);
    const std::string glsl = glsl_of(hardware_.target(), kernel);
    EXPECT_EQ(glsl.find("#define EG_ROW ") != std::string::npos, at_once);
    EXPECT_EQ(glsl.find("(address >> 2)") != std::string::npos, vectors);
    hardware_.run(kernel);
    for (int64_t i = 0; i < rows * length; ++i)
      if (const auto place = int64_t{index[static_cast<size_t>(i / length)]}; place < rows)
        out[static_cast<size_t>((place * length + i % length) * columns_apart)] = updates[static_cast<size_t>(i)];
    EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), out.size()), out);
  }
};

TEST_F(RowsOfOneIndex, are_taken_at_once_where_they_are_long) {
  check_rows(40, 64, true, true);
  check_rows(33, 1000, true, true);
  check_rows(41, 131, true, false);
  check_rows(41, 64, true, false, 3);
}

TEST_F(RowsOfOneIndex, are_taken_by_vectors_where_they_are_short_or_few) {
  check_rows(200, 4, false, true);
  check_rows(15, 600, false, true);
  check_rows(77, 60, false, true);
}

TEST_F(RowsOfOneIndex, one_by_one_elsewhere) {
  check_rows(300, 1, false, false);
  check_rows(100, 63, false, false);
  check_rows(15, 601, false, false);
  hardware_.plan_for().software = false;
  check_rows(40, 64, false, false);
}

TEST_F(RowsOfOneIndex, are_no_longer_than_loops_may_be) {
  hardware_.plan_for().max_loop_trips = 4;
  check_rows(40, 64, true, true);
  check_rows(40, 68, false, true);
}

TEST_F(ScatterSchedules, in_copies_of_few_places) {
  for (const Reduction by : {Reduction::sum, Reduction::max, Reduction::min})
    for (const StorageType storage : {StorageType::i32, StorageType::u32}) {
      check({70001, 1, by, storage}, true);
      check({70001, 66, by, storage}, true);
      check({70001, 1009, by, storage}, true);
    }
}

TEST_F(ScatterSchedules, of_drawn_sizes) {
  Random random(7);
  for (int round = 0; round < 8; ++round) {
    const int64_t places = random.integer(1, 2000);
    check({random.integer(40 * places, 60000 + 40 * places), places}, true);
  }
}

TEST_F(ScatterSchedules, one_by_one_where_a_group_has_few_for_each_place_or_copies_do_not_fit) {
  check({7, 66}, false);
  check({5000, 4999}, false);
  check({300000, 70000}, false);
  hardware_.plan_for().max_shared_bytes = 64;
  check({70001, 17}, false);
  check({70001, 16}, true);
}

TEST_F(ScatterSchedules, in_copies_of_each_invocation_on_software) {
  hardware_.plan_for().software = true;
  check({70001, 1}, true);
  check({70001, 61, Reduction::max}, true);
  hardware_.plan_for().max_shared_bytes = 8 * 4 * 100;
  check({70001, 65}, false);
  check({70001, 64}, true);
}

}  // namespace
}  // namespace eglantine::test
