#include "io/element_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include "eglantine/error.hpp"
#include "element_types.hpp"

namespace eglantine::io {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied to and from the file as they are");

/// A float is rounded to the nearest; beyond the largest there is none.
template <class To, class From>
bool holds(From value) {
  if constexpr (std::is_integral_v<From>) return std::in_range<To>(value);
  return !std::isfinite(value) || std::isfinite(static_cast<To>(value));
}

template <class T>
std::string text_of(T value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

template <class To, class From>
[[noreturn]] void fail_value(From value, size_t position) {
  const std::string dtype(name_of(dtype_of<To>()));
  const std::string kind = std::is_integral_v<From> ? "integers" : "floats";
  const char* advice = std::is_integral_v<From> ? "convert them to floats, or make them smaller, before they are saved"
                                                : "make them smaller before they are saved";
  throw DTypeError("element " + std::to_string(position) + " is " + text_of(value) + ", which does not fit " + dtype +
                   ", and " + kind + " of " + std::to_string(8 * sizeof(From)) + " bits are read as " + dtype + ": " +
                   advice);
}

template <class From, class To>
void convert(const std::byte* from, std::byte* to, size_t count, size_t first) {
  const auto* values = reinterpret_cast<const From*>(from);
  auto* converted = reinterpret_cast<To*>(to);
  bool all_fit = true;
  for (size_t i = 0; i < count; ++i) {
    all_fit &= holds<To>(values[i]);
    converted[i] = static_cast<To>(values[i]);
  }
  if (all_fit) return;
  const From* odd = std::find_if_not(values, values + count, holds<To, From>);
  fail_value<To>(*odd, first + static_cast<size_t>(odd - values));
}

void copy_booleans(const std::byte* from, std::byte* to, size_t count, size_t first) {
  const std::byte* odd = std::find_if(from, from + count, [](std::byte each) { return each > std::byte{1}; });
  if (odd != from + count)
    throw FileError("boolean " + std::to_string(first + static_cast<size_t>(odd - from)) + " is stored as " +
                    std::to_string(std::to_integer<int>(*odd)) + ", neither 0 nor 1");
  std::copy_n(from, count, to);
}

constexpr std::array<ElementFormat, 13> formats{{
    {"BOOL", "b1", 1, DType::boolean, copy_booleans},
    {"U8", "u1", 1, DType::u8, nullptr},
    {"I8", "i1", 1, DType::i8, nullptr},
    {"I16", "i2", 2, DType::i32, convert<int16_t, int32_t>},
    {"U16", "u2", 2, DType::u32, convert<uint16_t, uint32_t>},
    {"F16", "f2", 2, DType::f16, nullptr},
    {"BF16", {}, 2, DType::bf16, nullptr},
    {"I32", "i4", 4, DType::i32, nullptr},
    {"U32", "u4", 4, DType::u32, nullptr},
    {"F32", "f4", 4, DType::f32, nullptr},
    {"F64", "f8", 8, DType::f32, convert<double, float>},
    {"I64", "i8", 8, DType::i32, convert<int64_t, int32_t>},
    {"U64", "u8", 8, DType::u32, convert<uint64_t, uint32_t>},
}};

/// The first format for which `is` holds.
template <class Is>
const ElementFormat* find(Is is) {
  const auto* found = std::find_if(formats.begin(), formats.end(), is);
  return found == formats.end() ? nullptr : found;
}

/// Of the formats whose name is not empty.
template <class Name>
std::string list(Name name) {
  std::string text;
  for (const ElementFormat& format : formats)
    if (const std::string called = name(format); !called.empty())
      text += (text.empty() ? "" : ", ") + called + " (" + std::string(name_of(format.dtype)) + ")";
  return text;
}

}  // namespace

const ElementFormat* find_numpy_format(std::string_view descr) {
  // A single byte has no order, and some programs write one all the same.
  const std::string_view orders = descr.ends_with('1') ? "|<>" : "<";
  if (descr.size() < 2 || orders.find(descr.front()) == std::string_view::npos) return nullptr;
  return find([&](const ElementFormat& format) { return format.numpy == descr.substr(1); });
}

const ElementFormat* find_safetensors_format(std::string_view name) {
  return find([&](const ElementFormat& format) { return format.safetensors == name; });
}

const ElementFormat& format_of(DType dtype) {
  const int64_t bytes = with_element_type(dtype, []<class T>() { return static_cast<int64_t>(sizeof(T)); });
  return *find([&](const ElementFormat& format) { return format.dtype == dtype && format.bytes == bytes; });
}

std::string numpy_descr(const ElementFormat& format) {
  return (format.bytes == 1 ? "|" : "<") + std::string(format.numpy);
}

std::string list_of_numpy_formats() {
  return list([](const ElementFormat& format) { return format.numpy.empty() ? "" : "'" + numpy_descr(format) + "'"; });
}

std::string list_of_safetensors_formats() {
  return list([](const ElementFormat& format) { return std::string(format.safetensors); });
}

}  // namespace eglantine::io
