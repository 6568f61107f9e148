#include "eglantine/spatial.hpp"

#include <string>

#include "eglantine/error.hpp"

namespace eglantine {

void PerAxis::fail_number(uint64_t number) {
  throw ShapeError("[PerAxis] " + std::to_string(number) + " is beyond int64_t");
}

}  // namespace eglantine
