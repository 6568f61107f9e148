#include <algorithm>
#include <cmath>

#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/index/segment_loops.hpp"
#include "lower/schedules.hpp"
#include "support/random/random_data.hpp"

/// Whole rows that are added at indices: their order of addition against plain loops, in each of the forms.
namespace eglantine::test {
namespace {

/// Updates of shape (outer, rows, width), in memory in that order or with the last two axes swapped, along axis 1 of
/// (outer, places, width).
struct RowsCase {
  int64_t outer, rows, width, places;
  bool swapped = false;
  bool one_index = false;  ///< the index does not vary along the rows either
  StorageType storage = StorageType::f32;

  int64_t place_of(int64_t o, int64_t row, int64_t column) const {
    return swapped ? (o * width + column) * rows + row : (o * rows + row) * width + column;
  }
};

class ScatterRows : public testing::Test {
 protected:
  ScatterRows() : device_(open_runtime()) {}

  Strided words(const Words& words, StorageType storage, const Layout& layout) {
    return {buffer_of(*device_, words), storage, layout};
  }

  ScatterKernel kernel_of(const RowsCase& c, const Words& updates, const Words& out, Reduction by) {
    const Shape domain{c.outer, c.rows, c.width};
    const int64_t size = c.rows * c.width;
    const Layout in_memory = c.swapped ? Layout{domain, {size, 1, c.rows}, 0} : layout::contiguous(domain);
    const Layout along_rows{domain, {0, c.one_index ? 0 : 1, 0}, 0};
    ScatterKernel kernel;
    kernel.index = lower::load_of(words(index_, StorageType::i32, along_rows));
    kernel.updates = lower::load_of(words(updates, c.storage, in_memory));
    kernel.out = words(out, c.storage, layout::contiguous(Shape{static_cast<int64_t>(out.size())}));
    kernel.target = {domain, {c.places * c.width, 0, 1}, 0};
    kernel.length = c.places;
    kernel.stride = c.width;
    kernel.combine = by;
    kernel.place = along_rows;
    kernel.check = std::make_shared<const IndexCheck>(
        IndexCheck{"index_add", Shape{c.outer, c.places, c.width}, 1, Shape{c.rows}, kernel.place});
    return kernel;
  }

  void draw(const RowsCase& c) {
    Random random(static_cast<uint64_t>(c.rows * c.width + c.places));
    index_.clear();
    updates_.clear();
    for (int64_t i = 0; i < c.rows; ++i)
      index_.push_back(c.one_index && i > 0 ? index_.front() : static_cast<uint32_t>(random.integer(0, c.places - 1)));
    for (int64_t i = 0; i < c.outer * c.rows * c.width; ++i) updates_.push_back(static_cast<float>(random.real(-1, 1)));
  }

  /// The words of the result, which starts from 0.25; twice, for they repeat.
  Words run(AsTarget& runtime, const RowsCase& c) {
    Words updates;
    for (const float value : updates_) updates.push_back(std::bit_cast<uint32_t>(value));
    const Words out(static_cast<size_t>(c.outer * c.places * c.width), std::bit_cast<uint32_t>(0.25F));
    Words once;
    for (int round = 0; round < 2; ++round) {
      const ScatterKernel kernel = kernel_of(c, updates, out, Reduction::sum);
      runtime.names.clear();
      runtime.run(kernel);
      const Words found = download(*device_, kernel.out.buffer->storage(), out.size());
      EXPECT_TRUE(round == 0 || found == once);
      once = found;
    }
    return once;
  }

  /// check(sums, pairs in the rows' order, found) for each column.
  template <class Check>
  void for_columns(const RowsCase& c, const Words& found, Check check) {
    for (int64_t o = 0; o < c.outer; ++o)
      for (int64_t column = 0; column < c.width; ++column) {
        std::vector<Pair> pairs;
        for (int64_t row = 0; row < c.rows; ++row)
          pairs.push_back(
              {index_[static_cast<size_t>(row)], updates_[static_cast<size_t>(c.place_of(o, row, column))]});
        std::vector<float> results;
        for (int64_t place = 0; place < c.places; ++place)
          results.push_back(
              std::bit_cast<float>(found[static_cast<size_t>((o * c.places + place) * c.width + column)]));
        check(pairs, results);
      }
  }

  void check_sorted(AsTarget& runtime, const RowsCase& c) {
    SCOPED_TRACE(std::to_string(c.rows) + " rows of " + std::to_string(c.width) + " to " + std::to_string(c.places));
    draw(c);
    const Words found = run(runtime, c);
    EXPECT_NE(runtime.names.find("scatter_sorted_rows"), std::string::npos);
    for_columns(c, found, [&](std::vector<Pair> pairs, const std::vector<float>& results) {
      std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.key < b.key; });
      std::vector<float> sums(static_cast<size_t>(c.places), 0.25F);
      add_level(pairs, sums);
      ASSERT_EQ(results, sums);
    });
  }

  /// In the rows' order; where there are several tables, these sums are within their rounding.
  void check_in_order(AsTarget& runtime, const RowsCase& c, bool exactly) {
    SCOPED_TRACE(std::to_string(c.rows) + " rows of " + std::to_string(c.width) + " to " + std::to_string(c.places));
    draw(c);
    const Words found = run(runtime, c);
    EXPECT_NE(runtime.names.find("scatter_rows"), std::string::npos);
    EXPECT_EQ(runtime.names.find("reduce") == std::string::npos, exactly) << runtime.names;
    for_columns(c, found, [&](const std::vector<Pair>& pairs, const std::vector<float>& results) {
      std::vector<float> sums(static_cast<size_t>(c.places), 0.25F);
      for (const Pair& pair : pairs) sums[pair.key] += pair.value;
      for (size_t i = 0; i < sums.size(); ++i)
        ASSERT_NEAR(results[i], sums[i], exactly ? 0 : 1e-6 * static_cast<double>(c.rows));
    });
  }

  std::unique_ptr<gl::GlRuntime> device_;
  Words index_;
  std::vector<float> updates_;
};

TEST_F(ScatterRows, sorted_on_hardware_add_in_the_order_of_the_loops) {
  AsHardware hardware(*device_);
  for (const RowsCase& c : {RowsCase{1, 33, 2, 9}, {1, 761, 13, 40}, {3, 100, 5, 1000}, {2, 1025, 7, 30}})
    check_sorted(hardware, c);
  check_sorted(hardware, {2, 300, 6, 77, true});
}

TEST_F(ScatterRows, sorted_of_drawn_sizes) {
  AsHardware hardware(*device_, 512);
  Random random(11);
  for (int round = 0; round < 4; ++round)
    check_sorted(hardware,
                 {random.integer(1, 3), random.integer(33, 400), random.integer(2, 40), random.integer(9, 99)});
}

TEST_F(ScatterRows, sorted_of_more_columns_than_a_binding_covers) {
  AsHardware hardware(*device_);
  hardware.plan_for().max_block_bytes = 1 << 15;
  for (const RowsCase& c : {RowsCase{1, 761, 17, 40}, {1, 1025, 40, 30}, {3, 300, 13, 77, true}}) {
    check_sorted(hardware, c);
    EXPECT_EQ(hardware.names.find("segments"), std::string::npos) << hardware.names;
  }
}

TEST_F(ScatterRows, of_few_places_or_rows_add_in_their_order_on_hardware) {
  AsHardware hardware(*device_);
  check_in_order(hardware, {1, 32, 17, 1000}, true);
  check_in_order(hardware, {3, 1, 5, 2}, true);
  check_in_order(hardware, {1, 761, 13, 4}, false);
  check_in_order(hardware, {2, 400, 9, 8, true}, false);
  check_in_order(hardware, {1, 300, 3, 1}, false);
}

TEST_F(ScatterRows, of_one_index_go_to_one_place) {
  AsHardware hardware(*device_);
  check_sorted(hardware, {2, 100, 7, 20, false, true});
  check_in_order(hardware, {1, 30, 7, 20, true, true}, true);
}

TEST_F(ScatterRows, add_in_their_order_on_software) {
  AsTarget software(*device_, device_->target());
  software.plan_for().software = true;
  software.plan_for().max_loop_trips = 500;
  check_in_order(software, {1, 761, 200, 40}, true);
  check_in_order(software, {1, 50, 2, 40}, true);
  check_in_order(software, {2, 761, 13, 4, true}, false);
  check_in_order(software, {1, 5000, 3, 7}, false);
}

TEST_F(ScatterRows, products_of_integers) {
  AsHardware hardware(*device_);
  const RowsCase c{1, 200, 5, 30, false, false, StorageType::u32};
  draw(c);
  Words updates, out(150, 3);
  for (const float value : updates_) updates.push_back(std::bit_cast<uint32_t>(value) | 1U);
  const ScatterKernel kernel = kernel_of(c, updates, out, Reduction::prod);
  hardware.run(kernel);
  for (size_t i = 0; i < updates.size(); ++i) out[index_[i / 5] * 5 + i % 5] *= updates[i];
  EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), out.size()), out);
}

}  // namespace
}  // namespace eglantine::test
