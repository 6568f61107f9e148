#include "text.hpp"

#include <cmath>
#include <cstdio>

std::string fixed(double value, int decimals) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string grouped(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, "\u202F");
  return digits;
}

std::string clock_text(double seconds) {
  const auto whole = std::llround(seconds);
  const auto two_digits = [](long long number) { return (number < 10 ? ":0" : ":") + std::to_string(number); };
  const std::string hours_and_minutes =
      whole < 3600 ? std::to_string(whole / 60) : std::to_string(whole / 3600) + two_digits(whole / 60 % 60);
  return hours_and_minutes + two_digits(whole % 60);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}
