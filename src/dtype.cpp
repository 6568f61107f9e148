#include "eglantine/dtype.hpp"

namespace eglantine {

int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::i32:
    case DType::u32:
    case DType::boolean:
      return 4;
  }
  return 0;
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
  return "";
}

}  // namespace eglantine
