#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "gl/fixture.hpp"
#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "lower/schedules.hpp"
#include "support/as_hardware.hpp"
#include "support/random/draw.hpp"
#include "support/reference/order.hpp"

/// The sorts for hardware, on any device, and what they sort.
namespace eglantine::test {

/// Plans as for a small GPU.
class AsGpu : public AsHardware {
 public:
  explicit AsGpu(gl::GlRuntime& device) : AsHardware(device) {
    plan_for().max_loop_trips = 0;
    plan_for().max_invocations = 128;
    plan_for().max_shared_bytes = 16384;
    plan_for().subgroup = 0;  // which has other sorts (by_subgroups_test.cpp)
  }
  /// Without unrolling, unless `unrolled`: software drivers take seconds for each unrolled program.
  std::vector<gl::Dispatch> instead_of(const gl::Dispatch& dispatch) override {
    if (unrolled) return {dispatch};
    gl::Dispatch rolled = dispatch;
    rewrite(rolled, [](const std::string& text) {
      const size_t at = text.find("#define EG_EACH");
      return at == std::string::npos ? text : text.substr(0, at) + "#define EG_ROLLED\n" + text.substr(at);
    });
    return {rolled};
  }

  bool unrolled = false;
};

inline Words bits_of(const Array& x) {
  Words bits;
  for (double value : x.values)
    bits.push_back(x.dtype == DType::f32 ? std::bit_cast<uint32_t>(static_cast<float>(value))
                                         : static_cast<uint32_t>(static_cast<int64_t>(value)));
  return bits;
}

class SortSchedules : public testing::Test {
 protected:
  SortSchedules() : gpu_(*device_) {}
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }

  Strided stored(const Words& words, DType dtype, const Shape& shape) {
    return {buffer_of(*device_, words), word_storage(dtype), layout::contiguous(shape)};
  }

  /// The rows of x sorted: the kernel's result and its second output.
  std::pair<Words, Words> sorted(const Array& x, bool descending, int64_t keep, nodes::Sorted wanted) {
    const int64_t length = x.shape.back(), rows = x.size() / length;
    const bool places = wanted == nodes::Sorted::places, both = wanted == nodes::Sorted::both;
    const DType accumulator = places ? DType::i32 : x.dtype;
    const Words nothing(static_cast<size_t>(rows * keep), 0xdeadbeef);
    const Array lying = flipped_ ? naive::flip(x, {1}) : x;
    const Array apart = naive::reshape(lying, {batches_, rows / batches_, length});
    const Words bits = bits_of(side_by_side_ ? naive::permute(apart, {0, 2, 1}) : lying);
    Strided in = stored(bytes_ ? packed(bits, StorageType::u8) : bits, x.dtype, {rows, length});
    if (side_by_side_) in.layout.strides = {1, rows};
    if (batches_ > 1) in.layout = layout::permute(layout::contiguous({batches_, length, rows / batches_}), {0, 2, 1});
    if (flipped_) in.layout = layout::flip(in.layout, 1);
    if (bytes_) in.storage = StorageType::u8;
    SortKernel kernel;
    kernel.keys = {in.layout.shape, {in}, {}, {}, {{Op::load, x.dtype, {0, -1, -1}}}};
    kernel.kept_rank = in.layout.shape.rank() - 1;
    kernel.descending = descending;
    kernel.keep = keep;
    kernel.epilogue = {{rows, keep}, {}, {}, {}, {{Op::accumulator, accumulator, {-1, -1, -1}}}};
    kernel.out = stored(nothing, accumulator, {rows, keep});
    if (both) kernel.second = stored(nothing, DType::i32, {rows, keep});
    if (negates_) kernel.epilogue.code.push_back({Op::neg, accumulator, {0, -1, -1}});
    kernel.places = places;
    kernel.read = read_;
    gpu_.run(kernel);
    return {download(*device_, kernel.out.buffer->storage(), nothing.size()),
            both ? download(*device_, kernel.second.buffer->storage(), nothing.size()) : Words()};
  }

  void expect_sorted(const Array& x, bool descending = false, int64_t keep = 0,
                     nodes::Sorted wanted = nodes::Sorted::both) {
    if (keep == 0) keep = x.shape.back();
    SCOPED_TRACE(std::string(name_of(x.dtype)) + text(x.shape) + (descending ? " descending " : " ") +
                 std::to_string(keep));
    const naive::Sorted all = naive::sort(x, -1, descending);
    const naive::Pairs bounds{{0, x.shape[0]}, {0, keep}};
    const Words keys = bits_of(naive::crop(all.keys, bounds)), places = bits_of(naive::crop(all.places, bounds));
    const auto [out, second] = sorted(x, descending, keep, wanted);
    EXPECT_EQ(out, wanted == nodes::Sorted::places ? places : keys);
    if (wanted == nodes::Sorted::both) {
      EXPECT_EQ(second, places);
    }
  }

  /// The keys at some places of the sorted rows. Zeros have one sign.
  void expect_places(const Array& x, const IntList& places, bool descending) {
    SCOPED_TRACE(std::string(name_of(x.dtype)) + text(x.shape) + (descending ? " descending" : ""));
    const int64_t length = x.shape.back();
    Array plus = x;
    for (double& value : plus.values) value = value == 0 ? 0 : value;
    const Words all = bits_of(naive::sort(plus, -1, descending).keys);
    read_ = places;
    const Words out = sorted(x, descending, places.rank(), nodes::Sorted::keys).first;
    read_ = {};
    for (int64_t i = 0; i < x.shape[0] * places.rank(); ++i) {
      const int64_t row = i / places.rank(), place = places[static_cast<int>(i % places.rank())];
      const uint32_t key = out[static_cast<size_t>(i)], found = negates_ ? 0U - key : key,
                     wanted = all[static_cast<size_t>(row * length + place)];
      const bool is_nan = x.dtype == DType::f32 && std::isnan(std::bit_cast<float>(wanted));
      ASSERT_TRUE(is_nan ? std::isnan(std::bit_cast<float>(found)) : found == wanted) << row << " at " << place;
    }
  }

  /// Checks them, and returns in how many windows the keys were counted, once for each digit.
  int64_t windows_of_places(const Array& x, const IntList& places, bool descending) {
    gpu_.names = "";
    expect_places(x, places, descending);
    int64_t counts = 0;
    for (size_t at = 0; (at = gpu_.names.find("sort_places_count", at)) != std::string::npos; ++at) ++counts;
    return counts / 3;
  }

  static inline std::unique_ptr<gl::GlRuntime> device_;  ///< one, so that tests share programs
  AsGpu gpu_;
  IntList read_;
  bool bytes_ = false;         ///< keys lie in memory as u8
  bool side_by_side_ = false;  ///< keys lie in memory as columns
  int64_t batches_ = 1;        ///< matrices of those, one behind the other
  bool negates_ = false;       ///< the epilogue negates, of integers
  bool flipped_ = false;       ///< keys lie in memory from the last one on
};

/// Keys of one of the kinds that decide which records are the first few.
inline Array drawn_keys(Random& random, const Dims& shape) {
  const auto seed = random.word();
  switch (random.integer(0, 5)) {
    case 0:
      return keys_with_ties(DType::f32, shape, seed);
    case 1:
      return keys_with_ties(DType::i32, shape, seed);
    case 2:
      return keys_with_ties(DType::u32, shape, seed);
    case 3:
      return keys_with_ties(DType::boolean, shape, seed);
    case 4:
      return special_keys(shape, seed);
    default:
      break;
  }
  Array same{DType::f32, shape, {}};
  const double value = random.integer(0, 1) == 0 ? std::numeric_limits<double>::quiet_NaN() : -0.0;
  same.values.assign(static_cast<size_t>(shape[0] * shape[1]), value);
  return same;
}

}  // namespace eglantine::test
