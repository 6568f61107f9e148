#pragma once

#include <string_view>

#include "eglantine/grad.hpp"

namespace eglantine::derivatives {

/// Throws Error where floats among the results were made from an input of a derivative that is being taken. Of a
/// function that was called with constants: it has captured what it should have been given, and the derivative by that
/// would be lost.
void require_no_captures(std::string_view function, const Tensors& results);

}  // namespace eglantine::derivatives
