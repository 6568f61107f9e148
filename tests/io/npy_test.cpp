#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "eglantine/ops.hpp"
#include "io/file_test.hpp"
#include "support/over_views.hpp"

namespace eglantine::test {
namespace {

using namespace std::literals;
namespace fs = std::filesystem;

EG_FILES_ON_EACH_DEVICE(LoadNpy);
EG_FILES_ON_EACH_DEVICE(SaveNpy);

EG_TEST(SaveNpy, every_dtype_and_shape_comes_back) {
  for (const DType dtype : saved_dtypes)
    for (const Dims& shape : every_shape()) {
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + text(shape));
      const Array x = random_array(dtype, shape);
      save_npy(file("x.npy"), upload(x));
      EXPECT_TRUE(matches(load_npy(file("x.npy")), numpy_has(x), bitwise));
    }
}

EG_TEST(SaveNpy, views_and_pending_tensors_are_saved_in_order) {
  const Array x = random_array(DType::f32, {3, 5});
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample sample = view.hold(x);
    save_npy(file("x.npy"), sample.tensor);
    EXPECT_TRUE(matches(load_npy(file("x.npy")), sample.array, bitwise));
  }
}

EG_TEST(SaveNpy, writes_the_bytes_that_numpy_writes) {
  save_npy(file("x.npy"), Tensor::from<int32_t>({1, -2}, {2}));
  std::string header = "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"s;
  header.resize(127, ' ');
  EXPECT_EQ(bytes_of(file("x.npy")), header + "\n\x01\x00\x00\x00\xfe\xff\xff\xff"s);
}

EG_TEST(SaveNpy, names_each_dtype_as_numpy_does) {
  const std::vector<std::string> descrs{"<f4", "<i4", "<u4", "|b1", "<f2", "<f4", "|i1", "|u1"};
  for (size_t i = 0; i < descrs.size(); ++i) {
    save_npy(file("x.npy"), ones({3}, saved_dtypes[i]));
    EXPECT_NE(bytes_of(file("x.npy")).find("'descr': '" + descrs[i] + "'"), std::string::npos) << saved_dtypes[i];
  }
}

EG_TEST(SaveNpy, replaces_a_file_through_a_link_and_leaves_nothing_else) {
  write("old.npy", "old");
  fs::create_symlink("old.npy", file("link.npy"));
  save_npy(file("link.npy"), ones({3}));
  EXPECT_TRUE(fs::is_symlink(file("link.npy")));
  EXPECT_EQ(load_npy(file("old.npy")).size(), 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

EG_TEST(SaveNpy, others_may_read_the_file_as_the_umask_says) {
  const mode_t mask = umask(027);
  save_npy(file("x.npy"), ones({3}));
  umask(mask);
  EXPECT_EQ(fs::status(file("x.npy")).permissions(), static_cast<fs::perms>(0640));
}

EG_TEST(SaveNpy, says_why_it_cannot_write) {
  EXPECT_ERROR(save_npy(file("no/x.npy"), ones({3})), FileError,
               "[save_npy] cannot write " + file("no/x.npy").string() + ": No such file or directory");
  EXPECT_ERROR(save_npy(folder_, ones({3})), FileError,
               "[save_npy] cannot write " + folder_.string() + ": Is a directory");
  EXPECT_ERROR(save_npy("/dev/null", ones({3})), FileError,
               "[save_npy] cannot write /dev/null: it is a pipe, a socket or a device, which a file would replace; "
               "name another path");
}

EG_TEST(LoadNpy, fortran_order_is_turned_round) {
  const fs::path path =
      write("x.npy", npy_bytes("<u4", "True", "(2, 3)", bytes_of_numbers<uint32_t>({1, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(matches(load_npy(path), Array{DType::u32, {2, 3}, {1, 3, 5, 2, 4, 6}}));
}

EG_TEST(LoadNpy, longer_formats) {
  const std::string text = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}";
  for (const char version : {'\2', '\3'}) {
    const fs::path path = write(
        "long.npy", "\x93NUMPY"s + version + '\0' + static_cast<char>(text.size()) + "\0\0\0"s + text + "\1\0\1"s);
    EXPECT_TRUE(matches(load_npy(path), Array{DType::boolean, {3}, {1, 0, 1}}));
  }
}

EG_TEST(LoadNpy, keeps_the_bits_of_every_float) {
  const std::string data = "\0\0\xc0\x7f\0\0\x80\xff\0\0\0\x80"s;
  save_npy(file("x.npy"), load_npy(write("made.npy", npy_bytes("<f4", "False", "(3,)", data))));
  EXPECT_EQ(bytes_of(file("x.npy")).substr(128), data);
}

EG_TEST(LoadNpy, says_what_is_wrong_with_a_file) {
  const auto says = [](const fs::path& path, const std::string& problem) {
    EXPECT_ERROR(load_npy(path), FileError, "[load_npy] cannot load " + path.string() + ": " + problem);
  };
  says(write("text.npy", "hello, world"), "it does not begin as a .npy file does");
  says(write("empty.npy", ""), "it does not begin as a .npy file does");
  says(write("short.npy", "\x93NUMPY\x01\x00\xff\x00{"s), "it is truncated in the header");
  says(write("made.npy", npy_bytes("<f4", "False", "(2,)", "1234567")),
       "it is truncated: 2 elements of '<f4' take 8 bytes, and 7 follow the header");
  says(write("made.npy", npy_bytes("<f4", "False", "(2,)", "123456789")),
       "it has bytes left over: 2 elements of '<f4' take 8 bytes, and 9 follow the header");
  says(write("made.npy", npy_bytes("<i4", "False", "(1000000000, 1000)", "1234")),
       "it is truncated: 1000000000000 elements of '<i4' take 4000000000000 bytes, and 4 follow the header");
  says(write("made.npy", npy_bytes("|b1", "False", "(3,)", "\1\0\2"s)), "boolean 2 is stored as 2, neither 0 nor 1");
  says(folder_, "it is a directory");
}

EG_TEST(LoadNpy, says_why_it_cannot_read) {
  EXPECT_ERROR(load_npy(file("none.npy")), FileError,
               "[load_npy] cannot read " + file("none.npy").string() + ": No such file or directory");
}

EG_TEST(LoadNpy, onto_the_device_named) {
  save_npy(file("x.npy"), ones({3}));
  EXPECT_TRUE(load_npy(file("x.npy"), Device::open("cpu")).device() == Device::open("cpu"));
}

}  // namespace
}  // namespace eglantine::test
