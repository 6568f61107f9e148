#include <algorithm>
#include <bit>

#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "lower/index/scatter_segments.hpp"
#include "lower/index/segment_loops.hpp"
#include "support/as_hardware.hpp"
#include "support/random/random_data.hpp"

/// The segmented sum of scatter_add of floats, on sorted keys: its order of addition against plain loops, and that
/// neither windows nor the grid change it.
namespace eglantine::test {
namespace {

std::vector<Pair> sorted_pairs(size_t count, int64_t keys, uint64_t seed) {
  Random random(seed);
  std::vector<Pair> pairs;
  for (size_t i = 0; i < count; ++i) {
    const int64_t key = random.integer(0, keys);
    pairs.push_back({key == keys ? nowhere : static_cast<uint32_t>(key), static_cast<float>(random.real(-1, 1))});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.key < b.key; });
  return pairs;
}

class Segments : public testing::Test {
 protected:
  Segments() : device_(open_runtime()) {}

  std::vector<uint32_t> combine(AsTarget& runtime, Reduction reduction, StorageType storage,
                                const std::vector<uint32_t>& keys, const std::vector<uint32_t>& values,
                                const std::vector<uint32_t>& start) {
    const BufferPtr out = buffer_of(*device_, start);
    const BufferPtr key_buffer = buffer_of(*device_, keys), value_buffer = buffer_of(*device_, values);
    runtime.run_steps([&](lower::Lowering& lowering) {
      lower::combine_segments(lowering, reduction, {key_buffer, value_buffer, static_cast<int64_t>(keys.size())},
                              {out, storage, layout::contiguous(Shape{static_cast<int64_t>(start.size())})});
      return true;
    });
    return download(*device_, out->storage(), start.size());
  }

  std::vector<uint32_t> add(AsTarget& runtime, const std::vector<Pair>& pairs, const std::vector<float>& start) {
    std::vector<uint32_t> keys, values, sums;
    for (const Pair& pair : pairs) {
      keys.push_back(pair.key);
      values.push_back(std::bit_cast<uint32_t>(pair.value));
    }
    for (const float value : start) sums.push_back(std::bit_cast<uint32_t>(value));
    return combine(runtime, Reduction::sum, StorageType::f32, keys, values, sums);
  }

  /// Products of odd integers, which wrap and never become 0.
  void check_products(AsTarget& runtime, size_t count, int64_t keys, StorageType storage) {
    std::vector<uint32_t> sorted, values, products(static_cast<size_t>(keys), 3);
    for (const Pair& pair : sorted_pairs(count, keys, count)) {
      sorted.push_back(pair.key);
      values.push_back(std::bit_cast<uint32_t>(pair.value) | 1U);
    }
    const std::vector<uint32_t> actual = combine(runtime, Reduction::prod, storage, sorted, values, products);
    for (size_t i = 0; i < count; ++i)
      if (sorted[i] != nowhere) products[sorted[i]] *= values[i];
    EXPECT_EQ(actual, products) << count << " updates of " << keys << " elements";
  }

  void check(AsTarget& runtime, size_t count, int64_t keys) {
    const std::vector<Pair> pairs = sorted_pairs(count, keys, count);
    std::vector<float> sums(static_cast<size_t>(keys), 0.25F);
    const std::vector<uint32_t> actual = add(runtime, pairs, sums);
    add_level(pairs, sums);
    for (size_t i = 0; i < sums.size(); ++i)
      ASSERT_EQ(actual[i], std::bit_cast<uint32_t>(sums[i]))
          << count << " updates of " << keys << " elements, at " << i;
  }

  std::unique_ptr<gl::GlRuntime> device_;
};

TEST_F(Segments, add_in_the_order_of_the_loops) {
  for (const size_t count : {1U, 2U, 31U, 32U, 33U, 63U, 64U, 65U, 1023U, 1025U, 20001U, 300007U})
    for (const int64_t keys : {1, 2, 13, 1000}) {
      AsTarget as_it_is(*device_, device_->target());
      check(as_it_is, count, keys);
    }
}

TEST_F(Segments, do_not_depend_on_windows) {
  gl::Target target = device_->target();
  target.max_block_bytes = 4096;
  AsTarget runtime(*device_, target);
  for (const int64_t keys : {1, 13, 3000}) check(runtime, 5003, keys);
}

TEST_F(Segments, do_not_depend_on_the_grid) {
  gl::Target target = device_->target();
  target.software = false;
  target.resident_invocations = 512;
  AsTarget runtime(*device_, target);
  for (const int64_t keys : {1, 13, 3000}) check(runtime, 50021, keys);
}

TEST_F(Segments, products_of_integers_on_software_and_through_shared_memory) {
  gl::Target hardware = device_->target();
  hardware.software = false;
  for (const gl::Target& target : {device_->target(), hardware}) {
    AsTarget runtime(*device_, target);
    check_products(runtime, 5003, 13, StorageType::i32);
    check_products(runtime, 5003, 3000, StorageType::u32);
  }
}

}  // namespace
}  // namespace eglantine::test
