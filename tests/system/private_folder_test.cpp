#include "system/private_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>

#include "io/temporary_folder.hpp"

namespace eglantine::test {
namespace {

constexpr int64_t any_size = int64_t{1} << 20;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class PrivateFolder : public ::testing::Test {
 protected:
  std::filesystem::path path_of(const std::string& name) const { return path() / name; }
  std::filesystem::path path() const { return around_.path() / "a" / "folder"; }
  TemporaryFolder around_;
  eglantine::PrivateFolder folder_{path()};
};

TEST_F(PrivateFolder, is_made_for_its_owner_alone) {
  ASSERT_TRUE(folder_.usable());
  EXPECT_EQ(std::filesystem::status(path()).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(PrivateFolder, gives_back_what_was_written) {
  EXPECT_FALSE(folder_.has("x"));
  EXPECT_FALSE(folder_.read("x", any_size));
  for (const std::string text : {"first", "", "another"}) {
    EXPECT_TRUE(folder_.write("x", bytes_of(text)));
    EXPECT_TRUE(folder_.has("x"));
    EXPECT_EQ(folder_.read("x", any_size), bytes_of(text));
  }
  EXPECT_FALSE(folder_.read("x", 6)) << "it has 7 bytes";
  folder_.remove("x");
  EXPECT_FALSE(folder_.read("x", any_size));
}

TEST_F(PrivateFolder, leaves_nothing_else_behind) {
  for (int i = 0; i < 3; ++i) folder_.write("x", bytes_of("text"));
  EXPECT_FALSE(folder_.write("no/such/folder", bytes_of("text")));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path())) ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(PrivateFolder, reads_regular_files_only) {
  std::ofstream(around_.path() / "elsewhere") << "text";
  create_symlink(around_.path() / "elsewhere", path_of("link"));
  create_directory(path_of("directory"));
  ASSERT_EQ(mkfifo(path_of("pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "directory", "pipe"}) EXPECT_FALSE(folder_.read(name, any_size)) << name;
}

TEST_F(PrivateFolder, is_not_used_where_others_may_write) {
  for (const mode_t mode : {0770U, 0707U, 0777U}) {
    ASSERT_EQ(chmod(path().c_str(), mode), 0);
    EXPECT_FALSE(eglantine::PrivateFolder(path()).usable()) << std::oct << mode;
  }
  ASSERT_EQ(chmod(path().c_str(), 0755), 0);
  EXPECT_TRUE(eglantine::PrivateFolder(path()).usable());
}

TEST_F(PrivateFolder, that_cannot_be_made_holds_nothing) {
  std::ofstream(around_.path() / "file") << "text";
  const eglantine::PrivateFolder none(around_.path() / "file" / "folder"), file(around_.path() / "file");
  EXPECT_FALSE(none.usable());
  EXPECT_FALSE(file.usable());
}

TEST_F(PrivateFolder, gives_up_what_was_not_used_for_longest) {
  const std::vector<std::byte> part(100);
  const auto names = [](int i) { return "file" + std::to_string(i); };
  for (int i = 0; i < 8; ++i) {
    folder_.write(names(i), part);
    const struct timespec at[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path_of(names(i)).c_str(), at, 0), 0);
  }
  EXPECT_TRUE(folder_.read(names(1), any_size));  // used now
  folder_.shrink(800);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(folder_.has(names(i))) << "they fit";
  folder_.shrink(799);  // to 600 at most
  for (int i = 0; i < 8; ++i) EXPECT_EQ(folder_.has(names(i)), i != 0 && i != 2 && i != 3) << i;
}

/// A reader sees a whole text, whoever writes.
TEST_F(PrivateFolder, is_shared_by_many) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([this, number] {
      const eglantine::PrivateFolder mine(path());
      for (int i = 0; i < 200; ++i) {
        mine.write("x", std::vector<std::byte>(5000, static_cast<std::byte>(number)));
        const auto found = mine.read("x", any_size);
        ASSERT_TRUE(found);
        ASSERT_EQ(*found, std::vector<std::byte>(5000, found->front()));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace eglantine::test
