#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "eglantine/io.hpp"
#include "eglantine/ops.hpp"
#include "io/file_test.hpp"
#include "io/full_disk.hpp"
#include "support/as_nobody.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Full disks, read-only folders and damaged files: an error, and the previous contents.
namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

class FileFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    Device::set_current(Device::open("cpu"));
    file_ = folder_ / "x.npy";
  }
  ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  const TemporaryFolder owned_;
  const fs::path folder_ = owned_.path();
  fs::path file_;
};

TEST_F(FileFaults, a_full_disk_leaves_the_old_file_and_no_half_of_a_new_one) {
  save_npy(file_, full({13}, 7));
  const std::string before = bytes_of(file_);
  const Tensor large = ones({1 << 16}).eval();
  for (const rlim_t limit : {0, 1, 100, 128, 4096, 1 << 17, (1 << 18) + 127}) {
    const FullDisk disk(limit);
    EXPECT_ERROR(save_npy(file_, large), FileError, "[save_npy] cannot write " + file_.string() + ": File too large");
    EXPECT_EQ(bytes_of(file_), before) << limit;
    EXPECT_EQ(files(), 1) << limit;
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
                 "[save_npy] cannot write " + path.string() +
                     ": it is a pipe, a socket or a device, which a file would replace; name another path");
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(FileFaults, a_file_keeps_its_mode_and_its_owner) {
  const mode_t mask = umask(022);
  for (const mode_t mode : {0600, 0640, 0666, 0444, 0755}) {
    save_npy(file_, ones({3}));
    ASSERT_EQ(chmod(file_.c_str(), mode), 0);
    (void)!chown(file_.c_str(), 65534, 65534);  // only root may
    struct stat before {
    }, after{};
    ASSERT_EQ(stat(file_.c_str(), &before), 0);
    save_npy(file_, ones({4}));
    ASSERT_EQ(stat(file_.c_str(), &after), 0);
    EXPECT_EQ(load_npy(file_).size(), 4);
    EXPECT_EQ(after.st_mode, before.st_mode);
    EXPECT_EQ(after.st_uid, before.st_uid);
    EXPECT_EQ(after.st_gid, before.st_gid);
    fs::remove(file_);
  }
  umask(mask);
}

TEST_F(FileFaults, what_another_owns_is_replaced_all_the_same) {
  save_npy(file_, ones({3}));
  fs::permissions(folder_, fs::perms::all);
  fs::permissions(file_, static_cast<fs::perms>(0664));
  const AsNobody nobody;
  save_npy(file_, ones({4}));
  EXPECT_EQ(load_npy(file_).size(), 4);
  EXPECT_EQ(fs::status(file_).permissions(), static_cast<fs::perms>(0664));
}

TEST_F(FileFaults, a_link_stays_and_what_it_names_is_written) {
  const fs::path inner = folder_ / "inner";
  fs::create_directory(inner);
  fs::create_directory_symlink("inner", folder_ / "inner link");
  fs::create_symlink("x.npy", folder_ / "relative");
  fs::create_symlink("../x.npy", inner / "up");
  fs::create_symlink(file_, folder_ / "absolute");
  fs::create_symlink("inner link/up", folder_ / "chain");
  for (const fs::path& link :
       {folder_ / "relative", inner / "up", folder_ / "inner link" / "up", folder_ / "absolute", folder_ / "chain"}) {
    const ptrdiff_t before = files();
    for (const int64_t length : {3, 4}) {  // the target is missing, then it exists
      save_npy(link, ones({length}));
      EXPECT_TRUE(fs::is_symlink(link)) << link;
      EXPECT_FALSE(fs::is_symlink(file_)) << link;
      EXPECT_EQ(load_npy(file_).size(), length) << link;
      EXPECT_EQ(files(), before + 1) << link;
    }
    fs::remove(file_);
  }
}

TEST_F(FileFaults, links_that_lead_nowhere_are_errors_and_stay) {
  fs::create_symlink("no/x.npy", folder_ / "nowhere");
  fs::create_symlink("round", folder_ / "circle");
  fs::create_symlink("circle", folder_ / "round");
  for (const auto& [name, problem] :
       {std::pair{"nowhere", "No such file or directory"}, {"circle", "Too many levels of symbolic links"}}) {
    EXPECT_ERROR(save_npy(folder_ / name, ones({3})), FileError,
                 "[save_npy] cannot write " + (folder_ / name).string() + ": " + problem);
    EXPECT_TRUE(fs::is_symlink(folder_ / name));
  }
  EXPECT_EQ(files(), 3);
}

TEST_F(FileFaults, every_name_that_the_system_takes_can_be_written) {
  for (const size_t length : {1, 100, 241, 242, 246, 254, 255}) {
    const fs::path path = folder_ / std::string(length, 'n');
    save_npy(path, ones({3}));
    EXPECT_EQ(load_npy(path).size(), 3) << length;
  }
  const fs::path longer = folder_ / std::string(256, 'n');
  EXPECT_ERROR(save_npy(longer, ones({3})), FileError,
               "[save_npy] cannot write " + longer.string() + ": File name too long");
  fs::path deep = folder_;
  while (deep.string().size() < 3900) deep /= std::string(100, 'd');
  fs::create_directories(deep);
  deep /= std::string(4095 - deep.string().size() - 1, 'n');
  save_npy(deep, ones({3}));
  EXPECT_EQ(load_npy(deep).size(), 3);
  EXPECT_EQ(files(), 8);
}

TEST_F(FileFaults, a_name_without_a_folder_is_a_file_of_the_current_one) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  save_npy("x.npy", ones({3}));
  EXPECT_ERROR(save_npy("", ones({3})), FileError, "[save_npy] cannot write \"\": No such file or directory");
  fs::current_path(before);
  EXPECT_EQ(load_npy(file_).size(), 3);
  EXPECT_EQ(files(), 1);
}

/// A file of 2^43 bytes takes no space on the disk, and no machine has memory for the elements its header promises.
TEST_F(FileFaults, more_elements_than_the_host_has_memory_for) {
  for (const auto& [descr, bytes, dtype_bytes] :
       {std::tuple{"<f4", 4, 4}, {"<i4", 4, 4}, {"<u4", 4, 4}, {"|b1", 1, 1}, {"<f2", 2, 2}, {"<f8", 8, 4}}) {
    const int64_t count = (int64_t{1} << 43) / bytes;
    std::ofstream(file_, std::ios::binary | std::ios::trunc)
        << npy_bytes(descr, "False", "(" + std::to_string(count) + ",)", "");
    fs::resize_file(file_, fs::file_size(file_) + (uintmax_t{1} << 43));
    try {
      load_npy(file_);
      ADD_FAILURE() << "8 TiB were loaded";
    } catch (const OutOfMemoryError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with("[load_npy] cannot load " + file_.string() + ": [cpu] out of memory: asked for " +
                                   std::to_string(count * dtype_bytes) + " bytes"))
          << text;
    }
  }
}

TEST_F(FileFaults, a_header_that_is_longer_than_any_is_not_read) {
  std::ofstream(file_, std::ios::binary) << std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
  fs::resize_file(file_, uintmax_t{1} << 33);
  EXPECT_ERROR(load_npy(file_), FileError,
               "[load_npy] cannot load " + file_.string() +
                   ": its header takes 4294967295 bytes; Eglantine reads headers of up to 65536");
}

TEST_F(FileFaults, a_tensor_that_the_host_has_no_memory_for_is_not_saved) {
  for (const DType dtype : {DType::f32, DType::boolean}) {
    EXPECT_ERROR(save_npy(file_, zeros({int64_t{1} << 43}, dtype)), OutOfMemoryError,
                 "[save_npy] cannot write " + file_.string() + ": the host has no room for the " +
                     (dtype == DType::f32 ? "35184372088832" : "8796093022208") +
                     " bytes of its 8796093022208 elements of " + std::string(name_of(dtype)) +
                     "; save it in smaller parts");
    EXPECT_EQ(files(), 0);
  }
}

TEST_F(FileFaults, a_tensor_that_failed_leaves_the_old_file) {
  save_npy(file_, full({13}, 7));
  const std::string before = bytes_of(file_);
  const Tensor failed = exp(ones({int64_t{1} << 29, int64_t{1} << 29}));
  EXPECT_THROW(save_npy(file_, (failed.eval().slice(0, 0, 1).slice(1, 0, 3) + 1)), OutOfMemoryError);
  EXPECT_EQ(bytes_of(file_), before);
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace eglantine::test
