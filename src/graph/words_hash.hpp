#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eglantine {

/// Of a structure written as words. Products do not wait for one another.
struct WordsHash {
  size_t operator()(const std::vector<int64_t>& words) const {
    constexpr uint64_t golden = 0x9E3779B97F4A7C15;
    uint64_t hash = words.size(), factor = golden;
    for (const int64_t word : words) {
      hash += (static_cast<uint64_t>(word) ^ (static_cast<uint64_t>(word) >> 29)) * factor;
      factor += 2 * golden;
    }
    return hash ^ (hash >> 32);
  }
};

}  // namespace eglantine
