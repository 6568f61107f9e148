#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "eglantine/dtype.hpp"

/// How a dtype is written in GLSL. A boolean is `bool` in values and a `uint` 0 or 1 in buffers.
namespace eglantine::codegen {

std::string_view value_type(DType dtype, int width);  ///< float, int, uint, bool; vec4, ...; and of width 2
std::string_view stored_type(DType dtype, int width);
std::string_view sampler_type(DType dtype);  ///< of a texture buffer of stored elements

/// The expression `text`, stored as dtype `stored`, as a value of `dtype`; and back. Different dtypes keep the bits.
std::string from_stored(DType stored, DType dtype, int width, const std::string& text);
std::string to_stored(DType dtype, DType stored, int width, const std::string& text);

/// The value whose bits the uint expression `text` holds, and the bits of the value `text`.
std::string from_bits(DType dtype, const std::string& text);
std::string to_bits(DType dtype, const std::string& text);

/// The `bits` of the word x from bit `from` on, at bit `to`, with zeros around.
std::string moved_bits(const std::string& x, int64_t from, int64_t to, int64_t bits);

inline constexpr std::string_view components_of_vec4 = "xyzw";

/// Whether a name in GLSL may hold the letter.
inline bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string literal(uint64_t value);  ///< "1234u"

/// A name: its prefix and a number, or the number of a group and a place in it, which may be negative.
inline std::string numbered(const char* prefix, int number) { return prefix + std::to_string(number); }
std::string numbered(const char* prefix, size_t group, int64_t place);

}  // namespace eglantine::codegen
