#pragma once
#include <cstdint>
#include <cstdlib>
#include <vector>
namespace eglantine::gl {
inline int64_t experiment(int i, int64_t otherwise) {
  static const std::vector<int64_t> numbers = [] {
    std::vector<int64_t> all;
    const char* text = std::getenv("EG_X");
    for (char* end = nullptr; text != nullptr && *text != 0; text = *end == 0 ? end : end + 1)
      all.push_back(std::strtoll(text, &end, 10));
    return all;
  }();
  return static_cast<size_t>(i) < numbers.size() && numbers[static_cast<size_t>(i)] > 0
             ? numbers[static_cast<size_t>(i)]
             : otherwise;
}
}
