#pragma once

#include "eglantine/dtype.hpp"

namespace eglantine {

/// f(T{}) with the C++ type T that stores `dtype`.
template <class F>
auto with_element_type(DType dtype, F f) {
  switch (dtype) {
    case DType::i32:
      return f(int32_t{});
    case DType::u32:
      return f(uint32_t{});
    case DType::boolean:
      return f(bool{});
    case DType::f32:
      break;
  }
  return f(float{});
}

}  // namespace eglantine
