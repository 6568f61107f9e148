#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eglantine/io.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Files on disks that are full and in folders that are closed, and files that are damaged: an error, and what was
/// there before.
namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

/// No file of this process may grow past a limit while this lives: what a full disk does, without filling one.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  void (*signal_)(int);
  rlimit before_{};
};

/// The calling thread opens files as nobody, whoever it is: root may open everything.
class AsNobody {
 public:
  AsNobody() : before_(setfsuid(65534)) {}
  ~AsNobody() { setfsuid(static_cast<uid_t>(before_)); }

 private:
  int before_;
};

class FileFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    Device::set_current(Device::open("cpu"));
    std::string name = (fs::temp_directory_path() / "eglantine-faults-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    file_ = folder_ / "x.npy";
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  static std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_, file_;
};

TEST_F(FileFaults, a_full_disk_leaves_the_old_file_and_no_half_of_a_new_one) {
  save_npy(file_, full({13}, 7));
  const std::string before = bytes_of(file_);
  const Tensor large = ones({1 << 16}).eval();
  for (const rlim_t room : {0, 1, 100, 128, 4096, 1 << 17, (1 << 18) + 127}) {
    const FullDisk disk(room);
    EXPECT_ERROR(save_npy(file_, large), FileError, "[save_npy] cannot write " + file_.string() + ": File too large");
    EXPECT_EQ(bytes_of(file_), before) << room;
    EXPECT_EQ(files(), 1) << room;
  }
  const FullDisk exactly_enough((1 << 18) + 128);
  save_npy(file_, large);
  EXPECT_EQ(load_npy(file_).size(), 1 << 16);
}

TEST_F(FileFaults, a_full_disk_leaves_nothing_where_nothing_was) {
  const FullDisk disk(200);
  EXPECT_THROW(save_npy(file_, ones({1000})), FileError);
  EXPECT_EQ(files(), 0);
}

TEST_F(FileFaults, a_folder_that_is_closed_keeps_the_old_file) {
  save_npy(file_, full({13}, 7));
  const std::string before = bytes_of(file_);
  fs::permissions(folder_,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  {
    const AsNobody nobody;
    EXPECT_ERROR(save_npy(file_, ones({3})), FileError,
                 "[save_npy] cannot write " + file_.string() + ": Permission denied");
  }
  EXPECT_EQ(bytes_of(file_), before);
  EXPECT_EQ(files(), 1);
}

TEST_F(FileFaults, a_file_that_is_closed_is_not_read) {
  save_npy(file_, ones({3}));
  fs::permissions(folder_, fs::perms::all);
  fs::permissions(file_, fs::perms::none);
  const AsNobody nobody;
  EXPECT_ERROR(load_npy(file_), FileError, "[load_npy] cannot read " + file_.string() + ": Permission denied");
}

TEST_F(FileFaults, a_file_cut_anywhere_is_an_error) {
  save_npy(file_, ones({5}, DType::i32));
  const std::string whole = bytes_of(file_);
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    EXPECT_THROW(load_npy(file_), FileError) << length;
  }
  std::ofstream(file_, std::ios::binary | std::ios::trunc) << whole;
  EXPECT_EQ(load_npy(file_).to_vector<int32_t>(), std::vector<int32_t>(5, 1));
}

TEST_F(FileFaults, what_is_no_file_is_neither_waited_for_nor_replaced) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const fs::path& path : {pipe, fs::path("/dev/full"), fs::path("/dev/zero")}) {
    EXPECT_THROW(load_npy(path), FileError) << path;
    EXPECT_ERROR(save_npy(path, ones({3})), FileError,
                 "[save_npy] cannot write " + path.string() + ": Operation not supported");
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(FileFaults, a_tensor_that_failed_leaves_the_old_file) {
  save_npy(file_, full({13}, 7));
  const std::string before = bytes_of(file_);
  const Tensor failed = neg(ones({int64_t{1} << 29, int64_t{1} << 29}));
  EXPECT_THROW(save_npy(file_, (failed.eval().slice(0, 0, 1).slice(1, 0, 3) + 1)), OutOfMemoryError);
  EXPECT_THROW(Device::current().synchronize(), OutOfMemoryError);
  EXPECT_EQ(bytes_of(file_), before);
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace eglantine::test
