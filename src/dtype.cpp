#include "eglantine/dtype.hpp"

#include <array>
#include <ostream>
#include <string>

#include "eglantine/error.hpp"

namespace eglantine {

namespace {

constexpr std::array<std::string_view, 8> names{"f32", "i32", "u32", "boolean", "f16", "bf16", "i8", "u8"};

size_t number_of(const char* function, DType dtype) {
  if (static_cast<size_t>(dtype) < names.size()) return static_cast<size_t>(dtype);
  throw DTypeError("[" + std::string(function) + "] " + std::to_string(static_cast<int>(dtype)) +
                   " is no dtype; there are f32, i32, u32, boolean, f16, bf16, i8 and u8");
}

}  // namespace

int64_t size_of(DType dtype) {
  constexpr std::array<int64_t, 8> bytes{4, 4, 4, 4, 2, 2, 1, 1};
  return bytes[number_of("size_of", dtype)];
}

std::string_view name_of(DType dtype) { return names[number_of("name_of", dtype)]; }
std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name_of(dtype); }

}  // namespace eglantine
