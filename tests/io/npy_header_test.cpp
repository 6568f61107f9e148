#include "io/npy_header.hpp"

#include <gtest/gtest.h>

#include "eglantine/error.hpp"
#include "support/compare.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

using io::make_npy_header;
using io::npy_dictionary_range;
using io::parse_npy_dictionary;
using io::StoredTensor;

std::string dictionary(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n";
}

StoredTensor with_shape(const std::string& shape) { return parse_npy_dictionary(dictionary("<f4", "False", shape)); }

TEST(NpyHeader, reads_what_numpy_writes) {
  const StoredTensor header = parse_npy_dictionary(dictionary("<i4", "True", "(3, 4)"));
  EXPECT_EQ(header.format->dtype, DType::i32);
  EXPECT_TRUE(header.column_major);
  EXPECT_EQ(header.shape, Shape({3, 4}));
}

TEST(NpyHeader, knows_every_number_type) {
  const std::vector<std::pair<std::string, DType>> types{
      {"|b1", DType::boolean}, {"|i1", DType::i8},  {"<i2", DType::i32}, {"<i4", DType::i32},
      {"<i8", DType::i32},     {"|u1", DType::u8},  {"<u2", DType::u32}, {"<u4", DType::u32},
      {"<u8", DType::u32},     {"<f2", DType::f16}, {"<f4", DType::f32}, {"<f8", DType::f32}};
  for (const auto& [descr, dtype] : types) {
    const StoredTensor header = parse_npy_dictionary(dictionary(descr, "False", "(3,)"));
    EXPECT_EQ(header.format->dtype, dtype) << descr;
    EXPECT_EQ(header.bytes(), 3 * (descr.back() - '0')) << descr;
  }
}

/// A single byte has no order: some programs write one all the same.
TEST(NpyHeader, ignores_the_byte_order_of_bytes) {
  for (const std::string order : {"|", "<", ">"})
    EXPECT_EQ(parse_npy_dictionary(dictionary(order + "b1", "False", "()")).format->dtype, DType::boolean) << order;
}

TEST(NpyHeader, reads_every_rank) {
  EXPECT_EQ(with_shape("()").shape, Shape({}));
  EXPECT_EQ(with_shape("(3,)").shape, Shape({3}));
  EXPECT_EQ(with_shape("(0, 3)").shape, Shape({0, 3}));
  EXPECT_EQ(with_shape("(1,2,3,)").shape, Shape({1, 2, 3}));
  EXPECT_EQ(with_shape("(1, 2, 3, 4, 5, 6, 7, 8)").shape.rank(), 8);
}

TEST(NpyHeader, takes_keys_in_any_order_and_either_quote) {
  const StoredTensor header = parse_npy_dictionary(R"({"shape":(2,),"fortran_order":False,'descr':"<u4"})");
  EXPECT_EQ(header.format->dtype, DType::u32);
  EXPECT_EQ(header.shape, Shape({2}));
}

TEST(NpyHeader, names_a_dtype_that_no_tensor_has) {
  const auto of = [](const std::string& descr) { return parse_npy_dictionary(dictionary(descr, "False", "()")); };
  const std::string rest =
      "'; Eglantine reads " + io::list_of_numpy_formats() + " of either byte order: convert it in NumPy with astype";
  for (const std::string descr :
       {"<f16", "|f4", "=f4", "f4", "", "<", "<f", "<U3", "|S1", "|O", "<M8", "<i16", "<b1 ", ">f16", ">", ">U3"})
    EXPECT_ERROR(of(descr), FileError, "its dtype is '" + descr + rest);
  for (const std::string descr : {"<c8", "<c16", ">c8"})
    EXPECT_ERROR(of(descr), FileError,
                 "it holds complex numbers, '" + descr + "'; save their .real and .imag as two arrays");
  EXPECT_ERROR(parse_npy_dictionary("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }"), FileError,
               "it holds records of several fields; save one field at a time");
}

TEST(NpyHeader, lists_the_dtypes_that_it_reads) {
  EXPECT_EQ(io::list_of_numpy_formats(),
            "'|b1' (boolean), '|u1' (u8), '|i1' (i8), '<i2' (i32), '<u2' (u32), '<f2' (f16), '<i4' (i32), '<u4' (u32), "
            "'<f4' (f32), '<f8' (f32), '<i8' (i32), '<u8' (u32)");
}

TEST(NpyHeader, rejects_shapes_that_no_tensor_has) {
  EXPECT_ERROR(with_shape("(1, 1, 1, 1, 1, 1, 1, 1, 1)"), FileError, "it has 9 axes, and a tensor at most 8");
  EXPECT_ERROR(with_shape("(2147483648, 2147483648)"), FileError, "its shape has more elements than 2^60");
}

TEST(NpyHeader, says_where_a_header_goes_wrong) {
  const std::string at = "its header is not as NumPy writes it, at byte ";
  EXPECT_ERROR(parse_npy_dictionary(""), FileError, at + "0: expected {");
  EXPECT_ERROR(with_shape("(3)"), FileError, at + "52: a tuple of one length ends in a comma");
  EXPECT_ERROR(with_shape("(-1,)"), FileError, at + "51: expected a length, 0 or more");
  EXPECT_ERROR(with_shape("(99999999999999999999,)"), FileError, at + "51: a length passes 2^63 - 1");
  EXPECT_ERROR(parse_npy_dictionary("{'descr': '<f4', 'descr': '<f4'}"), FileError, at + "25: 'descr' comes twice");
  EXPECT_ERROR(parse_npy_dictionary("{'descr': '<f4'}"), FileError,
               at + "16: it needs the keys 'descr', 'fortran_order' and 'shape'");
  EXPECT_ERROR(parse_npy_dictionary("{'color': 1}"), FileError, at + "9: unknown key 'color'");
  EXPECT_ERROR(parse_npy_dictionary("{'descr"), FileError, at + "1: a string does not end");
  EXPECT_ERROR(parse_npy_dictionary(dictionary("<f4", "False", "()") + "x"), FileError,
               at + "58: something follows the dictionary");
  EXPECT_ERROR(parse_npy_dictionary(dictionary("<f4", "0", "()")), FileError, at + "34: expected False");
}

TEST(NpyHeader, finds_the_dictionary_in_each_format) {
  const auto range = [](std::string_view start) { return npy_dictionary_range(start); };
  EXPECT_EQ(range({"\x93NUMPY\x01\x00\x76\x00{'", 12}).begin, 10U);
  EXPECT_EQ(range({"\x93NUMPY\x01\x00\x76\x00{'", 12}).end, 128U);
  EXPECT_EQ(range({"\x93NUMPY\x02\x00\x00\x00\x01\x00", 12}).end, 12U + 65536U);
  EXPECT_EQ(range({"\x93NUMPY\x03\x00\xff\xff\xff\xff", 12}).end, size_t{12} + 0xffffffffU);
}

TEST(NpyHeader, rejects_what_is_no_npy_file) {
  EXPECT_ERROR(npy_dictionary_range(""), FileError, "it does not begin as a .npy file does");
  EXPECT_ERROR(npy_dictionary_range("PK\x03\x04 a zip."), FileError, "it does not begin as a .npy file does");
  EXPECT_ERROR(npy_dictionary_range({"\x93NUMPY\x01", 7}), FileError, "it is truncated in the first bytes");
  EXPECT_ERROR(npy_dictionary_range({"\x93NUMPY\x02\x00\x10\x00", 10}), FileError,
               "it is truncated in the first bytes");
  EXPECT_ERROR(npy_dictionary_range({"\x93NUMPY\x04\x00\x10\x00\x00\x00", 12}), FileError,
               "its format is 4.0; Eglantine reads 1.0, 2.0 and 3.0");
}

TEST(NpyHeader, what_is_written_is_read_and_ends_on_64_bytes) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{13}, Shape{3, 4}, Shape{1, 2, 3, 4, 5, 6, 7, 1LL << 40}}) {
    const std::string header = make_npy_header(DType::u32, shape);
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.back(), '\n');
    const io::NpyRange range = npy_dictionary_range(std::string_view(header).substr(0, io::npy_preamble_bytes));
    EXPECT_EQ(range.end, header.size());
    const StoredTensor read = parse_npy_dictionary(std::string_view(header).substr(range.begin));
    EXPECT_EQ(read.format->dtype, DType::u32);
    EXPECT_FALSE(read.column_major);
    EXPECT_EQ(read.shape, shape);
  }
}

/// For any bytes the parser returns a header or throws FileError; the sanitizers check how.
TEST(NpyHeader, survives_damaged_headers) {
  Random random(1);
  const std::string whole = dictionary("<f4", "True", "(12, 345, 6)");
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = whole.substr(0, static_cast<size_t>(random.integer(0, static_cast<int64_t>(whole.size()))));
    for (int64_t edits = random.integer(0, 3); edits > 0 && !damaged.empty(); --edits) {
      const auto at = static_cast<size_t>(random.integer(0, static_cast<int64_t>(damaged.size()) - 1));
      damaged[at] = random.word() % 2 == 0 ? whole[random.word() % whole.size()] : static_cast<char>(random.word());
    }
    try {
      accepted += parse_npy_dictionary(damaged).shape.rank() >= 0 ? 1 : 0;
    } catch (const FileError&) {
    }
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace eglantine::test
