#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "eglantine/ops.hpp"
#include "io/file_test.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"

namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

EG_FILES_ON_EACH_DEVICE(LoadSafetensors);
EG_FILES_ON_EACH_DEVICE(SaveSafetensors);

EG_TEST(SaveSafetensors, every_dtype_and_shape_comes_back) {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, Array> arrays;
  for (const DType dtype : saved_dtypes)
    for (const Dims& shape : every_shape()) {
      const std::string name = std::string(name_of(dtype)) + " " + text(shape);
      arrays[name] = random_array(dtype, shape);
      tensors[name] = upload(arrays[name]);
    }
  save_safetensors(file("x.safetensors"), tensors);
  const std::map<std::string, Tensor> read = load_safetensors(file("x.safetensors"));
  ASSERT_EQ(read.size(), arrays.size());
  for (const auto& [name, x] : arrays) EXPECT_TRUE(matches(read.at(name), x, bitwise)) << name;
}

EG_TEST(SaveSafetensors, views_and_pending_tensors_are_saved_in_order) {
  const Array x = random_array(DType::f32, {3, 5});
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample sample = view.hold(x);
    save_safetensors(file("x.safetensors"), {{"x", sample.tensor}});
    EXPECT_TRUE(matches(load_safetensors(file("x.safetensors")).at("x"), sample.array, bitwise));
  }
}

/// As the format's reference implementation does: the largest elements first, then by name; padded with spaces.
EG_TEST(SaveSafetensors, writes_the_bytes_that_the_reference_implementation_writes) {
  const std::map<std::string, Tensor> tensors{{"flags", Tensor::from({true, false, true}, {3})},
                                              {"z", Tensor::from<float>({1.5F}, {1, 1})},
                                              {"i", Tensor::from<int32_t>({-1}, {})},
                                              {"a\"ä", zeros({0, 2})},
                                              {"u", Tensor::from<uint32_t>({7}, {1})},
                                              {"h", Tensor::from({half(1)}, {1})},
                                              {"bf", Tensor::from({bfloat16(1)}, {1})},
                                              {"c", Tensor::from<int8_t>({-2}, {1})},
                                              {"b", Tensor::from<uint8_t>({200}, {1})}};
  save_safetensors(file("x.safetensors"), tensors, {{"format", "pt"}, {"b\n", "\x7f"}});
  std::string header =
      "{\"__metadata__\":{\"b\\n\":\"\x7f\",\"format\":\"pt\"},"
      "\"a\\\"ä\":{\"dtype\":\"F32\",\"shape\":[0,2],\"data_offsets\":[0,0]},"
      "\"z\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]},"
      "\"u\":{\"dtype\":\"U32\",\"shape\":[1],\"data_offsets\":[4,8]},"
      "\"i\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[8,12]},"
      "\"bf\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[12,14]},"
      "\"h\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[14,16]},"
      "\"c\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[16,17]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[17,18]},"
      "\"flags\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[18,21]}}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::string data = bytes_of_number(1.5F) + bytes_of_number(7) + bytes_of_number(-1) +
                           std::string("\x80\x3f\x00\x3c\xfe\xc8\1\0\1", 9);
  EXPECT_EQ(bytes_of(file("x.safetensors")), safetensors_bytes(header, data));
}

EG_TEST(SaveSafetensors, metadata_comes_back) {
  const std::map<std::string, std::string> metadata{
      {"", "empty"}, {"ä🌹", "\"\\\n\t\x01"}, {"long", std::string(9999, 'x')}};
  save_safetensors(file("x.safetensors"), {{"x", ones({3})}}, metadata);
  EXPECT_EQ(safetensors_metadata(file("x.safetensors")), metadata);
  EXPECT_EQ(load_safetensors(file("x.safetensors")).size(), 1U);
  save_safetensors(file("none.safetensors"), {});
  EXPECT_TRUE(safetensors_metadata(file("none.safetensors")).empty());
  EXPECT_TRUE(load_safetensors(file("none.safetensors")).empty());
}

EG_TEST(SaveSafetensors, computes_what_tensors_share_once) {
  const auto two = [] {
    const Tensor shared = cumsum(ones({1000}), 0);
    return std::vector<Tensor>{sum(shared), max(shared)};
  };
  const int64_t together = kernels_of(two()), before = statistics(device()).kernels;
  const std::vector<Tensor> saved = two();
  save_safetensors(file("x.safetensors"), {{"a", saved[0]}, {"b", saved[1]}});
  EXPECT_EQ(statistics(device()).kernels - before, together);
  EXPECT_LT(together, kernels_of(two()[0]) + kernels_of(two()[1]));
}

EG_TEST(SaveSafetensors, refuses_names_and_leaves_the_old_file) {
  save_safetensors(file("x.safetensors"), {{"x", ones({3})}});
  const std::string before = bytes_of(file("x.safetensors"));
  const auto says = [&](const std::map<std::string, Tensor>& tensors, const std::string& problem) {
    EXPECT_ERROR(save_safetensors(file("x.safetensors"), tensors), FileError,
                 "[save_safetensors] cannot write " + file("x.safetensors").string() + ": " + problem);
    EXPECT_EQ(bytes_of(file("x.safetensors")), before);
  };
  says({{"__metadata__", ones({3})}}, "no tensor can have the name __metadata__, which is the metadata's");
  says({{"\xff", ones({3})}}, "the name \"\xff\" is not UTF-8");
  EXPECT_ERROR(save_safetensors(file("x.safetensors"), {{"x", Tensor()}}), Error,
               "[Tensor] this is no tensor: it was default-constructed or moved from; assign one to it first");
  EXPECT_EQ(bytes_of(file("x.safetensors")), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

/// Headers of other programs may have any length, and elements any order.
EG_TEST(LoadSafetensors, elements_that_are_not_aligned) {
  for (size_t blanks = 0; blanks < 8; ++blanks) {
    const std::string header =
        R"({"a":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"F32","shape":[2],"data_offsets":[3,11]},)"
        R"("c":{"dtype":"F64","shape":[1],"data_offsets":[11,19]}})";
    const std::string data =
        std::string("\1\0\1", 3) + bytes_of_numbers<float>({0.5F, -2}) + bytes_of_numbers<double>({0.25});
    const fs::path path = write("x.safetensors", safetensors_bytes(header + std::string(blanks, ' '), data));
    const std::map<std::string, Tensor> read = load_safetensors(path);
    EXPECT_TRUE(matches(read.at("a"), Array{DType::boolean, {3}, {1, 0, 1}}));
    EXPECT_TRUE(matches(read.at("b"), Array{DType::f32, {2}, {0.5, -2}}));
    EXPECT_TRUE(matches(read.at("c"), Array{DType::f32, {1}, {0.25}}));
  }
}

EG_TEST(LoadSafetensors, keeps_the_bits_of_every_float) {
  const std::string data("\0\0\xc0\x7f\1\0\x80\xff\0\0\0\x80\1\0\0\0", 16);
  const std::string bytes = safetensors_bytes("F32", "[4]", data);
  save_safetensors(file("y.safetensors"), load_safetensors(write("x.safetensors", bytes)));
  const std::string written = bytes_of(file("y.safetensors"));
  EXPECT_EQ(written.substr(written.size() - 16), data);
}

EG_TEST(LoadSafetensors, says_what_is_wrong_with_a_file) {
  const auto says = [](const fs::path& path, const std::string& problem) {
    EXPECT_ERROR(load_safetensors(path), FileError, "[load_safetensors] cannot load " + path.string() + ": " + problem);
    EXPECT_ERROR(safetensors_metadata(path), FileError,
                 "[safetensors_metadata] cannot load " + path.string() + ": " + problem);
  };
  says(write("empty", ""), "it is truncated in the first bytes");
  says(write("short", "1234567"), "it is truncated in the first bytes");
  says(write("text", "hello, world"),
       "its header takes 8583909746840200552 bytes, if it is a safetensors file; their headers have up to 100000000");
  says(write("length", std::string("\x01\xe1\xf5\x05\0\0\0\0", 8)),
       "its header takes 100000001 bytes, if it is a safetensors file; their headers have up to 100000000");
  says(write("header", std::string("\x03\0\0\0\0\0\0\0{}", 10)), "it is truncated in the header");
  says(write("json", safetensors_bytes("{\"x\"", "")), "its header is no JSON, at byte 4");
  says(write("data", safetensors_bytes("F32", "[2]", "12345678") + "9"),
       "it has bytes left over: its tensors take 8 bytes, and 9 follow the header");
  says(folder_, "it is a directory");
}

EG_TEST(LoadSafetensors, says_why_it_cannot_read) {
  EXPECT_ERROR(load_safetensors(file("none")), FileError,
               "[load_safetensors] cannot read " + file("none").string() + ": No such file or directory");
}

EG_TEST(LoadSafetensors, onto_the_device_named) {
  save_safetensors(file("x.safetensors"), {{"x", ones({3})}, {"empty", ones({0})}});
  for (const auto& [name, x] : load_safetensors(file("x.safetensors"), Device::open("cpu")))
    EXPECT_TRUE(x.device() == Device::open("cpu")) << name;
}

}  // namespace
}  // namespace eglantine::test
