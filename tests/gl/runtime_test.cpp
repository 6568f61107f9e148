#include <algorithm>
#include <cstring>
#include <span>

#include "eglantine/error.hpp"
#include "gl/fixture.hpp"

namespace eglantine::test {
namespace {

/// A restriction of the context: all must compute the same.
struct Way {
  const char* name;
  bool gles;
  gl::TransferPath transfer;
  bool floor;
};

class GlRuntimeWays : public ::testing::TestWithParam<Way> {
 protected:
  GlRuntimeWays() {
    gl::Options options;
    options.transfer = GetParam().transfer;
    if (GetParam().floor) options.replace_functions = hold_to_the_floor;
    runtime_ = open_runtime(options, GetParam().gles);
  }
  std::unique_ptr<gl::GlRuntime> runtime_;
};

INSTANTIATE_TEST_SUITE_P(Gl, GlRuntimeWays,
                         ::testing::Values(Way{"gl", false, gl::TransferPath::automatic, false},
                                           Way{"gl_direct", false, gl::TransferPath::direct, false},
                                           Way{"gl_staging", false, gl::TransferPath::staging, false},
                                           Way{"gl_floor", false, gl::TransferPath::automatic, true},
                                           Way{"gles", true, gl::TransferPath::automatic, false},
                                           Way{"gles_staging", true, gl::TransferPath::staging, false},
                                           Way{"gles_floor", true, gl::TransferPath::automatic, true}),
                         [](const auto& each) { return each.param.name; });

TEST_P(GlRuntimeWays, one_kernel_computes) {
  for (const uint32_t count : {1U, 13U, 127U, 1025U, 300000U}) {
    const auto x = runtime_->allocate(count * 4), y = runtime_->allocate(count * 4);
    upload(*runtime_, *x, counting(count));
    runtime_->dispatch(multiply_add(*runtime_, *x, *y, count, 3, 7));
    const std::vector<uint32_t> result = download(*runtime_, *y, count);
    for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(result[i], i * 3 + 7) << count;
  }
  EXPECT_EQ(runtime_->programs(), 1);
  EXPECT_EQ(runtime_->dispatches(), 5);
}

TEST_P(GlRuntimeWays, a_chain_of_kernels_sees_each_write) {
  constexpr uint32_t count = 4096;
  const auto x = runtime_->allocate(count * 4), y = runtime_->allocate(count * 4);
  upload(*runtime_, *x, counting(count));
  for (int i = 0; i < 50; ++i) {
    runtime_->dispatch(multiply_add(*runtime_, *x, *y, count, 1, 1));
    runtime_->dispatch(multiply_add(*runtime_, *y, *x, count, 1, 1));
  }
  EXPECT_EQ(download(*runtime_, *x, count), counting(count, 100));
}

TEST_P(GlRuntimeWays, writes_from_both_sides_in_turn) {
  constexpr uint32_t count = 1025;
  const auto x = runtime_->allocate(count * 4), y = runtime_->allocate(count * 4);
  for (uint32_t round = 0; round < 20; ++round) {
    upload(*runtime_, *x, counting(count, round));
    runtime_->dispatch(multiply_add(*runtime_, *x, *y, count, 1, 0));
    ASSERT_EQ(download(*runtime_, *y, count), counting(count, round));
  }
}

TEST_P(GlRuntimeWays, memory_handed_out_again_holds_the_new_contents) {
  constexpr uint32_t count = 4096;
  const auto x = runtime_->allocate(count * 4);
  upload(*runtime_, *x, counting(count));
  for (uint32_t round = 0; round < 20; ++round) {
    const auto y = runtime_->allocate(count * 4);
    runtime_->dispatch(multiply_add(*runtime_, *x, *y, count, 1, round));
    const auto z = runtime_->allocate(count * 4);
    runtime_->dispatch(multiply_add(*runtime_, *y, *z, count, 1, round));
    ASSERT_EQ(download(*runtime_, *z, count), counting(count, 2 * round));
  }
}

TEST_P(GlRuntimeWays, data_of_odd_sizes_and_places_comes_back) {
  constexpr int64_t capacity = 70001;
  const auto storage = runtime_->allocate(capacity);
  for (const int64_t bytes : {0, 1, 3, 4, 13, 4095, 65537}) {
    for (const int64_t offset : {0, 1, 4, 997, 4096}) {
      std::vector<std::byte> data(static_cast<size_t>(bytes)), back(data.size());
      for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + data.size());
      runtime_->upload(*storage, offset, data);
      runtime_->download(*storage, offset, back);
      ASSERT_EQ(back, data) << bytes << " at " << offset;
    }
  }
}

TEST_P(GlRuntimeWays, data_larger_than_the_staging_memory_comes_back) {
  constexpr size_t words = 11'000'003;  // 42 MiB
  const auto storage = runtime_->allocate(words * 4);
  const std::vector<uint32_t> data = counting(words);
  upload(*runtime_, *storage, data);
  EXPECT_EQ(download(*runtime_, *storage, words), data);
}

TEST_P(GlRuntimeWays, what_is_read_arrives_whole) {
  for (const size_t bytes : {1, 13, 65536, 42'000'007}) {
    const auto storage = runtime_->allocate(static_cast<int64_t>(bytes));
    const std::vector<uint32_t> words = counting(bytes / 4 + 1, 7);
    const std::span data = std::as_bytes(std::span(words)).first(bytes);
    runtime_->upload_read(*storage, static_cast<int64_t>(bytes),
                          [&, next = size_t{0}](std::span<std::byte> to) mutable {
                            std::memcpy(to.data(), data.data() + next, to.size());
                            next += to.size();
                          });
    std::vector<std::byte> back(bytes);
    runtime_->download(*storage, 0, back);
    ASSERT_EQ(std::memcmp(back.data(), data.data(), bytes), 0) << bytes;
  }
}

TEST_P(GlRuntimeWays, a_read_that_fails_leaves_the_device_as_it_was) {
  constexpr size_t words = 11'000'003;
  const auto storage = runtime_->allocate(words * 4);
  const std::vector<uint32_t> data = counting(words);
  for (const size_t good_bytes : {size_t{0}, size_t{9'000'000}, words * 4 - 1}) {
    const auto read = [good_bytes, next = size_t{0}](std::span<std::byte> to) mutable {
      std::fill(to.begin(), to.end(), std::byte{1});
      next += to.size();
      if (next > good_bytes) throw FileError("it is truncated");
    };
    EXPECT_THROW(runtime_->upload_read(*storage, words * 4, read), FileError);
    upload(*runtime_, *storage, data);
    EXPECT_EQ(download(*runtime_, *storage, words), data);
  }
}

TEST_P(GlRuntimeWays, timestamps_follow_one_another) {
  const int64_t before = runtime_->timestamp();
  constexpr uint32_t count = 1 << 20;
  const auto x = runtime_->allocate(count * 4), y = runtime_->allocate(count * 4);
  runtime_->dispatch(multiply_add(*runtime_, *x, *y, count, 3, 7));
  EXPECT_GT(runtime_->timestamp(), before);
}

TEST_P(GlRuntimeWays, exchanges_take_turns_and_begin_with_zeros) {
  constexpr int64_t turns = 32;
  std::vector<BufferPtr> first, again;
  for (int i = 0; i < turns; ++i) first.push_back(runtime_->open_exchange());
  for (int i = 0; i < turns; ++i) again.push_back(runtime_->open_exchange());
  EXPECT_EQ(first, again);
  for (const BufferPtr& exchange : first) {
    EXPECT_EQ(std::count(first.begin(), first.end(), exchange), 1);
    EXPECT_EQ(download(*runtime_, exchange->storage(), lower::exchange_counters),
              std::vector<uint32_t>(lower::exchange_counters));
  }
  first.clear();
  again.clear();
  const int64_t live = runtime_->memory().live;
  runtime_->trim();
  EXPECT_EQ(runtime_->memory().live, live - turns * lower::exchange_words * 4);
}

TEST(GlRuntime, two_hundred_mebibytes_come_back) {
  const auto runtime = open_runtime();
  constexpr size_t words = 200 << 18;
  const auto storage = runtime->allocate(words * 4);
  const std::vector<uint32_t> data = counting(words, 5);
  upload(*runtime, *storage, data);
  EXPECT_EQ(download(*runtime, *storage, words), data);
}

TEST(GlRuntime, a_range_of_a_buffer_is_bound_where_it_says) {
  const auto runtime = open_runtime();
  constexpr uint32_t count = 1024, part = 256;
  const auto x = runtime->allocate(count * 4), y = runtime->allocate(count * 4);
  upload(*runtime, *x, counting(count));
  upload(*runtime, *y, std::vector<uint32_t>(count, 9));
  gl::Dispatch dispatch = multiply_add(*runtime, *x, *y, part, 1, 0);
  dispatch.ranges = {{x.get(), 512 * 4, part * 4}, {y.get(), 256 * 4, part * 4}};
  runtime->dispatch(dispatch);
  const std::vector<uint32_t> result = download(*runtime, *y, count);
  for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(result[i], i / part == 1 ? i + part : 9) << i;
}

TEST(GlRuntime, uniforms_that_the_shader_never_reads_are_no_error) {
  const auto runtime = open_runtime();
  const auto y = runtime->allocate(16);
  gl::Dispatch dispatch;
  dispatch.name = "unused";
  dispatch.program = std::make_shared<const lower::Program>(
      shader_head(runtime->target(), 1) +
      "layout(std430, binding = 0) buffer Y { uint y[]; };\n"
      "layout(location = 0) uniform uint eg_u[4];\nvoid main() { y[0] = 5u; }\n");
  dispatch.ranges = {{y.get(), 0, 16}};
  dispatch.written = 1;
  dispatch.uniforms = {1, 2, 3, 4};
  runtime->dispatch(dispatch);
  EXPECT_EQ(download(*runtime, *y, 1)[0], 5U);
}

TEST(GlRuntime, a_shader_that_does_not_compile_shows_its_numbered_source_and_the_log) {
  const auto runtime = open_runtime();
  gl::Dispatch dispatch;
  dispatch.name = "broken f32";
  dispatch.program =
      std::make_shared<const lower::Program>(shader_head(runtime->target(), 1) + "void main() { nonsense(); }\n");
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      runtime->dispatch(dispatch);
      FAIL() << "it compiled";
    } catch (const ShaderError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.rfind("[broken f32] the shader does not compile:\n", 0), 0U) << text;
      EXPECT_NE(text.find("   3 | void main() { nonsense(); }"), std::string::npos) << text;
      EXPECT_NE(text.find("nonsense"), text.rfind("nonsense")) << text;
    }
  }
  EXPECT_EQ(runtime->programs(), 0);
}

TEST(GlRuntime, a_dispatch_that_no_driver_would_check_is_refused) {
  const auto runtime = open_runtime();
  const auto x = runtime->allocate(4096), y = runtime->allocate(4096);
  const gl::Dispatch good = multiply_add(*runtime, *x, *y, 1024, 1, 0);
  const auto refused = [&](auto change) {
    gl::Dispatch bad = good;
    change(bad);
    EXPECT_THROW(runtime->dispatch(bad), DeviceError);
  };
  refused([](gl::Dispatch& d) { d.ranges[0].offset = 4; });
  refused([](gl::Dispatch& d) { d.ranges[0].size = 8192; });
  refused([](gl::Dispatch& d) { d.ranges[1].size = 0; });
  refused([&](gl::Dispatch& d) {
    d.groups[0] = static_cast<uint32_t>(std::min<int64_t>(runtime->target().max_groups_x + 1, UINT32_MAX));
  });
  refused([&](gl::Dispatch& d) {
    d.groups[1] = static_cast<uint32_t>(std::min<int64_t>(runtime->target().max_groups + 1, UINT32_MAX));
    d.groups[2] = 1;
  });
  refused(
      [&](gl::Dispatch& d) { d.ranges.resize(static_cast<size_t>(runtime->target().max_bindings + 1), d.ranges[0]); });
  EXPECT_NO_THROW(runtime->dispatch(good));
}

TEST(GlRuntime, no_groups_are_no_work) {
  const auto runtime = open_runtime();
  const auto x = runtime->allocate(16), y = runtime->allocate(16);
  gl::Dispatch dispatch = multiply_add(*runtime, *x, *y, 4, 1, 0);
  dispatch.groups = {0, 1, 1};
  runtime->dispatch(dispatch);
  EXPECT_EQ(runtime->dispatches(), 0);
}

}  // namespace
}  // namespace eglantine::test
