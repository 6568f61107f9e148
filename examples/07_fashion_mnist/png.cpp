#include "png.hpp"

#include <zlib.h>

#include <stdexcept>
#include <string_view>

namespace {

void append_big_endian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xFF));
}

const Bytef* bytes_of(const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); }

/// A PNG chunk: length, type, data, and the CRC of type and data.
void append_chunk(std::string& out, std::string_view type, const std::string& data) {
  append_big_endian(out, static_cast<uint32_t>(data.size()));
  const std::string checked = std::string(type) + data;
  out += checked;
  append_big_endian(out, static_cast<uint32_t>(crc32(0, bytes_of(checked), static_cast<uInt>(checked.size()))));
}

std::string deflated(const std::string& raw) {
  uLongf length = compressBound(static_cast<uLong>(raw.size()));
  std::string out(length, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &length, bytes_of(raw), static_cast<uLong>(raw.size()), 9) !=
      Z_OK)
    throw std::runtime_error("zlib could not compress a picture");
  out.resize(length);
  return out;
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (size_t k = 0; k < 3; ++k) word = word << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) out.push_back(i + k > bytes.size() ? '=' : digits[word >> (18 - 6 * k) & 63]);
  }
  return out;
}

}  // namespace

std::string png_data_uri(std::span<const uint8_t> grey, uint32_t width, uint32_t height) {
  if (grey.size() != size_t{width} * height)
    throw std::invalid_argument("a picture of " + std::to_string(width) + " x " + std::to_string(height) + " has not " +
                                std::to_string(grey.size()) + " pixels");
  std::string header;
  append_big_endian(header, width);
  append_big_endian(header, height);
  header += std::string("\x08\x00\x00\x00\x00", 5);  // 8 bits, grey, deflate, filters by row, not interlaced

  std::string rows;
  for (size_t y = 0; y < height; ++y) {
    rows.push_back('\0');  // the row is stored as it is, without a filter
    rows.append(reinterpret_cast<const char*>(grey.data()) + y * width, width);
  }

  std::string png = "\x89PNG\r\n\x1A\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", deflated(rows));
  append_chunk(png, "IEND", "");
  return "data:image/png;base64," + base64(png);
}
