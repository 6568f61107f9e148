#pragma once

#include <functional>
#include <string>

/// Parts of the texts of attention and of its gradient.
namespace eglantine::lower {

inline std::string component(int i) { return std::string(".") + "xyzw"[static_cast<size_t>(i)]; }
inline std::string u(int number) { return std::to_string(number) + "u"; }

/// The text for each of `count` numbers.
inline std::string each(int count, const std::function<std::string(int)>& text) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text(i);
  return result;
}

/// to += scalar * vector. fused: by fma(), which no compiler makes of sums that lead to a precise function.
inline std::string plus_product(bool fused, const std::string& to, const std::string& scalar,
                                const std::string& vector) {
  if (fused) return to + " = fma(vec4(" + scalar + "), " + vector + ", " + to + "); ";
  return to + " += " + scalar + " * " + vector + "; ";
}

}  // namespace eglantine::lower
