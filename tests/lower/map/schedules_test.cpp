#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "gl/fixture.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "support/as_hardware.hpp"
#include "support/stored_elements.hpp"

/// Maps with transposed operands, by a tiled transpose as on hardware, on any device.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

std::vector<uint32_t> scrambled(int64_t count, uint32_t seed) {
  std::vector<uint32_t> words;
  for (int64_t i = 0; i < count; ++i) words.push_back((static_cast<uint32_t>(i) + seed) * 2654435761U);
  return words;
}

/// A sum of operands, all u32, over one domain; the test knows the words of each.
class Sum {
 public:
  Sum(GlRuntime& device, const Shape& domain) : device_(device) {
    kernel_.value.domain = domain;
    kernel_.out = {buffer_of(device, std::vector<uint32_t>(static_cast<size_t>(domain.elements()))), StorageType::u32,
                   layout::contiguous(domain)};
  }

  /// The results' rows begin so many words behind one another.
  void put_rows_apart(int64_t pitch) {
    Layout& out = kernel_.out.layout;
    out.strides = layout::contiguous(Shape{out.shape.elements() / out.shape[out.shape.rank() - 1], pitch}).strides;
    kernel_.out.buffer = buffer_of(device_, std::vector<uint32_t>(static_cast<size_t>(out.shape[0] * pitch)));
  }

  /// Adds an operand of `words` elements in memory, with that layout.
  void add(const Layout& layout, int64_t words) {
    const auto number = static_cast<int32_t>(kernel_.value.operands.size());
    words_.push_back(scrambled(words, static_cast<uint32_t>(number) * 1000003U));
    kernel_.value.operands.push_back({buffer_of(device_, words_.back()), StorageType::u32, layout});
    kernel_.value.code.push_back({Op::load, DType::u32, {number, -1, -1}});
  }

  void add_contiguous() { add(kernel_.out.layout, kernel_.out.layout.size()); }

  /// Adds an operand whose axes are in this order in memory.
  void add_permuted(const Axes& order) {
    const Shape& domain = kernel_.value.domain;
    Shape memory = domain;
    for (int i = 0; i < domain.rank(); ++i) memory[i] = domain[static_cast<int>(order[i])];
    Axes back = order;
    for (int i = 0; i < domain.rank(); ++i) back[order[i]] = i;
    add(layout::permute(layout::contiguous(memory), back), domain.elements());
  }

  /// Adds an operand with one word for each coordinate of the axis.
  void add_broadcast(int axis) {
    Layout layout{kernel_.value.domain, std::vector<int64_t>(static_cast<size_t>(kernel_.value.domain.rank())), 0};
    layout.strides[static_cast<size_t>(axis)] = 1;
    add(layout, kernel_.value.domain[axis]);
  }

  /// Runs as on hardware and compares every element. tiled: whether a tiled transpose is expected.
  void check(
      bool tiled, const std::function<void(gl::Target&)>& change = [](gl::Target&) {}) {
    const MapKernel kernel = summing();
    AsHardware hardware(device_);
    change(hardware.plan_for());
    EXPECT_EQ(glsl_of(hardware.target(), kernel).find("eg_tile") != std::string::npos, tiled);
    hardware.run(kernel);
    const auto count = static_cast<size_t>(kernel_.value.domain.elements());
    const auto words = static_cast<size_t>(layout::reach(kernel_.out.layout).last + 1);
    const std::vector<uint32_t> found = download(device_, kernel_.out.buffer->storage(), words);
    for (size_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(place_of(kernel_.out.layout, static_cast<int64_t>(i)));
      ASSERT_EQ(found[at], expected(static_cast<int64_t>(i))) << "at " << i;
    }
  }

  /// Whether another dispatch copies what is computed once to all places.
  bool is_computed_once() const {
    const std::string text = glsl_of(AsHardware(device_).target(), summing());
    return text.find("#version", text.find("#version") + 1) != std::string::npos;
  }

  /// Whether an invocation computes single elements.
  bool is_single() const {
    return glsl_of(AsHardware(device_).target(), summing()).find("#define EG_VALUE uint\n") != std::string::npos;
  }

 private:
  MapKernel summing() const {
    MapKernel kernel = kernel_;
    auto& code = kernel.value.code;
    const auto loads = static_cast<int32_t>(code.size());
    for (int32_t i = 1; i < loads; ++i)
      code.push_back({Op::add, DType::u32, {i == 1 ? 0 : static_cast<int32_t>(code.size()) - 1, i, -1}});
    return kernel;
  }

  uint32_t expected(int64_t i) const {
    uint32_t sum = 0;
    for (size_t k = 0; k < words_.size(); ++k)
      sum += words_[k][static_cast<size_t>(place_of(kernel_.value.operands[k].layout, i))];
    return sum;
  }

  GlRuntime& device_;
  MapKernel kernel_;
  std::vector<std::vector<uint32_t>> words_;
};

struct MapCase {
  Shape domain;
  Axes order;  ///< the domain's axes in the operand's memory, outermost first
  bool tiled;
};

class MapsTransposed : public testing::TestWithParam<MapCase> {};

TEST_P(MapsTransposed, copy_every_element_to_its_place) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Sum sum(*device, GetParam().domain);
  sum.add_permuted(GetParam().order);
  sum.check(GetParam().tiled);
}

// Tiles of other shapes than the large one, edges on either side, vectors that end elsewhere than rows, and axes
// before, between and after.
INSTANTIATE_TEST_SUITE_P(Codegen, MapsTransposed,
                         testing::Values(MapCase{{1, 33}, {1, 0}, false}, MapCase{{3, 65}, {1, 0}, false},
                                         MapCase{{65, 3}, {1, 0}, false}, MapCase{{4, 4}, {1, 0}, false},
                                         MapCase{{31, 33}, {1, 0}, true}, MapCase{{33, 31}, {1, 0}, true},
                                         MapCase{{65, 127}, {1, 0}, true}, MapCase{{127, 65}, {1, 0}, true},
                                         MapCase{{128, 192}, {1, 0}, true}, MapCase{{5, 1100}, {1, 0}, true},
                                         MapCase{{1100, 5}, {1, 0}, false}, MapCase{{300, 8}, {1, 0}, false},
                                         MapCase{{300, 9}, {1, 0}, true}, MapCase{{30, 2, 4}, {1, 2, 0}, false},
                                         MapCase{{30, 3, 4}, {1, 2, 0}, true}, MapCase{{70, 52}, {1, 0}, true},
                                         MapCase{{3, 45, 40}, {0, 2, 1}, true}, MapCase{{37, 5, 44}, {2, 1, 0}, true},
                                         MapCase{{9, 4, 3, 36}, {1, 3, 2, 0}, true},
                                         MapCase{{7, 33, 35}, {1, 2, 0}, true}, MapCase{{33, 7, 35}, {1, 2, 0}, true},
                                         MapCase{{2, 3, 5, 2, 3, 9}, {3, 5, 1, 4, 0, 2}, true}));

/// Of four results an element each is a vector of what they fill.
TEST(MapsInterleaved, four_results_are_written_by_vectors_side_by_side) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const int64_t count : {1, 5, 1031})
    for (const int64_t pieces : {3, 4}) {
      const BufferPtr out = buffer_of(*device, std::vector<uint32_t>(static_cast<size_t>(pieces * count)));
      const auto place = [&](int64_t i) { return Strided{out, StorageType::u32, {{count}, {pieces}, i}}; };
      std::vector<std::vector<uint32_t>> words;
      ExpressionBuilder builder({count});
      std::vector<int> values;
      for (int64_t i = 0; i < pieces; ++i) {
        words.push_back(scrambled(count, static_cast<uint32_t>(i) * 1000003U));
        const Layout flipped{{count}, {-1}, count - 1};
        values.push_back(builder.load(
            {buffer_of(*device, words.back()), StorageType::u32, i == 0 ? flipped : layout::contiguous({count})}));
      }
      for (int64_t i = 0; i + 1 < pieces; ++i) builder.store(values[static_cast<size_t>(i)], place(i));
      builder.end_with(values.back());
      const Expr value = builder.take();
      const MapKernel kernel{value, place(pieces - 1)};
      AsHardware hardware(*device);
      EXPECT_EQ(glsl_of(hardware.target(), kernel).find("uvec4(x.v0, x.v1, x.v2, x.v3)") != std::string::npos,
                pieces == 4);
      hardware.run(kernel);
      const std::vector<uint32_t> found = download(*device, out->storage(), static_cast<size_t>(pieces * count));
      for (int64_t i = 0; i < pieces * count; ++i) {
        const int64_t element = i / pieces, at = i % pieces == 0 ? count - 1 - element : element;
        ASSERT_EQ(found[static_cast<size_t>(i)], words[static_cast<size_t>(i % pieces)][static_cast<size_t>(at)]) << i;
      }
    }
}

TEST(MapsRepeated, are_computed_once) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const auto check = [&](const Shape& domain, const std::vector<int>& axes, bool once) {
    Sum sum(*device, domain);
    for (const int axis : axes) sum.add_broadcast(axis);
    EXPECT_EQ(sum.is_computed_once(), once);
    sum.check(false);
  };
  check({2051, 2049}, {1, 1, 1}, true);
  check({2051, 2049}, {0, 0, 0}, true);
  check({131, 129, 257}, {1, 1, 1}, true);
  check({131, 129, 257}, {0, 2, 0}, true);
  check({2051, 2049}, {0, 1, 0}, false);  // the sums of all pairs
  check({31, 140001}, {1, 1, 1}, false);  // few rows
  check({2051, 2049}, {1, 1}, false);     // nearly a copy
  check({205, 2049}, {1, 1, 1}, false);
}

TEST(MapsTransposed, take_several_transposed_operands_with_broadcast_ones) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const Shape& domain : {Shape{65, 33}, Shape{64, 96}, Shape{31, 127}}) {
    Sum sum(*device, domain);
    sum.add_contiguous();
    sum.add_permuted({1, 0});
    sum.add_broadcast(0);
    sum.add_permuted({1, 0});
    sum.add_broadcast(1);
    sum.check(true);
  }
}

TEST(MapsTransposed, read_what_is_contiguous_along_a_third_axis_in_place) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Sum sum(*device, {33, 31, 35});
  sum.add_permuted({1, 2, 0});
  sum.add_permuted({0, 2, 1});
  sum.add_permuted({2, 1, 0});
  sum.check(true);
}

TEST(MapsTransposed, fit_into_little_shared_memory) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  Sum sum(*device, {65, 127});
  for (int i = 0; i < 6; ++i) sum.add_permuted({1, 0});
  sum.check(true, [](gl::Target& target) { target.max_shared_bytes = 4096; });
}

// 35 rows of tiles: more than a band.
TEST(MapsTransposed, take_more_tiles_than_groups) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const bool large_pages : {false, true}) {
    Sum sum(*device, {2, 2200, 100});
    sum.add_permuted({0, 2, 1});
    sum.check(true, [=](gl::Target& target) {
      target.max_groups = 7;
      target.large_pages = large_pages;
    });
  }
}

TEST(MapsOnLargePages, continue_their_groups_in_the_second_dimension) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (int operands = 1; operands <= 2; ++operands) {
    Sum sum(*device, {30011});
    for (int i = 0; i < operands; ++i) sum.add_contiguous();
    sum.check(false, [](gl::Target& target) {
      target.large_pages = true;
      target.max_groups = 5;
    });
  }
}

TEST(MapsTransposed, read_axes_backwards_and_from_inside) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const int64_t columns : {40, 41}) {
    Sum sum(*device, {65, columns});
    sum.add({{65, columns}, {-1, 72}, 64 + 3}, columns * 72);
    sum.add({{65, columns}, {1, -72}, (columns - 1) * 72 + 4}, columns * 72);
    sum.add({{65, columns}, {1, 72}, 4}, columns * 72);
    sum.check(true);
  }
}

TEST(MapsTransposed, keep_floats_integers_and_booleans) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  const Shape domain{33, 66};
  const Layout turned = layout::permute(layout::contiguous({66, 33}), {1, 0});
  const std::vector<uint32_t> words = scrambled(turned.size(), 7);
  std::vector<uint32_t> floats, booleans;
  for (const uint32_t word : words) {
    floats.push_back(std::bit_cast<uint32_t>(static_cast<float>(word >> 8)));
    booleans.push_back(word >> 31);
  }
  // where(b, f, f of i): each of another dtype, all transposed.
  MapKernel kernel;
  kernel.value = {domain,
                  {{buffer_of(*device, booleans), StorageType::boolean_word, turned},
                   {buffer_of(*device, floats), StorageType::f32, turned},
                   {buffer_of(*device, words), StorageType::i32, turned}},
                  {},
                  {},
                  {{Op::load, DType::boolean, {0, -1, -1}},
                   {Op::load, DType::f32, {1, -1, -1}},
                   {Op::load, DType::i32, {2, -1, -1}},
                   {Op::cast, DType::f32, {2, -1, -1}},
                   {Op::where, DType::f32, {0, 1, 3}}}};
  kernel.out = {buffer_of(*device, words), StorageType::f32, layout::contiguous(domain)};
  AsHardware hardware(*device);
  hardware.run(kernel);
  const std::vector<uint32_t> found = download(*device, kernel.out.buffer->storage(), words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    const auto place = static_cast<size_t>(place_of(turned, static_cast<int64_t>(i)));
    const auto integer = static_cast<float>(static_cast<int32_t>(words[place]));
    ASSERT_EQ(found[i], booleans[place] != 0 ? floats[place] : std::bit_cast<uint32_t>(integer)) << "at " << i;
  }
}

/// Booleans, four to a word, in a buffer large enough for one to a word.
BufferPtr packed_booleans(GlRuntime& device, const std::vector<uint32_t>& booleans) {
  std::vector<uint32_t> words(booleans.size());
  for (size_t i = 0; i < booleans.size(); ++i) words[i / 4] |= booleans[i] << (i % 4 * 8);
  return buffer_of(device, words);
}

TEST(MapsTransposed, read_and_write_packed_booleans) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const Shape& domain : {Shape{64, 36}, Shape{33, 68}, Shape{36, 33}, Shape{5, 30}}) {
    const Layout turned = layout::permute(layout::contiguous({domain[1], domain[0]}), {1, 0});
    std::vector<uint32_t> booleans = scrambled(turned.size(), 5);
    for (uint32_t& x : booleans) x >>= 31;
    MapKernel kernel;
    kernel.value = {domain, {{packed_booleans(*device, booleans), StorageType::boolean_byte, turned}}, {}, {}, {}};
    kernel.value.code = {{Op::load, DType::boolean, {0, -1, -1}}, {Op::logical_not, DType::boolean, {0, -1, -1}}};
    kernel.out = {packed_booleans(*device, booleans), StorageType::boolean_byte, layout::contiguous(domain)};
    AsHardware hardware(*device);
    EXPECT_NE(glsl_of(hardware.target(), kernel).find("eg_tile"), std::string::npos);
    hardware.run(kernel);
    const std::vector<uint32_t> found = download(*device, kernel.out.buffer->storage(), booleans.size());
    for (size_t i = 0; i < booleans.size(); ++i) {
      const auto place = static_cast<size_t>(place_of(turned, static_cast<int64_t>(i)));
      ASSERT_EQ(found[i / 4] >> (i % 4 * 8) & 0xff, 1 - booleans[place]) << "at " << i;
    }
  }
}

// One buffer read forwards and backwards takes two bindings, or one without vec4 reads.
TEST(Maps, write_packed_booleans_with_few_bindings) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const int64_t length : {1023, 1024}) {
    const std::vector<uint32_t> words = scrambled(length, 3);
    const BufferPtr x = buffer_of(*device, words);
    MapKernel kernel;
    kernel.value = {{length},
                    {{x, StorageType::u32, {{length}, {1}, 0}}, {x, StorageType::u32, {{length}, {-1}, length - 1}}},
                    {},
                    {},
                    {}};
    kernel.value.code = {
        {Op::load, DType::u32, {0, -1, -1}}, {Op::load, DType::u32, {1, -1, -1}}, {Op::gt, DType::boolean, {0, 1, -1}}};
    kernel.out = {
        packed_booleans(*device, std::vector<uint32_t>(words.size())), StorageType::boolean_byte, {{length}, {1}, 0}};
    AsHardware hardware(*device);
    hardware.plan_for().max_bindings = 2;
    hardware.run(kernel);
    const std::vector<uint32_t> found = download(*device, kernel.out.buffer->storage(), words.size());
    for (size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(found[i / 4] >> (i % 4 * 8) & 0xff, words[i] > words[words.size() - 1 - i] ? 1U : 0U) << "at " << i;
  }
}

/// Of rows that begin between vectors none is stored whole.
TEST(Maps, store_singly_what_no_vector_holds) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const Shape& domain : {Shape{7, 9}, Shape{33, 130}, Shape{40, 1031}})
    for (const int64_t gap : {1, 2, 6}) {
      Sum sum(*device, domain);
      sum.put_rows_apart(domain[1] + gap);
      sum.add(layout::contiguous(domain), domain.elements());
      sum.add_broadcast(0);
      EXPECT_TRUE(sum.is_single()) << to_string(domain) << ", " << gap;
      sum.check(false);
      sum.check(false, [](gl::Target& target) { target.resident_invocations = 64; });
    }
  Sum whole(*device, {40, 64});
  whole.put_rows_apart(68);
  whole.add(layout::contiguous({40, 64}), 40 * 64);
  EXPECT_FALSE(whole.is_single());
}

/// As the windows of a pool, or of a depthwise convolution, whose weights differ from row to row: neighbours read
/// elements apart, one each.
TEST(Maps, read_operands_whose_elements_lie_apart_singly) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (const Shape& domain : {Shape{7, 9}, Shape{3, 5, 33}, Shape{40, 1031}}) {
    Sum sum(*device, domain);
    for (const int64_t step : {2, 3, 2}) {
      Layout apart = layout::contiguous(domain);
      for (int64_t& stride : apart.strides) stride *= step;
      apart.offset = step - 1;
      sum.add(apart, step * domain.elements() + step);
      sum.add_broadcast(0);
    }
    EXPECT_TRUE(sum.is_single());
    sum.check(false);
    sum.check(false, [](gl::Target& target) { target.resident_invocations = 64; });
  }
}

/// Under fma, of small quotients by it; here of whole numbers, whose products need no fma to be exact.
TEST(Maps, remainders_by_an_fma) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  std::vector<uint32_t> x, y, expected;
  for (int i = -50; i < 50; ++i)
    for (const int by : {-7, -3, 2, 64}) {
      x.push_back(std::bit_cast<uint32_t>(static_cast<float>(i)));
      y.push_back(std::bit_cast<uint32_t>(static_cast<float>(by)));
      expected.push_back(
          std::bit_cast<uint32_t>(std::copysign(static_cast<float>(((i % by) + by) % by), static_cast<float>(by))));
    }
  const Layout all = layout::contiguous({static_cast<int64_t>(x.size())});
  const auto of = [&](const std::vector<uint32_t>& words) {
    return Strided{buffer_of(*device, words), StorageType::f32, all};
  };
  const MapKernel kernel{{all.shape,
                          {of(x), of(y)},
                          {},
                          {},
                          {{Op::load, DType::f32, {0, -1, -1}},
                           {Op::load, DType::f32, {1, -1, -1}},
                           {Op::remainder, DType::f32, {0, 1, -1}}}},
                         of(std::vector<uint32_t>(x.size()))};
  AsHardware hardware(*device);
  hardware.plan_for().packs_nearest = true;
  const std::string text = glsl_of(hardware.target(), kernel);
  EXPECT_NE(text.find("eg_fmod_near(abs(x), abs(y), negated)"), std::string::npos);
  EXPECT_NE(text.find("EG_PRECISE float r = fma(-q, y, x);"), std::string::npos);
  hardware.run(kernel);
  EXPECT_EQ(download(*device, kernel.out.buffer->storage(), x.size()), expected);
}

}  // namespace
}  // namespace eglantine::test
