#include "backend/kept_uploads.hpp"

#include <gtest/gtest.h>

#include "backend/buffer.hpp"
#include "eglantine/error.hpp"

/// What a device keeps of tables that verbs upload.
namespace eglantine::test {
namespace {

KeptUploads::Buffers table(int64_t bytes) {
  return {{Shape{bytes / 4}, Stored{std::make_shared<Buffer>(nullptr, bytes), StorageType::f32}}};
}

TEST(KeptUploads, are_found_by_their_words) {
  KeptUploads uploads;
  const KeptUploads::Buffers one = table(64), other = table(128);
  uploads.add({1, 2}, one);
  uploads.add({1, 3}, other);
  EXPECT_EQ(uploads.find({1}), nullptr);
  EXPECT_EQ(uploads.find({1, 2})->front().second.buffer, one.front().second.buffer);
  EXPECT_EQ(uploads.find({1, 3})->front().second.buffer, other.front().second.buffer);
}

TEST(KeptUploads, let_go_what_was_not_asked_for_the_longest) {
  KeptUploads uploads;
  const int64_t each = KeptUploads::most_bytes / 8;
  for (int64_t i = 0; i < 8; ++i) uploads.add({i}, table(each));
  EXPECT_NE(uploads.find({0}), nullptr);
  uploads.add({8}, table(each));
  EXPECT_NE(uploads.find({0}), nullptr);
  EXPECT_EQ(uploads.find({1}), nullptr);
  uploads.add({9}, table(each + 4));
  EXPECT_EQ(uploads.find({9}), nullptr);
  for (int64_t i = 0; i < 100; ++i) uploads.add({100 + i}, table(4));
  EXPECT_EQ(uploads.find({100}), nullptr);
  EXPECT_NE(uploads.find({199}), nullptr);
}

TEST(KeptUploads, do_without_memory_that_was_not_filled) {
  KeptUploads uploads;
  const KeptUploads::Buffers failed = table(64);
  uploads.add({1}, failed);
  failed.front().second.buffer->poison(Failure::of<DeviceError>("no memory"));
  EXPECT_EQ(uploads.find({1}), nullptr);
  uploads.add({1}, table(64));
  EXPECT_NE(uploads.find({1}), nullptr);
}

}  // namespace
}  // namespace eglantine::test
