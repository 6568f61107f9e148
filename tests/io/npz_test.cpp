#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "eglantine/ops.hpp"
#include "io/file_test.hpp"
#include "support/over_views.hpp"

namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

EG_FILES_ON_EACH_DEVICE(LoadNpz);
EG_FILES_ON_EACH_DEVICE(SaveNpz);

EG_TEST(SaveNpz, every_dtype_and_shape_comes_back) {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, Array> arrays;
  for (const DType dtype : saved_dtypes)
    for (const Dims& shape : every_shape()) {
      const std::string name = std::string(name_of(dtype)) + " " + text(shape);
      arrays[name] = random_array(dtype, shape);
      tensors[name] = upload(arrays[name]);
    }
  save_npz(file("x.npz"), tensors);
  const std::map<std::string, Tensor> read = load_npz(file("x.npz"));
  ASSERT_EQ(read.size(), arrays.size());
  for (const auto& [name, x] : arrays) EXPECT_TRUE(matches(read.at(name), numpy_has(x), bitwise)) << name;
}

EG_TEST(SaveNpz, views_and_pending_tensors_are_saved_in_order) {
  const Array x = random_array(DType::f32, {3, 5});
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample sample = view.hold(x);
    save_npz(file("x.npz"), {{"x", sample.tensor}});
    EXPECT_TRUE(matches(load_npz(file("x.npz")).at("x"), sample.array, bitwise));
  }
}

EG_TEST(SaveNpz, every_name_comes_back) {
  std::map<std::string, Tensor> tensors;
  for (const std::string& name : {std::string(), std::string("a/b"), std::string("ä🌹"), std::string("x.npy"),
                                  std::string("x"), std::string("tab\t"), std::string(65531, 'n')})
    tensors[name] = full({1}, static_cast<float>(name.size()));
  save_npz(file("x.npz"), tensors);
  const std::map<std::string, Tensor> read = load_npz(file("x.npz"));
  EXPECT_EQ(read.size(), tensors.size());
  for (const auto& [name, x] : tensors) EXPECT_EQ(read.at(name).item<float>(), static_cast<float>(name.size()));
}

EG_TEST(SaveNpz, no_tensors_are_an_archive_without_members) {
  save_npz(file("x.npz"), {});
  EXPECT_EQ(bytes_of(file("x.npz")), std::string("PK\5\6") + std::string(18, '\0'));
  EXPECT_TRUE(load_npz(file("x.npz")).empty());
}

EG_TEST(SaveNpz, writes_the_same_bytes_at_any_time) {
  const std::map<std::string, Tensor> tensors{{"a", ones({3})}, {"b", zeros({2})}};
  save_npz(file("x.npz"), tensors);
  save_npz(file("y.npz"), tensors);
  EXPECT_EQ(bytes_of(file("x.npz")), bytes_of(file("y.npz")));
  save_npy(file("a.npy"), tensors.at("a"));
  EXPECT_NE(bytes_of(file("x.npz")).find(bytes_of(file("a.npy"))), std::string::npos);  // stored
}

EG_TEST(SaveNpz, refuses_names_and_leaves_the_old_file) {
  save_npz(file("x.npz"), {{"x", ones({3})}});
  const std::string before = bytes_of(file("x.npz"));
  const auto says = [&](const std::string& name, const std::string& problem) {
    EXPECT_ERROR(save_npz(file("x.npz"), {{"a", ones({3})}, {name, ones({3})}}), FileError,
                 "[save_npz] cannot write " + file("x.npz").string() + ": " + problem);
    EXPECT_EQ(bytes_of(file("x.npz")), before);
  };
  const std::string unfit = "\": its name is not UTF-8, or longer than the 65535 bytes that archives have for one";
  says("\xff", "member \"\xff.npy" + unfit);
  says(std::string(65532, 'n'), "member \"" + std::string(65532, 'n') + ".npy" + unfit);
  says(std::string("a\0b", 3), "member \"a\\x00b.npy\": its name has a null character, which ends names in archives");
  EXPECT_ERROR(save_npz(file("x.npz"), {{"x", Tensor()}}), Error,
               "[Tensor] this is no tensor: it was default-constructed or moved from; assign one to it first");
  EXPECT_EQ(bytes_of(file("x.npz")), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

/// An archive of two stored members, with bytes changed: `edits` are pairs of a position and what stands there.
class Archive {
 public:
  Archive(const fs::path& path, const std::map<std::string, Tensor>& tensors) : path_(path) {
    save_npz(path, tensors);
    bytes_ = bytes_of(path);
  }
  size_t local(int which) const { return nth("PK\3\4", which); }
  size_t central(int which) const { return nth("PK\1\2", which); }
  size_t end() const { return bytes_.rfind("PK\5\6"); }
  const std::string& bytes() const { return bytes_; }

  /// The file with these bytes at a position instead.
  Archive& put(size_t at, const std::string& bytes) {
    bytes_.replace(at, bytes.size(), bytes);
    std::ofstream(path_, std::ios::binary) << bytes_;
    return *this;
  }

 private:
  size_t nth(const std::string& magic, int which) const {
    size_t at = bytes_.find(magic);
    while (which-- > 0) at = bytes_.find(magic, at + 1);
    return at;
  }

  fs::path path_;
  std::string bytes_;
};

class DamagedNpz : public FileTest {
 protected:
  Archive archive() const { return {file("x.npz"), {{"a", ones({3})}, {"b", zeros({2})}}}; }
  void says(const std::string& problem) const {
    EXPECT_ERROR(load_npz(file("x.npz")), FileError,
                 "[load_npz] cannot load " + file("x.npz").string() + ": " + problem);
  }
};
EG_SUITE(Files, DamagedNpz, device_specs());

EG_TEST(DamagedNpz, is_no_archive) {
  const std::string problem = "it is no zip archive that can be read, as .npz files are (Not a zip archive)";
  for (const std::string& bytes : {std::string(), std::string("hello, world"), npy_bytes("<f4", "False", "()", "1234"),
                                   std::string("PK\3\4"), std::string(100'000, 'P')}) {
    write("x.npz", bytes);
    says(problem);
  }
  fs::remove(file("x.npz"));
  fs::create_directory(file("x.npz"));
  says("it is a directory");
}

EG_TEST(DamagedNpz, says_why_it_cannot_read) {
  EXPECT_ERROR(load_npz(file("none")), FileError,
               "[load_npz] cannot read " + file("none").string() + ": No such file or directory");
}

EG_TEST(DamagedNpz, members_that_are_not_stored_or_deflated) {
  Archive a = archive();
  a.put(a.central(1) + 10, std::string("\14\0", 2));
  says("member \"b.npy\": it is packed by method 12; .npz files have members that are stored or deflated");
  Archive b = archive();
  b.put(b.central(1) + 8, std::string("\1\0", 2));
  says("member \"b.npy\": it is encrypted");
}

EG_TEST(DamagedNpz, members_of_another_size_than_they_say) {
  Archive a = archive();
  a.put(a.central(0) + 24, bytes_of_number(uint32_t{141}));
  says("member \"a.npy\": its 140 bytes cannot be the 141 bytes that it says");
  Archive b = archive();
  b.put(b.central(0) + 20, bytes_of_number(uint32_t{139})).put(b.central(0) + 24, bytes_of_number(uint32_t{139}));
  says("member \"a.npy\": it is truncated: 3 elements of '<f4' take 12 bytes, and 11 follow the header");
  Archive c = archive();
  c.put(c.central(1) + 20, bytes_of_number(uint32_t{0})).put(c.central(1) + 24, bytes_of_number(uint32_t{0}));
  says("member \"b.npy\": it does not begin as a .npy file does");
  Archive d = archive();  // claims a deflated petabyte
  d.put(d.central(0) + 10, std::string("\10\0", 2)).put(d.central(0) + 24, bytes_of_number(uint32_t{4'000'000'000}));
  says("member \"a.npy\": its 140 bytes cannot be the 4000000000 bytes that it says");
}

EG_TEST(DamagedNpz, elements_that_do_not_have_the_checksum) {
  Archive a = archive();
  a.put(a.central(0) - 1, "\x40");  // the last element
  says("member \"b.npy\": it is damaged (CRC error)");
  Archive b = archive();
  b.put(b.central(1) + 16, "1234");
  says("member \"b.npy\": it is damaged (CRC error)");
}

EG_TEST(DamagedNpz, members_that_are_no_npy_files) {
  Archive a = archive();
  a.put(a.local(0) + 30 + 5, "hello").put(a.central(0) + 16, bytes_of_number(uint32_t{0}));
  says("member \"a.npy\": it does not begin as a .npy file does");
}

EG_TEST(DamagedNpz, two_members_of_one_name) {
  Archive a = archive();
  a.put(a.local(1) + 30, "a").put(a.central(1) + 46, "a");
  says("two of its members are tensor \"a\"");
}

EG_TEST(DamagedNpz, lists_that_lead_nowhere) {
  Archive a = archive();
  a.put(a.end() + 16, "\xff\xff\xff\x7f");
  says("it is no zip archive that can be read, as .npz files are (Zip archive inconsistent)");
  Archive b = archive();
  b.put(b.central(0) + 42, "\xff\xff\xff\x7f");
  EXPECT_THROW(load_npz(file("x.npz")), FileError);
}

EG_TEST(DamagedNpz, cut_anywhere_is_an_error) {
  const std::string whole = archive().bytes();
  for (size_t length = 0; length < whole.size(); ++length) {
    write("x.npz", whole.substr(0, length));
    EXPECT_THROW(load_npz(file("x.npz")), FileError) << length;
  }
}

/// Each byte of the file damaged in turn: an error, or the tensors, where it is one that says nothing of them.
EG_TEST(DamagedNpz, in_any_byte_is_an_error_or_harmless) {
  const std::string whole = archive().bytes();
  int errors = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    write("x.npz", damaged);
    try {
      for (const auto& [name, x] : load_npz(file("x.npz")))
        EXPECT_EQ(x.to_vector<float>(), std::vector<float>(x.size(), x.size() == 3 ? 1 : 0)) << at;
    } catch (const FileError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 280);  // two members of more than 128 bytes that have a checksum
}

EG_TEST(LoadNpz, onto_the_device_named) {
  save_npz(file("x.npz"), {{"x", ones({3})}, {"empty", ones({0})}});
  for (const auto& [name, x] : load_npz(file("x.npz"), Device::open("cpu")))
    EXPECT_TRUE(x.device() == Device::open("cpu")) << name;
}

}  // namespace
}  // namespace eglantine::test
