#pragma once

#include <string>
#include <string_view>

namespace eglantine::profile {

/// A JSON string: quoted, with control characters escaped. Bytes above 127 pass as they are, so UTF-8 stays UTF-8.
std::string json_text(std::string_view text);

/// A JSON number with at most `digits` significant digits; null for what JSON has no word for (NaN, infinity).
std::string json_number(double value, int digits = 9);

}  // namespace eglantine::profile
