#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace eglantine::gl {

/// Two digits a byte: "00ff".
inline std::string hexadecimal(std::span<const uint8_t> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace eglantine::gl
