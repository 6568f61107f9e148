#include "system/thread_pool.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "backend/cpu/cpu_backend.hpp"
#include "eglantine/error.hpp"
#include "support/setting.hpp"

namespace eglantine::test {
namespace {

TEST(ThreadPools, covers_every_item_once) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads, "test");
    for (const int64_t count : {0, 1, 2, 13, 127, 1000})
      for (const int64_t grain : {1, 7, 200}) {
        std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
        pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
          EXPECT_LT(begin, end);
          for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        });
        for (const auto& visit : visits) EXPECT_EQ(visit, 1);
      }
  }
}

TEST(ThreadPools, cover_every_byte_once_by_whole_pages) {
  ThreadPool pool(3, "test");
  for (const int64_t bytes : {0, 1, 4095, 4096, 4097, 1'000'003}) {
    std::vector<char> visits(static_cast<size_t>(bytes));
    std::atomic<bool> whole = true;
    pool.parallel_for_bytes(bytes, [&](int64_t begin, int64_t end) {
      if (begin % 4096 != 0 || (end % 4096 != 0 && end != bytes)) whole = false;
      for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
    });
    EXPECT_TRUE(whole) << bytes;
    EXPECT_EQ(visits, std::vector<char>(visits.size(), 1)) << bytes;
  }
}

TEST(ThreadPools, throws_what_a_chunk_threw_and_works_on) {
  ThreadPool pool(3, "test");
  const auto fail = [](int64_t begin, int64_t end) {
    if (begin <= 500 && 500 < end) throw ShapeError("chunk");
  };
  for (int i = 0; i < 50; ++i) EXPECT_THROW(pool.parallel_for(1000, 1, fail), ShapeError);
  std::atomic<int64_t> sum = 0;
  pool.parallel_for(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, 1000);
}

TEST(ThreadPools, small_work_stays_on_the_caller) {
  ThreadPool pool(4, "test");
  pool.parallel_for(100, 100, [caller = std::this_thread::get_id()](int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(end - begin, 100);
  });
}

TEST(CpuThreads, variable_sets_the_count) {
  const Setting variable("EGLANTINE_THREADS", "3");
  EXPECT_EQ(thread_count("test"), 3);
  EXPECT_NE(cpu::describe_cpu().name.find("3 threads)"), std::string::npos) << cpu::describe_cpu().name;
}

TEST(CpuThreads, variable_is_read_strictly) {
  for (const char* text : {"0", "-1", "two", "2x", " 2", "+2", "1.5", "1025", "99999999999999999999"}) {
    const Setting variable("EGLANTINE_THREADS", text);
    const std::string message = "EGLANTINE_THREADS is \"" + std::string(text) +
                                "\": give a whole number of threads from 1 to 1024, or unset it to use every core";
    try {
      cpu::make_backend();
      ADD_FAILURE() << '"' << text << "\" was taken";
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.what(), "[Device::open] " + message);
    }
    const DeviceInfo info = cpu::describe_cpu();
    EXPECT_FALSE(info.available);
    EXPECT_EQ(info.problem, "[Device::list] " + message);
  }
}

TEST(CpuDevice, describes_itself) {
  const Setting variable("EGLANTINE_THREADS", "1");
  const DeviceInfo info = cpu::describe_cpu();
  EXPECT_TRUE(info.name.starts_with("cpu (")) << info.name;
  EXPECT_TRUE(info.name.ends_with("1 thread)")) << info.name;
  EXPECT_EQ(info.kind, "cpu");
  EXPECT_EQ(info.spec, "cpu");
  EXPECT_TRUE(info.software);
  EXPECT_TRUE(info.available);
  EXPECT_GT(info.memory_bytes, 0);
}

}  // namespace
}  // namespace eglantine::test
