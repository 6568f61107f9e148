#include "backend/gl/memory/pool.hpp"

#include "eglantine/error.hpp"
#include "gl/fixture.hpp"

namespace eglantine::test {
namespace {

/// How many of the next driver allocations fail, each with a pending GL_OUT_OF_MEMORY.
int failures_left = 0;
bool out_of_memory = false;
gl::Functions pool_driver;

bool refuse() {
  if (failures_left == 0) return false;
  --failures_left;
  out_of_memory = true;
  return true;
}

void fail_allocations(gl::Functions& functions) {
  pool_driver = functions;
  failures_left = 0;
  if (functions.NamedBufferStorage != nullptr) {
    functions.NamedBufferStorage = [](GLuint name, GLsizeiptr bytes, const void* data, GLbitfield flags) {
      if (!refuse()) pool_driver.NamedBufferStorage(name, bytes, data, flags);
    };
  } else {
    functions.BufferData = [](GLenum target, GLsizeiptr bytes, const void* data, GLenum usage) {
      if (!refuse()) pool_driver.BufferData(target, bytes, data, usage);
    };
  }
  functions.GetError = [] {
    if (!std::exchange(out_of_memory, false)) return pool_driver.GetError();
    return static_cast<GLenum>(GL_OUT_OF_MEMORY);
  };
}

class Pool : public ::testing::Test {
 protected:
  static std::unique_ptr<gl::GlRuntime> open(bool floor = false) {
    gl::Options options;
    options.replace_functions = [floor](gl::Functions& functions) {
      if (floor) hold_to_the_floor(functions);
      fail_allocations(functions);
    };
    return open_runtime(options);
  }
};

TEST(SizeClass, holds_the_request_and_wastes_at_most_an_eighth) {
  for (int64_t bytes = 16; bytes < int64_t{1} << 33; bytes += bytes / 7 / 16 * 16 + 16) {
    const int64_t capacity = gl::size_class(bytes);
    ASSERT_GE(capacity, bytes);
    ASSERT_EQ(capacity % 16, 0) << bytes;
    ASSERT_LE(capacity, std::max<int64_t>(256, bytes + bytes / 8)) << bytes;
    ASSERT_LT(capacity - bytes, 2 << 20) << bytes;
    ASSERT_EQ(gl::size_class(capacity), capacity) << bytes;
  }
}

TEST_F(Pool, similar_sizes_share_memory) {
  const auto runtime = open();
  runtime->allocate(100 << 20).reset();
  const auto smaller = runtime->allocate(90 << 20);
  EXPECT_EQ(runtime->memory().pooled, 0);
  EXPECT_EQ(runtime->memory().live, 100 << 20) << "what it takes";
  const auto small = runtime->allocate(80 << 20);
  EXPECT_EQ(runtime->memory().live, 180 << 20) << "no more than an eighth is wasted";
}

TEST_F(Pool, counts_live_pooled_and_peak) {
  const auto runtime = open();
  auto a = runtime->allocate(1 << 20), b = runtime->allocate(1 << 20);
  EXPECT_EQ(runtime->memory().live, 2 << 20);
  a.reset();
  EXPECT_EQ(runtime->memory().live, 1 << 20);
  EXPECT_EQ(runtime->memory().pooled, 1 << 20);
  EXPECT_EQ(runtime->memory().peak, 2 << 20);
  a = runtime->allocate((1 << 20) - 100);
  EXPECT_EQ(runtime->memory().pooled, 0);
  a.reset();
  runtime->trim();
  EXPECT_EQ(runtime->memory().pooled, 0);
}

TEST_F(Pool, a_failed_allocation_empties_the_pool_and_succeeds) {
  for (const bool floor : {false, true}) {
    const auto runtime = open(floor);
    runtime->allocate(1 << 20).reset();
    failures_left = 1;
    const auto storage = runtime->allocate(1 << 22);
    EXPECT_EQ(runtime->memory().pooled, 0);
    upload(*runtime, *storage, counting(1 << 20));
    EXPECT_EQ(download(*runtime, *storage, 1 << 20), counting(1 << 20));
  }
}

TEST_F(Pool, memory_that_stays_short_is_an_error_with_the_figures) {
  const auto runtime = open();
  const auto held = runtime->allocate(1 << 20);
  failures_left = 2;
  try {
    runtime->allocate(3 << 20);
    FAIL() << "nothing was thrown";
  } catch (const OutOfMemoryError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("[allocate] no device memory for 3145728 bytes (3 MiB): tensors hold 1048576 bytes (1 MiB), "
                         "the pool 0 bytes",
                         0),
              0U)
        << text;
  }
  EXPECT_NO_THROW(runtime->allocate(3 << 20));
}

TEST_F(Pool, a_budget_is_kept_by_giving_pooled_memory_back) {
  gl::Options options;
  options.memory_budget = 3 << 20;
  const auto runtime = open_runtime(options);
  auto a = runtime->allocate(1 << 20), b = runtime->allocate(1 << 20);
  EXPECT_THROW(runtime->allocate(2 << 20), OutOfMemoryError);
  a.reset();
  EXPECT_NO_THROW(runtime->allocate(2 << 20));
  EXPECT_EQ(runtime->memory().live, 1 << 20);
}

/// An allocator that counts instead of calling a driver.
class Counting : public gl::Allocator {
 public:
  gl::MemoryBlock allocate(int64_t capacity) override { return {.name = ++made_, .capacity = capacity}; }
  void free(const gl::MemoryBlock&) override {}

 private:
  GLuint made_ = 0;
};

/// A pool of blocks 1, 2 and 3, freed in that order, which kernels 1, 2 and 3 wrote; no barrier yet.
class ThreeBlocks : public ::testing::Test {
 protected:
  explicit ThreeBlocks(int64_t budget = 0)
      : pool_(std::make_shared<gl::Pool>(runtime_->context(), std::make_unique<Counting>(), budget, &hazards_)) {
    for (auto& storage : storages_) storage = pool_->allocate(64);
    for (auto& storage : storages_) write(storage->block());
    for (auto& storage : storages_) storage.reset();
  }
  /// A kernel writes another block, which is freed.
  void write_one(int64_t bytes = 64) { write(pool_->allocate(bytes)->block()); }
  void write(const gl::MemoryBlock& block) {
    hazards_.before_shader(block, true);
    hazards_.begin_dispatch();
    hazards_.after_shader(block, true);
  }
  /// Another kernel, which needs a barrier.
  void wait_for_all() { write({.name = 9, .capacity = 64, .last_written = 3}); }
  GLuint next() { return pool_->allocate(64)->block().name; }

  std::unique_ptr<gl::GlRuntime> runtime_ = open_runtime();
  gl::HazardTracker hazards_{runtime_->context()};
  std::shared_ptr<gl::Pool> pool_;
  std::array<std::unique_ptr<gl::GlStorage>, 3> storages_;
};

/// All that a budget allows.
class ThreeBlocksAlone : public ThreeBlocks {
 protected:
  ThreeBlocksAlone() : ThreeBlocks(3 * gl::size_class(64)) {}
};

TEST_F(ThreeBlocks, another_one_comes_where_every_one_waits) { EXPECT_EQ(next(), 4U); }

TEST_F(ThreeBlocks, the_last_one_freed_comes_first_where_all_of_eight_wait) {
  for (int made = 3; made < 8; ++made) write_one();
  EXPECT_EQ(next(), 8U);
}

TEST_F(ThreeBlocks, the_last_one_freed_comes_first_where_another_would_make_more_than_64_mebibytes) {
  constexpr int64_t third = 20 << 20;
  for (const GLuint name : {4U, 5U, 6U, 6U}) {
    const auto storage = pool_->allocate(third);
    EXPECT_EQ(storage->block().name, name);
    write(storage->block());
  }
}

TEST_F(ThreeBlocksAlone, the_last_one_freed_comes_first_where_there_is_no_room_for_another) { EXPECT_EQ(next(), 3U); }

TEST_F(ThreeBlocks, the_last_one_freed_comes_first_where_none_waits) {
  wait_for_all();
  EXPECT_EQ(next(), 3U);
}

TEST_F(ThreeBlocks, the_first_one_freed_comes_first_where_only_the_last_one_waits) {
  wait_for_all();
  auto storage = pool_->allocate(64);
  ASSERT_EQ(storage->block().name, 3U);
  write(storage->block());
  storage.reset();
  EXPECT_EQ(next(), 1U);
}

TEST_F(Pool, storage_may_outlive_the_device) {
  auto runtime = open();
  const auto storage = runtime->allocate(1 << 20);
  runtime.reset();
}

TEST_F(Pool, more_than_any_machine_has_is_an_error) {
  const auto runtime = open();
  EXPECT_THROW(runtime->allocate(int64_t{1} << 62), OutOfMemoryError);
  EXPECT_THROW(runtime->allocate(INT64_MAX), OutOfMemoryError);
}

}  // namespace
}  // namespace eglantine::test
