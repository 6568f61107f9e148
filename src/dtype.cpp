#include "eglantine/dtype.hpp"

#include <string>

#include "eglantine/error.hpp"

namespace eglantine {

namespace {

[[noreturn]] void fail(const char* function, DType dtype) {
  throw DTypeError("[" + std::string(function) + "] " + std::to_string(static_cast<int>(dtype)) +
                   " is no dtype; there are f32, i32, u32 and boolean");
}

}  // namespace

int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::i32:
    case DType::u32:
    case DType::boolean:
      return 4;
  }
  fail("size_of", dtype);
}

std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "f32";
    case DType::i32:
      return "i32";
    case DType::u32:
      return "u32";
    case DType::boolean:
      return "boolean";
  }
  fail("name_of", dtype);
}

}  // namespace eglantine
