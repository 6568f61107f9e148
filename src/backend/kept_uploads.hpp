#pragma once

#include <cstdint>
#include <list>
#include <utility>
#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// What verbs upload again and again, since it follows from a few words alone: tables of indices and weights, say. The
/// last ones that were asked for, of most_bytes in all; what is larger than an eighth of these is not kept.
class KeptUploads {
 public:
  using Words = std::vector<int64_t>;
  using Buffers = std::vector<std::pair<Shape, Stored>>;
  static constexpr int64_t most_bytes = int64_t{4} << 20;

  const Buffers* find(const Words& words);  ///< null where they are unknown, or what they led to has no contents
  void add(const Words& words, Buffers made);
  void clear() { kept_.clear(), bytes_ = 0; }

 private:
  static constexpr size_t most_kept = 64;
  struct Kept {
    Words words;
    Buffers buffers;
    int64_t bytes;
  };
  std::list<Kept> kept_;  ///< the last used first
  int64_t bytes_ = 0;
};

}  // namespace eglantine
