#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "eglantine/ops.hpp"
#include "io/temporary_folder.hpp"
#include "support/over_views.hpp"

namespace eglantine::test {
namespace {

using namespace std::literals;
namespace fs = std::filesystem;

/// A temporary folder for each test.
class NpyTest : public DeviceTest {
 protected:
  fs::path file(const std::string& name) const { return folder_ / name; }

  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

  /// A file of format 1.0 with an unpadded header, which readers must accept.
  fs::path write_npy(const std::string& descr, const std::string& order, const std::string& shape,
                     const std::string& data) const {
    const std::string text = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + "}\n";
    return write("made.npy", "\x93NUMPY\x01\x00"s + static_cast<char>(text.size()) + '\0' + text + data);
  }

  static std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const TemporaryFolder owned_;
  const fs::path folder_ = owned_.path();
};

#define EG_NPY_ON_EACH_DEVICE(Suite) \
  class Suite : public NpyTest {};   \
  INSTANTIATE_TEST_SUITE_P(Files, Suite, ::testing::ValuesIn(device_specs()), spec_name)

EG_NPY_ON_EACH_DEVICE(LoadNpy);
EG_NPY_ON_EACH_DEVICE(SaveNpy);

TEST_P(SaveNpy, every_dtype_and_shape_comes_back) {
  for (const DType dtype : every_dtype)
    for (const Dims& shape : every_shape()) {
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + text(shape));
      const Array x = random_array(dtype, shape);
      save_npy(file("x.npy"), upload(x));
      EXPECT_TRUE(matches(load_npy(file("x.npy")), x, bitwise));
    }
}

TEST_P(SaveNpy, views_and_pending_tensors_are_saved_in_order) {
  const Array x = random_array(DType::f32, {3, 5});
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample sample = view.hold(x);
    save_npy(file("x.npy"), sample.tensor);
    EXPECT_TRUE(matches(load_npy(file("x.npy")), sample.array, bitwise));
  }
}

TEST_P(SaveNpy, writes_the_bytes_that_numpy_writes) {
  save_npy(file("x.npy"), Tensor::from<int32_t>({1, -2}, {2}));
  std::string header = "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"s;
  header.resize(127, ' ');
  EXPECT_EQ(bytes_of(file("x.npy")), header + "\n\x01\x00\x00\x00\xfe\xff\xff\xff"s);
}

TEST_P(SaveNpy, replaces_a_file_through_a_link_and_leaves_nothing_else) {
  write("old.npy", "old");
  fs::create_symlink("old.npy", file("link.npy"));
  save_npy(file("link.npy"), ones({3}));
  EXPECT_TRUE(fs::is_symlink(file("link.npy")));
  EXPECT_EQ(load_npy(file("old.npy")).size(), 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_P(SaveNpy, others_may_read_the_file_as_the_umask_says) {
  const mode_t mask = umask(027);
  save_npy(file("x.npy"), ones({3}));
  umask(mask);
  EXPECT_EQ(fs::status(file("x.npy")).permissions(), static_cast<fs::perms>(0640));
}

TEST_P(SaveNpy, says_why_it_cannot_write) {
  EXPECT_ERROR(save_npy(file("no/x.npy"), ones({3})), FileError,
               "[save_npy] cannot write " + file("no/x.npy").string() + ": No such file or directory");
  EXPECT_ERROR(save_npy(folder_, ones({3})), FileError,
               "[save_npy] cannot write " + folder_.string() + ": Is a directory");
  EXPECT_ERROR(save_npy("/dev/null", ones({3})), FileError,
               "[save_npy] cannot write /dev/null: Operation not supported");
}

TEST_P(LoadNpy, fortran_order_is_turned_round) {
  const fs::path path = write_npy("<u4", "True", "(2, 3)", "\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0"s);
  EXPECT_TRUE(matches(load_npy(path), Array{DType::u32, {2, 3}, {1, 3, 5, 2, 4, 6}}));
}

TEST_P(LoadNpy, longer_formats) {
  const std::string text = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}";
  for (const char version : {'\2', '\3'}) {
    const fs::path path = write(
        "long.npy", "\x93NUMPY"s + version + '\0' + static_cast<char>(text.size()) + "\0\0\0"s + text + "\1\0\1"s);
    EXPECT_TRUE(matches(load_npy(path), Array{DType::boolean, {3}, {1, 0, 1}}));
  }
}

TEST_P(LoadNpy, keeps_the_bits_of_every_float) {
  const std::string data = "\0\0\xc0\x7f\0\0\x80\xff\0\0\0\x80"s;
  save_npy(file("x.npy"), load_npy(write_npy("<f4", "False", "(3,)", data)));
  EXPECT_EQ(bytes_of(file("x.npy")).substr(128), data);
}

TEST_P(LoadNpy, says_what_is_wrong_with_a_file) {
  const auto says = [](const fs::path& path, const std::string& problem) {
    EXPECT_ERROR(load_npy(path), FileError, "[load_npy] cannot load " + path.string() + ": " + problem);
  };
  says(write("text.npy", "hello, world"), "it does not begin as a .npy file does");
  says(write("empty.npy", ""), "it does not begin as a .npy file does");
  says(write("short.npy", "\x93NUMPY\x01\x00\xff\x00{"s), "it is truncated in the header");
  says(write_npy("<f4", "False", "(2,)", "1234567"),
       "it is truncated: 2 elements of f32 take 8 bytes, and 7 follow the header");
  says(write_npy("<f4", "False", "(2,)", "123456789"),
       "it has bytes left over: 2 elements of f32 take 8 bytes, and 9 follow the header");
  says(write_npy("<i4", "False", "(1000000000, 1000)", "1234"),
       "it is truncated: 1000000000000 elements of i32 take 4000000000000 bytes, and 4 follow the header");
  says(write_npy("|b1", "False", "(3,)", "\1\0\2"s), "boolean 2 is stored as 2, neither 0 nor 1");
  says(folder_, "it is a directory");
}

TEST_P(LoadNpy, says_why_it_cannot_read) {
  EXPECT_ERROR(load_npy(file("none.npy")), FileError,
               "[load_npy] cannot read " + file("none.npy").string() + ": No such file or directory");
}

TEST_P(LoadNpy, onto_the_device_named) {
  save_npy(file("x.npy"), ones({3}));
  EXPECT_TRUE(load_npy(file("x.npy"), Device::open("cpu")).device() == Device::open("cpu"));
}

}  // namespace
}  // namespace eglantine::test
