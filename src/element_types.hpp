#pragma once

#include "eglantine/dtype.hpp"

namespace eglantine {

/// f.operator()<T>() with the C++ type T that stores `dtype`.
template <class F>
auto with_element_type(DType dtype, F f) {
  switch (dtype) {
    case DType::i32:
      return f.template operator()<int32_t>();
    case DType::u32:
      return f.template operator()<uint32_t>();
    case DType::boolean:
      return f.template operator()<bool>();
    case DType::f32:
      break;
  }
  return f.template operator()<float>();
}

}  // namespace eglantine
