#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "codegen/uniforms.hpp"
#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "lower/sort/subgroup_program.hpp"
#include "support/as_hardware.hpp"
#include "support/random/draw.hpp"
#include "support/reference/order.hpp"

/// The sorts that rank by ballots. Without subgroups of 32 those are emulated in shared memory, and groups that would
/// wait for each other run one after another.
namespace eglantine::test {
namespace {

/// GL_KHR_shader_subgroup, as far as onesweep uses it, for a group all of whose invocations call each function.
constexpr const char* played_subgroups = R"(
shared uint eg_played[EG_GROUP_SIZE];
void eg_show(uint value) {
  eg_played[gl_LocalInvocationID.x] = value;
  memoryBarrierShared();
  barrier();
}
void eg_hide() {
  memoryBarrierShared();
  barrier();
}
uvec4 subgroupBallot(bool vote) {
  eg_show(uint(vote));
  uint votes = 0u, first = gl_LocalInvocationID.x & ~31u;
  for (uint i = 0u; i < 32u; ++i) votes |= eg_played[first + i] << i;
  eg_hide();
  return uvec4(votes, 0u, 0u, 0u);
}
uint subgroupShuffle(uint value, uint lane) {
  eg_show(value);
  uint shown = eg_played[(gl_LocalInvocationID.x & ~31u) + lane];
  eg_hide();
  return shown;
}
uint subgroupExclusiveAdd(uint value) {
  eg_show(value);
  uint sum = 0u;
  for (uint i = gl_LocalInvocationID.x & ~31u; i < gl_LocalInvocationID.x; ++i) sum += eg_played[i];
  eg_hide();
  return sum;
}
)";

class AsSubgroups : public AsHardware {
 public:
  explicit AsSubgroups(gl::GlRuntime& device)
      : AsHardware(device), played_(device.target().subgroup != 32 || !device.target().forward_progress) {
    plan_for().forward_progress = true;
    plan_for().subgroup = 32;
    plan_for().max_invocations = 256;
  }

  std::vector<gl::Dispatch> instead_of(const gl::Dispatch& whole) override {
    const bool onesweep = whole.name.starts_with("sort_onesweep");
    gl::Dispatch changed = whole;
    if (onesweep) bound.push_back(whole.ranges.size());
    if (onesweep && silent) silence(changed);
    if (!played_ || (!onesweep && !whole.name.starts_with("sort_rows"))) return {changed};
    play_subgroups(changed);
    if (!onesweep) return {changed};
    number_groups(changed);
    changed.groups = {1, 1, 1};
    std::vector<gl::Dispatch> groups;
    for (uint32_t group = 0; group < whole.groups[0]; ++group) {
      changed.uniforms.back() = group;
      groups.push_back(changed);
    }
    return groups;
  }

  bool silent = false;        ///< whether a row's first tile never publishes its prefix
  std::vector<size_t> bound;  ///< buffers that each onesweep pass binds

 private:
  void play_subgroups(gl::Dispatch& dispatch) const {
    rewrite(dispatch, [](std::string text) {
      for (size_t at = 0; (at = text.find("#extension")) != std::string::npos;)
        text.erase(at, text.find('\n', at) + 1 - at);
      const size_t at = text.find("#define EG_EACH"), body = text.find("layout(local_size_x");
      return text.substr(0, at) + "#define EG_ROLLED\n" + text.substr(at, body - at) + played_subgroups +
             text.substr(body);
    });
  }

  /// The group's number becomes a uniform, since each group is a dispatch of its own.
  void number_groups(gl::Dispatch& dispatch) const {
    const auto slot = static_cast<int>(dispatch.uniforms.size());
    dispatch.uniforms.push_back(0);
    rewrite(dispatch, [slot](std::string text) {
      const auto replace = [&](const std::string& old, const std::string& now) {
        for (size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += now.size())
          text.replace(at, old.size(), now);
      };
      replace("uniform uint " + codegen::uniform_at(slot), "uniform uint " + codegen::uniform_at(slot + 1));
      replace("gl_WorkGroupID.x", codegen::uniform_at(slot));
      return text;
    });
  }

  void silence(gl::Dispatch& dispatch) const {
    constexpr size_t spin_limit = 14;
    dispatch.uniforms[spin_limit] = 5;
    rewrite(dispatch, [](std::string text) {
      const std::string published = "eg_prefix_flag + base + own";
      return text.replace(text.find(published), published.size(), "0u");
    });
  }

  bool played_;
};

using Words = std::vector<uint32_t>;

class SortBySubgroups : public testing::Test {
 protected:
  using Sort = bool (*)(lower::Lowering&, const lower::SortJob&);

  explicit SortBySubgroups(Sort sort) : gpu_(*device_), sort_(sort) {}
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }

  Strided stored(const Words& words, DType dtype, const Shape& shape) {
    return {buffer_of(*device_, words), word_storage(dtype), layout::contiguous(shape)};
  }

  bool sorts_by_onesweep(const lower::SortJob& job) {
    return gpu_.run_steps([&](lower::Lowering& lowering) { return lower::run_onesweep(lowering, job); });
  }

  lower::SortJob job_of(const Strided& keys, const Strided& sorted, const Strided& places, bool descending) {
    const Expr expr{keys.layout.shape, {keys}, {}, {}, {{Op::load, DType::u32, {0, -1, -1}}}};
    const Expr accumulator{sorted.layout.shape, {}, {}, {}, {{Op::accumulator, DType::u32, {-1, -1, -1}}}};
    const Shape& shape = keys.layout.shape;
    return {{keys.dtype(), descending, true},
            shape[0],
            shape[1],
            sorted.layout.shape[1],
            {expr, std::nullopt, 1},
            {.epilogue = accumulator, .out = sorted, .second = places, .pitch = sorted.layout.shape[1]}};
  }

  /// Sorts with places, and compares with a stable sort of each row on the host.
  void expect_sorted(const Array& x, bool descending = false, int64_t keep = 0) {
    const int64_t rows = x.shape[0], length = x.shape[1];
    if (keep == 0) keep = length;
    SCOPED_TRACE(std::string(name_of(x.dtype)) + text(x.shape) + (descending ? " descending" : ""));
    Words bits;
    for (double value : x.values)
      bits.push_back(x.dtype == DType::f32 ? std::bit_cast<uint32_t>(static_cast<float>(value))
                                           : static_cast<uint32_t>(static_cast<int64_t>(value)));
    const Words nothing(static_cast<size_t>(rows * keep), 0xdeadbeef);
    Strided in = stored(bits, DType::u32, {rows, length});
    in.storage = word_storage(x.dtype);
    lower::SortJob job =
        job_of(in, stored(nothing, DType::u32, {rows, keep}), stored(nothing, DType::i32, {rows, keep}), descending);
    job.source.keys.operands[0].storage = StorageType::u32;
    if (bits_ > 0) job.task.bits = bits_;
    ASSERT_TRUE(gpu_.run_steps([&](lower::Lowering& lowering) { return sort_(lowering, job); }));
    const naive::Sorted all = naive::sort(x, -1, descending);
    const Words keys = download(*device_, job.target.out.buffer->storage(), nothing.size());
    const Words places = download(*device_, job.target.second.buffer->storage(), nothing.size());
    for (int64_t i = 0; i < rows * keep; ++i) {
      const auto from = static_cast<size_t>(i / keep * length + i % keep), to = static_cast<size_t>(i);
      ASSERT_EQ(places[to], static_cast<uint32_t>(all.places.values[from])) << "at " << i;
      ASSERT_EQ(keys[to], bits[static_cast<size_t>(i / keep * length) + places[to]]) << "at " << i;
    }
  }

  Array of(int64_t length, const std::function<double(int64_t)>& key) {
    Array x{DType::u32, {1, length}, {}};
    for (int64_t i = 0; i < length; ++i) x.values.push_back(key(i));
    return x;
  }

  static inline std::unique_ptr<gl::GlRuntime> device_;
  AsSubgroups gpu_;
  Sort sort_;
  int bits_ = 0;  ///< that order the keys; 0: all of their dtype's
};

class SortOnesweep : public SortBySubgroups {
 protected:
  SortOnesweep() : SortBySubgroups(lower::run_onesweep) {}
};

class SortRows : public SortBySubgroups {
 protected:
  SortRows() : SortBySubgroups(lower::run_short_rows) {}
};

/// As a kernel, whose lowering chooses the steps.
bool sort_kernel(lower::Lowering& lowering, const lower::SortJob& job) {
  SortKernel kernel;
  kernel.keys = job.source.keys;
  kernel.keys.code[0].dtype = job.task.dtype;
  kernel.keys.operands[0].storage = word_storage(job.task.dtype);
  kernel.kept_rank = job.source.kept_rank;
  kernel.descending = job.task.descending;
  kernel.keep = job.keep;
  kernel.epilogue = job.target.epilogue;
  kernel.out = job.target.out;
  kernel.second = job.target.second;
  lower::lower(lowering, kernel);
  return true;
}

class SortFew : public SortBySubgroups {
 protected:
  SortFew() : SortBySubgroups(sort_kernel) {}
};

constexpr int64_t sorted_tile = 256 * 11;

TEST_F(SortOnesweep, edges_of_tiles) {
  for (int64_t length :
       {int64_t{2}, sorted_tile - 1, sorted_tile, sorted_tile + 1, 2 * sorted_tile, 5 * sorted_tile + 13})
    expect_sorted(keys_with_ties(DType::u32, {1, length}), length == sorted_tile);
}

TEST_F(SortOnesweep, edges_of_larger_tiles) {
  gpu_.plan_for().max_invocations = 512;
  for (int64_t length : {2 * sorted_tile - 1, 2 * sorted_tile, 4 * sorted_tile + 1})
    expect_sorted(keys_with_ties(DType::u32, {1, length}), length == 2 * sorted_tile);
}

TEST_F(SortOnesweep, rows_of_several_tiles) { expect_sorted(keys_with_ties(DType::u32, {3, 2 * sorted_tile + 100})); }

TEST_F(SortOnesweep, equal_sorted_reversed_and_two_values) {
  const int64_t length = 3 * sorted_tile + 5;
  expect_sorted(of(length, [](int64_t) { return 4294967295.0; }));
  expect_sorted(of(length, [](int64_t) { return 0.0; }), true);
  expect_sorted(of(length, [](int64_t i) { return static_cast<double>(i); }));
  expect_sorted(of(length, [](int64_t i) { return static_cast<double>(1000000 - i); }));
  expect_sorted(of(length, [](int64_t i) { return i % 3 == 0 ? 4278190080.0 : 255.0; }));
}

/// Keys below 2^bits - 1, and now and then all ones.
double key_of_low_bits(int64_t i, int bits) {
  return i % 11 == 0 ? 4294967295.0 : static_cast<double>(i * 7919 % ((int64_t{1} << bits) - 1));
}

TEST_F(SortOnesweep, low_bits_take_fewer_passes) {
  for (const int bits : {1, 8, 9, 17}) {
    bits_ = bits;
    gpu_.bound.clear();
    expect_sorted(of(3 * sorted_tile + 5, [&](int64_t i) { return key_of_low_bits(i, bits); }));
    EXPECT_EQ(gpu_.bound.size(), static_cast<size_t>((bits + 7) / 8));
  }
}

TEST_F(SortOnesweep, other_dtypes) {
  for (bool descending : {false, true}) {
    for (DType dtype : {DType::i32, DType::boolean})
      expect_sorted(keys_with_ties(dtype, {2, sorted_tile + 70}), descending);
    expect_sorted(special_keys({2, sorted_tile + 70}), descending);
  }
}

TEST_F(SortOnesweep, keys_alone) {
  const int64_t length = 4 * sorted_tile + 1;
  for (int64_t max_groups : {65535, 3}) {
    gpu_.plan_for().max_groups_x = max_groups;
    const Array x = keys_with_ties(DType::u32, {2, length});
    const Words bits(x.values.begin(), x.values.end());
    const Strided keys = stored(bits, DType::u32, {2, length}),
                  out = stored(Words(bits.size()), DType::u32, {2, length});
    lower::SortJob job = job_of(keys, out, {}, false);
    job.task.pairs = false;
    ASSERT_TRUE(sorts_by_onesweep(job));
    const naive::Sorted all = naive::sort(x, -1, false);
    const Words sorted = download(*device_, out.buffer->storage(), bits.size());
    for (int64_t i = 0; i < 2 * length; ++i) {
      const auto at = static_cast<size_t>(i), place = static_cast<size_t>(all.places.values[at]);
      ASSERT_EQ(sorted[at], bits[static_cast<size_t>(i / length * length) + place]) << "at " << i;
    }
  }
}

TEST_F(SortOnesweep, the_first_few_of_long_rows) {
  expect_sorted(keys_with_ties(DType::u32, {2, 2 * sorted_tile}), true, 2000);
}

TEST_F(SortOnesweep, groups_that_take_several_tiles) {
  gpu_.plan_for().max_groups_x = 3;
  expect_sorted(keys_with_ties(DType::u32, {2, 3 * sorted_tile + 100}));
}

// One binding covers the keys or the places, not both.
TEST_F(SortOnesweep, pairs_larger_than_a_binding_lie_in_two_buffers) {
  const int64_t length = 5 * sorted_tile + 13;
  expect_sorted(keys_with_ties(DType::u32, {1, length}));
  EXPECT_EQ(gpu_.bound, (std::vector<size_t>{4, 4, 4, 5}));
  gpu_.plan_for().max_block_bytes = 1 << 16;
  gpu_.bound.clear();
  expect_sorted(keys_with_ties(DType::u32, {1, length}));
  EXPECT_EQ(gpu_.bound, (std::vector<size_t>{5, 6, 6, 6}));
  expect_sorted(special_keys({1, length}), true);
  expect_sorted(keys_with_ties(DType::u32, {2, 2 * sorted_tile + 100}));
  expect_sorted(keys_with_ties(DType::u32, {1, length}), true, 2000);
  gpu_.plan_for().max_groups_x = 3;
  expect_sorted(keys_with_ties(DType::u32, {1, length}));
}

TEST_F(SortOnesweep, a_payload_larger_than_a_binding) {
  gpu_.plan_for().max_block_bytes = 1 << 16;
  const int64_t length = 4 * sorted_tile + 1;
  const Array keys = keys_with_ties(DType::u32, {1, length});
  Words bits, payload;
  for (int64_t i = 0; i < length; ++i) {
    bits.push_back(static_cast<uint32_t>(keys.values[static_cast<size_t>(i)]));
    payload.push_back(0xff800001U + static_cast<uint32_t>(i));  // among them bits of NaN, moved unchanged
  }
  const Words nothing(static_cast<size_t>(length));
  const Strided in = stored(bits, DType::u32, {1, length}), values = stored(payload, DType::u32, {1, length});
  lower::SortJob job =
      job_of(in, stored(nothing, DType::u32, {1, length}), stored(nothing, DType::u32, {1, length}), false);
  job.source.payload = Expr{values.layout.shape, {values}, {}, {}, {{Op::load, DType::u32, {0, -1, -1}}}};
  ASSERT_TRUE(sorts_by_onesweep(job));
  const naive::Sorted all = naive::sort(keys, -1, false);
  const Words moved = download(*device_, job.target.second.buffer->storage(), nothing.size());
  for (size_t i = 0; i < moved.size(); ++i)
    ASSERT_EQ(moved[i], payload[static_cast<size_t>(all.places.values[i])]) << "at " << i;
}

TEST_F(SortOnesweep, refuses_keys_larger_than_a_binding_before_it_takes_memory) {
  gpu_.plan_for().max_block_bytes = 1 << 16;
  const int64_t length = 8 * sorted_tile;
  const Strided keys = stored(Words(length, 1), DType::u32, {1, length});
  EXPECT_FALSE(sorts_by_onesweep(job_of(keys, keys, keys, false)));
  EXPECT_EQ(gpu_.dispatches, 0);
}

TEST_F(SortOnesweep, a_group_that_waits_in_vain_is_an_error) {
  const Strided keys = stored(Words(2 * sorted_tile, 1), DType::u32, {1, 2 * sorted_tile});
  device_->flags().take();
  gpu_.silent = true;
  ASSERT_TRUE(sorts_by_onesweep(job_of(keys, stored(Words(2 * sorted_tile), DType::u32, {1, 2 * sorted_tile}),
                                       stored(Words(2 * sorted_tile), DType::i32, {1, 2 * sorted_tile}), false)));
  const CheckPtr check = device_->flags().take();
  ASSERT_NE(check, nullptr);
  device_->flags().settle();
  ASSERT_TRUE(check->error());
  EXPECT_ERROR(check->error().raise(), DeviceError,
               "[sort] a work group gave up waiting for another one: the driver does not keep resident groups running");
}

TEST_F(SortRows, of_every_length_class) {
  Draw draw = draw_one_of(4);
  for (int64_t length : {2, 31, 32, 33, 64, 100, 256, 257, 500, 1023, 1024, 1025, 2048})
    for (int64_t rows : {1, 7})
      if (draw.next()) expect_sorted(keys_with_ties(DType::u32, {rows, length}), rows == 7);
}

TEST_F(SortRows, by_low_bits) {
  for (const int bits : {1, 5, 9}) {
    bits_ = bits;
    expect_sorted(of(700, [&](int64_t i) { return key_of_low_bits(i, bits); }));
  }
}

TEST_F(SortRows, more_rows_than_groups) {
  gpu_.plan_for().max_groups = 3;
  expect_sorted(keys_with_ties(DType::u32, {50, 40}));
}

TEST_F(SortRows, equal_sorted_reversed_and_two_values) {
  for (int64_t length : {64, 700}) {
    expect_sorted(of(length, [](int64_t) { return 4294967295.0; }));
    expect_sorted(of(length, [](int64_t i) { return static_cast<double>(i); }));
    expect_sorted(of(length, [](int64_t i) { return static_cast<double>(1000000 - i); }), true);
    expect_sorted(of(length, [](int64_t i) { return i % 3 == 0 ? 4278190080.0 : 255.0; }));
  }
}

TEST_F(SortRows, other_dtypes_and_the_first_few) {
  for (bool descending : {false, true}) {
    for (DType dtype : {DType::i32, DType::boolean}) expect_sorted(keys_with_ties(dtype, {3, 70}), descending);
    expect_sorted(special_keys({3, 70}), descending);
    expect_sorted(special_keys({3, 300}), descending, 17);
  }
}

TEST_F(SortFew, of_tiles_whose_firsts_are_short_rows) {
  for (bool descending : {false, true}) {
    expect_sorted(keys_with_ties(DType::u32, {2, 40013}), descending, 5);
    EXPECT_EQ(gpu_.names, "sort_tile_first u32\nsort_rows u32\nsort_tile_gather u32\nsort_rows u32\n");
    gpu_.names.clear();
  }
  expect_sorted(special_keys({2, 40013}), true, 50);
}

}  // namespace
}  // namespace eglantine::test
