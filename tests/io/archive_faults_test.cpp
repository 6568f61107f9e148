#include <sys/stat.h>

#include <functional>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "eglantine/ops.hpp"
#include "io/file_test.hpp"
#include "io/full_disk.hpp"
#include "support/as_nobody.hpp"
#include "support/compare.hpp"

/// Full disks, closed folders and memory that runs out, for files of several tensors: an error, and the previous
/// contents.
namespace eglantine::test {
namespace {

namespace fs = std::filesystem;
using Tensors = std::map<std::string, Tensor>;

struct Format {
  std::string load_name, save_name;
  std::function<Tensors(const fs::path&)> load;
  std::function<void(const fs::path&, const Tensors&)> save;
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {"load_npz", "save_npz", [](const fs::path& path) { return load_npz(path); },
       [](const fs::path& path, const Tensors& tensors) { save_npz(path, tensors); }},
      {"load_safetensors", "save_safetensors", [](const fs::path& path) { return load_safetensors(path); },
       [](const fs::path& path, const Tensors& tensors) { save_safetensors(path, tensors); }}};
  return all;
}

class ArchiveFaults : public ::testing::TestWithParam<Format> {
 protected:
  void SetUp() override { Device::set_current(Device::open("cpu")); }
  void save(const Tensors& tensors) const { GetParam().save(file_, tensors); }
  Tensors load() const { return GetParam().load(file_); }
  std::string cannot_write() const { return "[" + GetParam().save_name + "] cannot write " + file_.string() + ": "; }
  ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  const TemporaryFolder owned_;
  const fs::path folder_ = owned_.path();
  const fs::path file_ = folder_ / "x";
};
INSTANTIATE_TEST_SUITE_P(Files, ArchiveFaults, ::testing::ValuesIn(formats()),
                         [](const auto& format) { return format.param.load_name; });

TEST_P(ArchiveFaults, a_full_disk_leaves_the_old_file_and_no_half_of_a_new_one) {
  save({{"a", full({13}, 7)}});
  const std::string before = bytes_of(file_);
  const Tensors large{{"a", ones({1 << 14})}, {"b", zeros({1 << 14})}};
  for (const rlim_t limit : {0, 1, 100, 4096, 1 << 16, (1 << 16) + 1000, 1 << 17}) {
    const FullDisk disk(limit);
    EXPECT_ERROR(save(large), FileError, cannot_write() + "File too large");
    EXPECT_EQ(bytes_of(file_), before) << limit;
    EXPECT_EQ(files(), 1) << limit;
  }
}

TEST_P(ArchiveFaults, a_folder_that_is_closed_keeps_the_old_file) {
  save({{"a", ones({3})}});
  const std::string before = bytes_of(file_);
  fs::permissions(folder_,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  {
    const AsNobody nobody;
    EXPECT_ERROR(save({{"a", ones({3})}}), FileError, cannot_write() + "Permission denied");
  }
  EXPECT_EQ(bytes_of(file_), before);
}

TEST_P(ArchiveFaults, a_file_cut_anywhere_is_an_error) {
  save({{"a", ones({5}, DType::i32)}, {"flags", ones({3}) > 0}});
  const std::string whole = bytes_of(file_);
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    EXPECT_THROW(load(), FileError) << length;
  }
  std::ofstream(file_, std::ios::binary | std::ios::trunc) << whole;
  EXPECT_EQ(load().at("a").to_vector<int32_t>(), std::vector<int32_t>(5, 1));
}

TEST_P(ArchiveFaults, what_is_no_file_is_neither_waited_for_nor_replaced) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const fs::path& path : {pipe, fs::path("/dev/full"), fs::path("/dev/zero")}) {
    EXPECT_ERROR(GetParam().load(path), FileError,
                 "[" + GetParam().load_name + "] cannot load " + path.string() +
                     ": it is a pipe, a socket or a device; copy what it gives to a file, and load that");
    EXPECT_ERROR(GetParam().save(path, {{"a", ones({3})}}), FileError,
                 "[" + GetParam().save_name + "] cannot write " + path.string() +
                     ": it is a pipe, a socket or a device, which a file would replace; name another path");
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_P(ArchiveFaults, a_tensor_that_the_host_has_no_memory_for_is_not_saved) {
  save({{"a", ones({3})}});
  const std::string before = bytes_of(file_);
  EXPECT_ERROR(save({{"a", ones({3})}, {"b", zeros({int64_t{1} << 43})}}), OutOfMemoryError,
               cannot_write() +
                   "tensor \"b\": the host has no room for the 35184372088832 bytes of its 8796093022208 elements of "
                   "f32; save it in smaller parts");
  EXPECT_EQ(bytes_of(file_), before);
  EXPECT_EQ(files(), 1);
}

TEST_P(ArchiveFaults, a_tensor_that_failed_leaves_the_old_file) {
  save({{"a", ones({3})}});
  const std::string before = bytes_of(file_);
  const Tensor failed = take(ones({3}), Tensor::from<int32_t>({5}, {1}), 0);
  EXPECT_THROW(save({{"a", ones({3})}, {"b", failed}}), IndexError);
  EXPECT_EQ(bytes_of(file_), before);
  EXPECT_EQ(files(), 1);
}

/// A file of 2^43 bytes takes no space on the disk, and no machine has memory for its elements.
TEST(SafetensorsFaults, more_elements_than_the_host_has_memory_for) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "x";
  const std::string header = R"({"x":{"dtype":"F64","shape":[1099511627776],"data_offsets":[0,8796093022208]}})";
  std::ofstream(path, std::ios::binary) << safetensors_bytes(header, "");
  fs::resize_file(path, 8 + header.size() + (uintmax_t{1} << 43));
  try {
    load_safetensors(path, Device::open("cpu"));
    ADD_FAILURE() << "4 TiB were loaded";
  } catch (const OutOfMemoryError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("[load_safetensors] cannot load " + path.string() +
                                 ": tensor \"x\": [cpu] out of memory: asked for 4398046511104 "))
        << error.what();
  }
}

}  // namespace
}  // namespace eglantine::test
