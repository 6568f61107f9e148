#include <algorithm>
#include <cmath>
#include <numeric>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "io/file_test.hpp"
#include "support/compare.hpp"

/// Every type of a file's elements, in each format: the dtype that it is read as, and its values.
namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

struct Elements {
  std::string numpy, safetensors;
  DType dtype;
  std::string data;
  std::vector<double> values;  ///< that are read
};

template <class T>
Elements elements(const std::string& numpy, const std::string& safetensors, DType dtype, const std::vector<T>& values) {
  Elements made{numpy, safetensors, dtype, bytes_of_numbers(values), {}};
  for (const T value : values) made.values.push_back(as_element(dtype, static_cast<double>(value)));
  return made;
}

std::vector<Elements> every_type() {
  constexpr float inf = HUGE_VALF, nan = NAN;
  return {
      elements<uint8_t>("|b1", "BOOL", DType::boolean, {0, 1, 1}),
      elements<uint8_t>("|u1", "U8", DType::u8, {0, 1, 128, 255}),
      elements<int8_t>("|i1", "I8", DType::i8, {-128, -1, 0, 127}),
      elements<int16_t>("<i2", "I16", DType::i32, {-32768, -1, 0, 32767}),
      elements<uint16_t>("<u2", "U16", DType::u32, {0, 1, 32768, 65535}),
      elements<int32_t>("<i4", "I32", DType::i32, {INT32_MIN, -1, 0, INT32_MAX}),
      elements<uint32_t>("<u4", "U32", DType::u32, {0, 1, UINT32_MAX}),
      elements<float>("<f4", "F32", DType::f32, {0.1F, -0.0F, 1e38F, std::nanf("")}),
      elements<int64_t>("<i8", "I64", DType::i32, {INT32_MIN, -1, 0, INT32_MAX}),
      elements<uint64_t>("<u8", "U64", DType::u32, {0, 1, UINT32_MAX}),
      elements<half>("<f2", "F16", DType::f16,
                     {half(0.1F), half(-0.0F), half(65504), half(0x1p-24F), half(inf), half(nan)}),
      elements<bfloat16>("", "BF16", DType::bf16,
                         {bfloat16(0.1F), bfloat16(-0.0F), bfloat16(3e38F), bfloat16(1e-30F), bfloat16(-inf)}),
      // The nearest: ties to even, above a tie up, below the floats 0.
      elements<double>("<f8", "F64", DType::f32,
                       {0.1, -0.0, 16777217, 16777219, 1 + 0x1p-24 + 0x1p-50, 0x1.fffffep127, 0x1.fffffefffp127, 1e-300,
                        0x1p-140, -HUGE_VAL, std::nan("")}),
  };
}

EG_FILES_ON_EACH_DEVICE(NumberTypes);

EG_TEST(NumberTypes, are_read_as_the_dtype_that_holds_them) {
  for (const Elements& each : every_type()) {
    SCOPED_TRACE(each.safetensors);
    const std::string count = std::to_string(each.values.size());
    const Array expected{each.dtype, {static_cast<int64_t>(each.values.size())}, each.values};
    if (!each.numpy.empty()) {
      const fs::path npy = write("x.npy", npy_bytes(each.numpy, "False", "(" + count + ",)", each.data));
      EXPECT_TRUE(matches(load_npy(npy), expected, bitwise));
    }
    const fs::path safetensors =
        write("x.safetensors", safetensors_bytes(each.safetensors, "[" + count + "]", each.data));
    EXPECT_TRUE(matches(load_safetensors(safetensors).at("x"), expected, bitwise));
  }
}

EG_TEST(NumberTypes, of_the_other_byte_order_are_turned_round) {
  for (const Elements& each : every_type()) {
    if (each.numpy.empty()) continue;
    SCOPED_TRACE(each.numpy);
    const size_t count = each.values.size(), bytes = each.data.size() / count;
    std::string data = each.data;
    for (size_t i = 0; i < count; ++i)
      std::reverse(data.begin() + static_cast<int64_t>(i * bytes),
                   data.begin() + static_cast<int64_t>((i + 1) * bytes));
    const std::string shape = "(" + std::to_string(count) + ",)", descr = ">" + each.numpy.substr(1);
    const Array expected{each.dtype, {static_cast<int64_t>(count)}, each.values};
    EXPECT_TRUE(matches(load_npy(write("x.npy", npy_bytes(descr, "False", shape, data))), expected, bitwise));
  }
  // More than the parts in which they are read and uploaded.
  std::vector<float> values(3'000'001);
  std::iota(values.begin(), values.end(), -7.5F);
  std::string data = bytes_of_numbers(values);
  for (size_t i = 0; i < data.size(); i += 4)
    std::reverse(data.begin() + static_cast<int64_t>(i), data.begin() + static_cast<int64_t>(i + 4));
  const fs::path path = write("x.npy", npy_bytes(">f4", "False", "(3000001,)", data));
  EXPECT_EQ(load_npy(path).to_vector<float>(), values);
  const fs::path cut = write("y.npy", npy_bytes(">f4", "False", "(2,)", "1234567"));
  EXPECT_ERROR(load_npy(cut), FileError,
               "[load_npy] cannot load " + cut.string() +
                   ": it is truncated: 2 elements of '>f4' take 8 bytes, and 7 follow the header");
}

EG_TEST(NumberTypes, go_through_files_of_any_rank_and_of_no_elements) {
  for (const Elements& each : every_type()) {
    SCOPED_TRACE(each.safetensors);
    const fs::path empty = write("x.safetensors", safetensors_bytes(each.safetensors, "[0, 3]", ""));
    EXPECT_TRUE(matches(load_safetensors(empty).at("x"), Array{each.dtype, {0, 3}, {}}));
    const std::string one = each.data.substr(0, each.data.size() / each.values.size());
    const Array scalar{each.dtype, {}, {each.values[0]}};
    const fs::path single = write("x.safetensors", safetensors_bytes(each.safetensors, "[]", one));
    EXPECT_TRUE(matches(load_safetensors(single).at("x"), scalar, bitwise));
    if (each.numpy.empty()) continue;
    EXPECT_TRUE(matches(load_npy(write("x.npy", npy_bytes(each.numpy, "False", "()", one))), scalar, bitwise));
    EXPECT_TRUE(
        matches(load_npy(write("x.npy", npy_bytes(each.numpy, "True", "(3, 0)", ""))), Array{each.dtype, {3, 0}, {}}));
  }
}

EG_TEST(NumberTypes, of_fortran_order_are_turned_round) {
  const fs::path path =
      write("x.npy", npy_bytes("<f8", "True", "(2, 3)", bytes_of_numbers<double>({1, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(matches(load_npy(path), Array{DType::f32, {2, 3}, {1, 3, 5, 2, 4, 6}}));
}

/// As many as are converted and uploaded in several parts.
template <class T>
std::vector<T> many() {
  std::vector<T> values(300'001);
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

EG_TEST(NumberTypes, of_many_elements_are_converted_part_by_part) {
  const std::vector<float> expected = many<float>();
  const fs::path npy = write("x.npy", npy_bytes("<f8", "False", "(300001,)", bytes_of_numbers(many<double>())));
  EXPECT_EQ(load_npy(npy).to_vector<float>(), expected);
  const fs::path same = write("x.safetensors", safetensors_bytes("F32", "[300001]", bytes_of_numbers(expected)));
  EXPECT_EQ(load_safetensors(same).at("x").to_vector<float>(), expected);
}

EG_TEST(NumberTypes, that_do_not_fit_name_the_first_such_value) {
  const auto says = [&](const std::string& numpy, const std::string& safetensors, const std::string& data,
                        const std::string& problem) {
    const std::string count = std::to_string(data.size() / 8);
    const fs::path npy = write("x.npy", npy_bytes(numpy, "False", "(" + count + ",)", data));
    EXPECT_ERROR(load_npy(npy), DTypeError, "[load_npy] cannot load " + npy.string() + ": " + problem);
    const fs::path other = write("x.safetensors", safetensors_bytes(safetensors, "[" + count + "]", data));
    EXPECT_ERROR(load_safetensors(other), DTypeError,
                 "[load_safetensors] cannot load " + other.string() + ": tensor \"x\": " + problem);
  };
  const auto integer = [](const std::string& element, const std::string& dtype) {
    return "element " + element + ", which does not fit " + dtype + ", and integers of 64 bits are read as " + dtype +
           ": convert them to floats, or make them smaller, before they are saved";
  };
  const auto real = [](const std::string& element) {
    return "element " + element +
           ", which does not fit f32, and floats of 64 bits are read as f32: make them smaller before they are saved";
  };
  says("<i8", "I64", bytes_of_numbers<int64_t>({0, 2147483648, -2147483649}), integer("1 is 2147483648", "i32"));
  says("<i8", "I64", bytes_of_numbers<int64_t>({-2147483649}), integer("0 is -2147483649", "i32"));
  says("<i8", "I64", bytes_of_numbers<int64_t>({INT64_MIN}), integer("0 is -9223372036854775808", "i32"));
  says("<u8", "U64", bytes_of_numbers<uint64_t>({1, 4294967296}), integer("1 is 4294967296", "u32"));
  says("<u8", "U64", bytes_of_numbers<uint64_t>({UINT64_MAX}), integer("0 is 18446744073709551615", "u32"));
  says("<f8", "F64", bytes_of_numbers<double>({0, 1e300, HUGE_VAL}), real("1 is 1e+300"));
  says("<f8", "F64", bytes_of_numbers<double>({-0x1.ffffffp127}), real("0 is -3.4028235677973366e+38"));
  std::vector<int64_t> last = many<int64_t>();
  last.back() = INT64_MAX;
  says("<i8", "I64", bytes_of_numbers(last), integer("300000 is 9223372036854775807", "i32"));
}

EG_TEST(NumberTypes, a_boolean_is_0_or_1) {
  std::string data(300'001, '\1');
  data.back() = '\2';
  const fs::path npy = write("x.npy", npy_bytes("|b1", "False", "(300001,)", data));
  EXPECT_ERROR(load_npy(npy), FileError,
               "[load_npy] cannot load " + npy.string() + ": boolean 300000 is stored as 2, neither 0 nor 1");
  const fs::path other = write("x.safetensors", safetensors_bytes("BOOL", "[300001]", data));
  EXPECT_ERROR(load_safetensors(other), FileError,
               "[load_safetensors] cannot load " + other.string() +
                   ": tensor \"x\": boolean 300000 is stored as 2, neither 0 nor 1");
}

}  // namespace
}  // namespace eglantine::test
