#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// `value` with so many decimals: fixed(0.87123, 2) is "0.87".
std::string fixed(double value, int decimals);

/// With a thin gap between thousands, for HTML: "60 000".
std::string grouped(int64_t value);

/// A time in minutes and seconds, "1:12", and hours where there are any, "2:01:12".
std::string clock_text(double seconds);

/// Safe inside HTML text and quoted attributes: & < > " are replaced.
std::string escaped(std::string_view text);
