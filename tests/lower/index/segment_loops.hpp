#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eglantine::test {

constexpr uint32_t nowhere = 0xffffffff;
constexpr size_t run_length = 32;

struct Pair {
  uint32_t key;
  float value;
};

/// The order in which sorted pairs are added, as loops: see glsl/index/scatter_segments.comp.
inline void add_level(const std::vector<Pair>& pairs, std::vector<float>& sums) {
  std::vector<Pair> ends;
  for (size_t first = 0; first < pairs.size(); first += run_length) {
    const size_t end = first + run_length < pairs.size() ? first + run_length : pairs.size();
    Pair before{nowhere, -0.0F}, after{nowhere, -0.0F};
    for (size_t at = first; at < end;) {
      const uint32_t key = pairs[at].key;
      const bool began = at == first && first > 0 && pairs[first - 1].key == key;
      float sum = -0.0F;
      for (; at < end && pairs[at].key == key; ++at) sum += pairs[at].value;
      const bool goes_on = at == end && end < pairs.size() && pairs[end].key == key;
      if (began) before = {key, sum};
      if (goes_on) after = {key, began ? -0.0F : sum};
      if (!began && !goes_on && key < sums.size()) sums[key] += sum;
    }
    ends.push_back(before);
    ends.push_back(after);
  }
  if (ends.size() > 2) add_level(ends, sums);
}

}  // namespace eglantine::test
