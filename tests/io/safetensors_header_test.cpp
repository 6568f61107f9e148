#include "io/safetensors_header.hpp"

#include <gtest/gtest.h>

#include "eglantine/error.hpp"
#include "support/compare.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

using io::make_safetensors_header;
using io::parse_safetensors_header;
using io::SafetensorsHeader;

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::string only(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "{" + entry("x", dtype, shape, offsets) + "}";
}

TEST(SafetensorsHeader, reads_tensors_in_the_order_of_their_elements) {
  const SafetensorsHeader header =
      parse_safetensors_header("{" + entry("a", "I64", "[1,2]", "[6,22]") + ", " + entry("b", "BOOL", "[6]", "[0,6]") +
                                   ",\n" + entry("c", "F32", "[]", "[22,26]") + "}   ",
                               26);
  ASSERT_EQ(header.parts.size(), 3U);
  EXPECT_EQ(header.parts[0].name, "b");
  EXPECT_EQ(header.parts[1].name, "a");
  EXPECT_EQ(header.parts[1].stored.format->safetensors, "I64");
  EXPECT_EQ(header.parts[1].stored.shape, Shape({1, 2}));
  EXPECT_EQ(header.parts[1].begin, 6U);
  EXPECT_EQ(header.parts[1].end, 22U);
  EXPECT_EQ(header.parts[2].stored.shape, Shape({}));
  EXPECT_TRUE(header.metadata.empty());
}

TEST(SafetensorsHeader, may_be_empty) {
  EXPECT_TRUE(parse_safetensors_header("{}", 0).parts.empty());
  EXPECT_TRUE(parse_safetensors_header(R"({"__metadata__":{}}     )", 0).metadata.empty());
}

TEST(SafetensorsHeader, tensors_without_elements_lie_anywhere_between_others) {
  const SafetensorsHeader header =
      parse_safetensors_header("{" + entry("a", "F32", "[2]", "[0,8]") + "," + entry("b", "F32", "[0]", "[8,8]") + "," +
                                   entry("c", "F64", "[3,0]", "[0,0]") + "," + entry("d", "I32", "[1]", "[8,12]") + "}",
                               12);
  EXPECT_EQ(header.parts.size(), 4U);
  EXPECT_EQ(header.parts[0].name, "c");
}

TEST(SafetensorsHeader, reads_metadata_and_names_of_any_characters) {
  const SafetensorsHeader header =
      parse_safetensors_header(R"({"__metadata__":{"format":"pt","":"ä\n\u00e4\ud83c\udf39"},)" +
                                   entry(R"(\"\\/\u0000é)", "F32", "[1]", "[0,4]") + "}",
                               4);
  EXPECT_EQ(header.metadata.at("format"), "pt");
  EXPECT_EQ(header.metadata.at(""), "ä\nä🌹");
  EXPECT_EQ(header.parts[0].name, std::string("\"\\/\0é", 6));
}

struct Wrong {
  std::string text, problem;
  uint64_t data_bytes = 8;
};

TEST(SafetensorsHeader, that_is_no_JSON_is_rejected) {
  const std::string json = "its header is no JSON, at byte ";
  const std::string not_begun = "its header does not begin with {, as a safetensors header does";
  for (const Wrong& wrong : std::vector<Wrong>{
           {"", not_begun},
           {"[]", not_begun},
           {" {}", not_begun},
           {"\xef\xbb\xbf{}", not_begun},
           {"{", json + "1"},
           {"{}}", json + "2"},
           {"{} x", json + "3"},
           {std::string("{}\0 ", 4), json + "2"},
           {std::string("{\"\0\":1}", 7), json + "2"},
           {"{\"x\":\"\xff\"}", json + "6"},
           {"{\"\xc3\":1}", json + "3"},
           {"{\"x\":\"\xed\xa0\x80\"}", json + "7"},
           {R"({"x":"\ud83c"})", json + "12"},
           {"{\"x\":\"\n\"}", json + "6"},
           {R"({"x":1,})", json + "7"},
           {R"({"x" 1})", json + "5"},
           {"{'x':1}", json + "1"},
           {R"({"x":NaN})", json + "5"},
           {R"({"x":/**/1})", json + "5"},
           {R"({"x":1e999})", "its header has a number that is larger than any"},
           {R"({"x":1,"x":2})", "its header has the key \"x\" twice in one object"},
           {R"({"x":1,"\u0078":2})", "its header has the key \"x\" twice in one object"},
           {R"({"__metadata__":{"a":"","a":""}})", "its header has the key \"a\" twice in one object"},
           {R"({"x":{"shape":[[1]]}})", "its header is nested deeper than 3, which no safetensors header is"},
           {R"({"x":)" + std::string(1'000'000, '['),
            "its header is nested deeper than 3, which no safetensors header is"},
       }) {
    SCOPED_TRACE(wrong.text.substr(0, 40));
    EXPECT_ERROR(parse_safetensors_header(wrong.text, 8), FileError, wrong.problem);
  }
}

TEST(SafetensorsHeader, that_describes_no_tensors_is_rejected) {
  const std::string shape = "tensor \"x\": its shape is no list of whole numbers from 0 to 2^63 - 1";
  const std::string offsets =
      "tensor \"x\": its data_offsets are not two numbers, the second no smaller than the first";
  for (const Wrong& wrong : std::vector<Wrong>{
           {R"({"x":1})", "tensor \"x\": it is described by no object"},
           {R"({"x":null})", "tensor \"x\": it is described by no object"},
           {R"({"x":{}})", "tensor \"x\": it has no \"dtype\""},
           {R"({"x":{"dtype":"F32"}})", "tensor \"x\": it has no \"shape\""},
           {R"({"x":{"dtype":"F32","shape":[]}})", "tensor \"x\": it has no \"data_offsets\""},
           {R"({"x":{"dtype":"F32","shape":[],"data_offsets":[0,4],"order":"C"}})",
            "tensor \"x\": it has the unknown key \"order\""},
           {R"({"\u0001":{"dtype":1}})", R"(tensor "\x01": its dtype is no string)"},
           {only("F32", "2", "[0,8]"), shape},
           {only("F32", "[-2]", "[0,8]"), shape},
           {only("F32", "[2.0]", "[0,8]"), shape},
           {only("F32", R"(["2"])", "[0,8]"), shape},
           {only("F32", "[9223372036854775808]", "[0,8]"), shape},
           {only("F32", "[99999999999999999999]", "[0,8]"), shape},
           {only("F32", "[4294967296,4294967296]", "[0,8]"), "tensor \"x\": its shape has more elements than 2^60"},
           {only("F32", "[0,4294967296,4294967296]", "[0,0]"), "tensor \"x\": its shape has more elements than 2^60"},
           {only("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), "tensor \"x\": it has 9 axes, and a tensor at most 8"},
           {only("F32", "[2]", "[0]"), offsets},
           {only("F32", "[2]", "[0,8,16]"), offsets},
           {only("F32", "[2]", "[8,0]"), offsets},
           {only("F32", "[2]", "8"), "tensor \"x\": its data_offsets is no list of whole numbers from 0 to 2^63 - 1"},
           {only("F32", "[2]", "[0,9]"),
            "tensor \"x\": its 2 elements of F32 take 8 bytes, and its data_offsets give it 9"},
           {only("F64", "[2]", "[0,8]"),
            "tensor \"x\": its 2 elements of F64 take 16 bytes, and its data_offsets give it 8"},
           {R"({"__metadata__":1})", "its __metadata__ is no object"},
           {R"({"__metadata__":{"a":1}})", "its __metadata__ of \"a\" is no string"},
           {R"({"__metadata__":{"a":null}})", "its __metadata__ of \"a\" is no string"},
       }) {
    SCOPED_TRACE(wrong.text);
    EXPECT_ERROR(parse_safetensors_header(wrong.text, 8), FileError, wrong.problem);
  }
}

TEST(SafetensorsHeader, names_a_dtype_that_no_tensor_has) {
  for (const std::string dtype : {"F8_E4M3", "F4", "C64", "f32", "", "F32 "})
    EXPECT_ERROR(parse_safetensors_header(only(dtype, "[2]", "[0,8]"), 8), FileError,
                 "tensor \"x\": its dtype is \"" + dtype + "\"; Eglantine reads " + io::list_of_safetensors_formats() +
                     ": convert it before it is saved");
  EXPECT_EQ(io::list_of_safetensors_formats(),
            "BOOL (boolean), U8 (u8), I8 (i8), I16 (i32), U16 (u32), F16 (f16), BF16 (bf16), I32 (i32), U32 (u32), F32 "
            "(f32), F64 (f32), I64 (i32), U64 (u32)");
}

TEST(SafetensorsHeader, parts_that_overlap_or_leave_holes_are_rejected) {
  const auto two = [](const std::string& a, const std::string& b) {
    return "{" + entry("a", "F32", "[2]", a) + "," + entry("b", "F32", "[2]", b) + "}";
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {two("[0,8]", "[4,12]"), "tensors \"a\" and \"b\" overlap", 12},
           {two("[0,8]", "[0,8]"), "tensors \"a\" and \"b\" overlap", 8},
           {two("[8,16]", "[0,8]"), "it is truncated: its tensors take 16 bytes, and 15 follow the header", 15},
           {two("[0,8]", "[12,20]"), "bytes 8 to 12 of its data belong to no tensor", 20},
           {two("[4,12]", "[12,20]"), "bytes 0 to 4 of its data belong to no tensor", 20},
           {two("[0,8]", "[8,16]"), "it has bytes left over: its tensors take 16 bytes, and 17 follow the header", 17},
           {only("F32", "[0]", "[4,4]"), "bytes 0 to 4 of its data belong to no tensor", 4},
           {only("F32", "[1152921504606846975]", "[0,4611686018427387900]"),
            "it is truncated: its tensors take 4611686018427387900 bytes, and 8 follow the header", 8},
           {"{}", "it has bytes left over: its tensors take 0 bytes, and 1 follow the header", 1},
       }) {
    SCOPED_TRACE(wrong.text);
    EXPECT_ERROR(parse_safetensors_header(wrong.text, wrong.data_bytes), FileError, wrong.problem);
  }
}

SafetensorsHeader header_of(const std::string& name, std::map<std::string, std::string> metadata = {}) {
  return {{{name, {&io::format_of(DType::f32), Shape{2}}}}, std::move(metadata)};
}

TEST(SafetensorsHeader, what_is_written_is_read_and_ends_on_8_bytes) {
  for (const std::string& name :
       {std::string(), std::string("x"), std::string("a\"\\\n\0\x7f", 6), std::string("ä🌹")}) {
    SafetensorsHeader header = header_of(name, {{"key", "value of " + name}, {name, ""}});
    const std::string bytes = make_safetensors_header(header);
    EXPECT_EQ(bytes.size() % 8, 0U);
    const SafetensorsHeader read = parse_safetensors_header(std::string_view(bytes).substr(8), 8);
    EXPECT_EQ(read.parts[0].name, name);
    EXPECT_EQ(read.parts[0].end, 8U);
    EXPECT_EQ(read.metadata, header.metadata);
  }
}

TEST(SafetensorsHeader, that_cannot_be_written_says_why) {
  const auto says = [](SafetensorsHeader header, const std::string& problem) {
    EXPECT_ERROR(make_safetensors_header(header), FileError, problem);
  };
  says(header_of("\xff"), "the name \"\xff\" is not UTF-8");
  says(header_of("x", {{"\xc3", ""}}), "the metadata's key \"\xc3\" is not UTF-8");
  says(header_of("x", {{"key", "\xed\xa0\x80"}}), "the metadata of \"key\", \"\xed\xa0\x80\" is not UTF-8");
  says(header_of("__metadata__"), "no tensor can have the name __metadata__, which is the metadata's");
  says(header_of("x", {{"key", std::string(100'000'000, 'v')}}),
       "its header takes 100000080 bytes; safetensors headers have up to 100000000");
}

/// For any text the parser returns a header or throws FileError; the sanitizers check how.
TEST(SafetensorsHeader, survives_damaged_headers) {
  Random random(1);
  const std::string whole = R"({"__metadata__":{"a":"b"},)" + entry("x", "F32", "[2,1]", "[0,8]") + "," +
                            entry("y", "BOOL", "[3]", "[8,11]") + "}";
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged =
        whole.substr(0, static_cast<size_t>(random.integer(0, static_cast<int64_t>(whole.size()) + 9)));
    for (int64_t edits = random.integer(0, 3); edits > 0 && !damaged.empty(); --edits) {
      const auto at = static_cast<size_t>(random.integer(0, static_cast<int64_t>(damaged.size()) - 1));
      damaged[at] = random.word() % 2 == 0 ? whole[random.word() % whole.size()] : static_cast<char>(random.word());
    }
    try {
      accepted += static_cast<int>(parse_safetensors_header(damaged, 11).parts.size());
    } catch (const FileError&) {
    }
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace eglantine::test
