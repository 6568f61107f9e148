#pragma once

#include <string>
#include <string_view>

namespace eglantine::profile {

/// A JSON string: quoted, control characters escaped. Bytes above 127 are copied, so UTF-8 stays UTF-8.
std::string json_text(std::string_view text);

/// A JSON number with at most `digits` significant digits; null for NaN and infinities, which JSON lacks.
std::string json_number(double value, int digits = 9);

}  // namespace eglantine::profile
