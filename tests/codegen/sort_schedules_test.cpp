#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "support/order.hpp"
#include "support/shapes.hpp"

/// The sorts meant for hardware, run on whatever device there is.
namespace eglantine::test {
namespace {

/// A device that is planned for as if it were a GPU, perhaps a small one.
class AsGpu : public gl::Runtime {
 public:
  explicit AsGpu(gl::Runtime& device) : device_(device), target_(device.target()) {
    target_.software = false;
    target_.max_loop_trips = 0;
    target_.resident_invocations = 4096;
  }
  const gl::Target& target() const override { return target_; }
  /// Unless they are to be compiled as GPUs do it: software drivers take seconds for each unrolled program.
  void dispatch(const gl::Dispatch& dispatch) override {
    if (unrolled) return device_.dispatch(dispatch);
    gl::Dispatch rolled = dispatch;
    rolled.key += " rolled";
    rolled.source = [source = dispatch.source] {
      const std::string text = source(), mark = "#define EG_EACH";
      const size_t at = text.find(mark);
      return at == std::string::npos ? text : text.substr(0, at) + "#define EG_ROLLED\n" + text.substr(at);
    };
    device_.dispatch(rolled);
  }
  std::unique_ptr<Storage> allocate(int64_t bytes) override { return device_.allocate(bytes); }

  gl::Target& plan_for() { return target_; }
  bool unrolled = false;

 private:
  gl::Runtime& device_;
  gl::Target target_;
};

using Words = std::vector<uint32_t>;

Words bits_of(const Array& x) {
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
    auto buffer = std::make_shared<Buffer>(nullptr, static_cast<int64_t>(words.size()) * 4);
    buffer->set_storage(device_->allocate(buffer->bytes()));
    upload(*device_, buffer->storage(), words);
    return {buffer, dtype, layout::contiguous(shape)};
  }

  struct Result {
    Words keys, places;
  };

  /// Keys and places, sorted together, and each alone: all must agree.
  Result sorted(const Array& x, bool descending, int64_t keep) {
    const int64_t length = x.shape.back(), rows = x.size() / length;
    const Strided in = stored(bits_of(x), x.dtype, {rows, length});
    SortKernel kernel;
    kernel.keys = {in.layout.shape, {in}, {}, {}, {{Op::load, x.dtype, {0, -1, -1}}}};
    kernel.kept_rank = 1;
    kernel.descending = descending;
    kernel.keep = keep;
    const size_t count = static_cast<size_t>(rows * keep);
    const auto run = [&](DType core, bool places, bool both) {
      kernel.consumer = {{rows, keep}, {}, {}, {}, {{Op::core, core, {-1, -1, -1}}}};
      kernel.out = stored(Words(count), core, {rows, keep});
      kernel.second = both ? stored(Words(count), DType::i32, {rows, keep}) : Strided{};
      kernel.places = places;
      gl::run(gpu_, kernel);
      return download(*device_, kernel.out.buffer->storage(), count);
    };
    Result result;
    result.keys = run(x.dtype, false, true);
    result.places = download(*device_, kernel.second.buffer->storage(), count);
    EXPECT_EQ(run(x.dtype, false, false), result.keys);
    EXPECT_EQ(run(DType::i32, true, false), result.places);
    return result;
  }

  void expect_sorted(const Array& x, bool descending = false, int64_t keep = 0) {
    SCOPED_TRACE(std::string(name_of(x.dtype)) + text(x.shape) + (descending ? " descending " : " ") +
                 std::to_string(keep));
    const int64_t length = x.shape.back();
    if (keep == 0) keep = length;
    const naive::Sorted all = naive::sort(x, -1, descending);
    const naive::Pairs bounds{{0, x.shape[0]}, {0, keep}};
    const Result result = sorted(x, descending, keep);
    EXPECT_EQ(result.keys, bits_of(naive::crop(all.keys, bounds)));
    EXPECT_EQ(result.places, bits_of(naive::crop(all.places, bounds)));
  }

  static inline std::unique_ptr<gl::GlRuntime> device_;  ///< one, so that tests share programs
  AsGpu gpu_;
};

TEST_F(SortSchedules, rows_that_share_groups) {
  for (int64_t length : {2, 11, 12, 64, 127, 129, 1000, 1409})
    for (int64_t rows : {1, 7, 200})
      if (rows * length < 60000) expect_sorted(keys_with_ties(DType::u32, {rows, length}), rows == 7);
}

TEST_F(SortSchedules, rows_of_one_group) {
  for (int64_t length : {2817, 5631, 5632}) expect_sorted(keys_with_ties(DType::u32, {2, length}));
}

TEST_F(SortSchedules, rows_of_several_tiles) {
  for (int64_t length : {5633, 11264, 40013}) expect_sorted(keys_with_ties(DType::u32, {2, length}), length == 11264);
}

TEST_F(SortSchedules, more_tiles_than_one_walk_of_their_counts) {
  expect_sorted(keys_with_ties(DType::i32, {1, 400009}), true);
}

TEST_F(SortSchedules, compiled_as_gpus_do) {
  gpu_.unrolled = true;
  expect_sorted(keys_with_ties(DType::boolean, {2, 6007}));
}

TEST_F(SortSchedules, every_dtype) {
  for (DType dtype : every_dtype)
    for (int64_t length : {70, 6007})
      for (bool descending : {false, true}) expect_sorted(keys_with_ties(dtype, {3, length}), descending);
}

TEST_F(SortSchedules, special_floats_and_equal_keys) {
  for (int64_t length : {70, 6007}) {
    expect_sorted(special_keys({3, length}), length == 70);
    expect_sorted({DType::u32, {1, length}, std::vector<double>(static_cast<size_t>(length), 4294967295.0)});
  }
}

TEST_F(SortSchedules, selections) {
  const Array x = keys_with_ties(DType::u32, {2, 50021});
  for (int64_t keep : {1, 7, 300}) expect_sorted(x, true, keep);
  expect_sorted(x, false, 2000);
  expect_sorted(special_keys({1, 7003}), true, 60);
}

TEST_F(SortSchedules, of_a_small_gpu_in_windows) {
  gpu_.plan_for().max_invocations = 128;
  gpu_.plan_for().max_shared_bytes = 16384;
  gpu_.plan_for().max_bindings = 4;
  gpu_.plan_for().max_block_bytes = 65536;
  expect_sorted(keys_with_ties(DType::u32, {1, 40013}));
  expect_sorted(keys_with_ties(DType::u32, {40, 1000}), true);
  expect_sorted(keys_with_ties(DType::u32, {2, 20011}), true, 9);
}

}  // namespace
}  // namespace eglantine::test
