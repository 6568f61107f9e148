#include "backend/cpu/memory_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "backend/cpu/cpu_backend.hpp"
#include "eglantine/error.hpp"

namespace eglantine::test {
namespace {

TEST(CpuMemory, is_aligned_and_padded) {
  const std::unique_ptr<Backend> backend = cpu::make_backend();
  for (const int64_t bytes : {1, 4, 15, 16, 17, 1000, 5000000}) {
    const std::unique_ptr<Storage> storage = backend->allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(cpu::data_of(*storage)) % 64, 0u);
    EXPECT_EQ(backend->memory().live, (bytes + 15) / 16 * 16);
  }
}

TEST(CpuMemory, freed_blocks_are_used_again) {
  const std::unique_ptr<Backend> backend = cpu::make_backend();
  std::unique_ptr<Storage> first = backend->allocate(100000);
  const std::byte* data = cpu::data_of(*first);
  first.reset();
  EXPECT_EQ(backend->memory().live, 0);
  EXPECT_GE(backend->memory().pooled, 100000);
  first = backend->allocate(99990);
  EXPECT_EQ(cpu::data_of(*first), data);
  EXPECT_EQ(backend->memory().pooled, 0);
  EXPECT_EQ(backend->memory().peak, 100000);
}

TEST(CpuMemory, trim_gives_pooled_blocks_back) {
  const std::unique_ptr<Backend> backend = cpu::make_backend();
  const std::unique_ptr<Storage> kept = backend->allocate(1000);
  backend->allocate(2000000).reset();
  backend->allocate(500).reset();
  EXPECT_GT(backend->memory().pooled, 0);
  backend->trim();
  EXPECT_EQ(backend->memory().pooled, 0);
  EXPECT_EQ(backend->memory().live, 1008);
}

TEST(CpuMemory, pool_does_not_outgrow_what_was_live) {
  const std::unique_ptr<Backend> backend = cpu::make_backend();
  for (int64_t bytes = 1000; bytes < 3000000; bytes += bytes / 5) backend->allocate(bytes).reset();
  EXPECT_LE(backend->memory().pooled, backend->memory().peak + backend->memory().peak / 8);
}

TEST(CpuMemory, more_than_there_is_throws) {
  const std::unique_ptr<Backend> backend = cpu::make_backend();
  const std::unique_ptr<Storage> held = backend->allocate(4096);
  for (const int64_t bytes : {backend->memory().driver_total * 2, std::numeric_limits<int64_t>::max()}) try {
      backend->allocate(bytes);
      ADD_FAILURE() << bytes << " bytes were given";
    } catch (const OutOfMemoryError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("[cpu] out of memory: asked for " + std::to_string(bytes) +
                                      " bytes while tensors hold 4096 bytes and "))
          << message;
    }
  EXPECT_EQ(backend->memory().live, 4096);
}

TEST(CpuMemory, storage_may_outlive_its_backend) {
  std::unique_ptr<Backend> backend = cpu::make_backend();
  std::unique_ptr<Storage> storage = backend->allocate(1000);
  backend.reset();
  std::fill_n(cpu::data_of(*storage), 1000, std::byte{1});
  storage.reset();
}

}  // namespace
}  // namespace eglantine::test
