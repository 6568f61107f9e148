#include "io/npy_header.hpp"

#include <array>
#include <charconv>
#include <vector>

#include "eglantine/error.hpp"

namespace eglantine::io {
namespace {

using namespace std::literals;

constexpr std::string_view magic = "\x93NUMPY"sv;

/// Parses the Python literals that a header may hold.
class NpyHeaderReader {
 public:
  explicit NpyHeaderReader(std::string_view text) : text_(text) {}

  bool accept(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail("expected " + std::string(token));
  }

  std::string_view string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    if (quote != '\'' && quote != '"') fail("expected a string");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string does not end");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  int64_t length() {
    skip_blanks();
    int64_t value = 0;
    const char* first = text_.data() + at_;
    const auto [last, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a length passes 2^63 - 1");
    if (error != std::errc() || value < 0) fail("expected a length, 0 or more");
    at_ += static_cast<size_t>(last - first);
    return value;
  }

  void expect_end() {
    skip_blanks();
    if (at_ != text_.size()) fail("something follows the dictionary");
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw FileError("its header is not as NumPy writes it, at byte " + std::to_string(at_) + ": " + problem);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

void read_descr(NpyHeaderReader& reader, StoredTensor& stored) {
  if (reader.accept("[")) throw FileError("it holds records of several fields; save one field at a time");
  const std::string_view descr = reader.string();
  stored.big_endian = descr.starts_with('>');
  stored.format = find_numpy_format(stored.big_endian ? "<" + std::string(descr.substr(1)) : std::string(descr));
  if (stored.format != nullptr) return;
  const std::string quoted = "'" + std::string(descr) + "'";
  if (descr.size() > 1 && descr[1] == 'c')
    throw FileError("it holds complex numbers, " + quoted + "; save their .real and .imag as two arrays");
  throw FileError("its dtype is " + quoted + "; Eglantine reads " + list_of_numpy_formats() +
                  " of either byte order: convert it in NumPy with astype");
}

bool read_bool(NpyHeaderReader& reader) {
  if (reader.accept("True")) return true;
  reader.expect("False");
  return false;
}

Shape read_shape(NpyHeaderReader& reader) {
  std::vector<int64_t> lengths;
  reader.expect("(");
  while (!reader.accept(")")) {
    lengths.push_back(reader.length());
    const bool comma = reader.accept(",");
    if (!comma && lengths.size() == 1) reader.fail("a tuple of one length ends in a comma");
    if (!comma) {
      reader.expect(")");
      break;
    }
  }
  return checked_shape(lengths);
}

size_t little_endian(std::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

NpyRange npy_dictionary_range(std::string_view start) {
  if (start.substr(0, magic.size()) != magic) throw FileError("it does not begin as a .npy file does");
  const std::string_view rest = start.substr(magic.size());
  if (rest.size() < 2) throw FileError("it is truncated in the first bytes");
  const int major = static_cast<unsigned char>(rest[0]);
  const int minor = static_cast<unsigned char>(rest[1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw FileError("its format is " + std::to_string(major) + "." + std::to_string(minor) +
                    "; Eglantine reads 1.0, 2.0 and 3.0");
  }
  const size_t width = major == 1 ? 2 : 4;
  if (rest.size() < 2 + width) throw FileError("it is truncated in the first bytes");
  const size_t begin = magic.size() + 2 + width;
  return {begin, begin + little_endian(rest.substr(2, width))};
}

StoredTensor parse_npy_dictionary(std::string_view dictionary) {
  NpyHeaderReader reader(dictionary);
  StoredTensor header;
  std::array<bool, 3> seen{};
  const auto once = [&](size_t key, std::string_view name) {
    if (seen[key]) reader.fail("'" + std::string(name) + "' comes twice");
    seen[key] = true;
  };
  reader.expect("{");
  while (!reader.accept("}")) {
    const std::string_view key = reader.string();
    reader.expect(":");
    if (key == "descr") {
      once(0, key);
      read_descr(reader, header);
    } else if (key == "fortran_order") {
      once(1, key);
      header.column_major = read_bool(reader);
    } else if (key == "shape") {
      once(2, key);
      header.shape = read_shape(reader);
    } else {
      reader.fail("unknown key '" + std::string(key) + "'");
    }
    if (!reader.accept(",")) {
      reader.expect("}");
      break;
    }
  }
  if (!seen[0] || !seen[1] || !seen[2]) reader.fail("it needs the keys 'descr', 'fortran_order' and 'shape'");
  reader.expect_end();
  return header;
}

std::string make_npy_header(DType dtype, const Shape& shape) {
  std::string dictionary =
      "{'descr': '" + numpy_descr(format_of(dtype)) + "', 'fortran_order': False, 'shape': " + to_string(shape) + ", }";
  const size_t before = magic.size() + 4;
  const size_t padded = (before + dictionary.size() + 1 + 63) / 64 * 64 - before;
  dictionary.resize(padded - 1, ' ');
  dictionary += '\n';
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(padded & 0xff), static_cast<char>(padded >> 8)};
  return header + dictionary;
}

}  // namespace eglantine::io
