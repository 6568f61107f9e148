#pragma once

#include <string>
#include <vector>

#include "perf/drawn/drawn.hpp"

namespace eglantine::perf::drawn {

/// The works of a set differ in what a call reads and writes, log-uniform. Nothing else decides what is drawn.
struct SizeClass {
  std::string set;
  int64_t least_bytes, most_bytes;
  /// Works of more arithmetic are drawn again for half of the bytes, until they have less.
  double most_operations;
  /// One work after another is of the next family; else the family is drawn, each being equally likely.
  bool in_turn = false;
};

/// drawn: 1 MiB to 2 GiB, for hardware. drawn_small: 1 KiB to 1 MiB, where the host counts. drawn_software: 64 KiB to
/// 64 MiB, for llvmpipe and processors. drawn_smoke: up to 8 KiB, for tests, each family in turn.
const std::vector<SizeClass>& size_classes();
/// The class of a set; none for a set that is not drawn.
const SizeClass* size_class_of(const std::string& set);

/// Work `index` of a seed. Where bytes are given a smaller one of the same family, verb, types and layouts: the same
/// dice fall, for fewer bytes.
Drawn draw(const SizeClass& size, uint64_t seed, int64_t index, double at_most_bytes = 0);

/// The first `count` works of each seed.
std::vector<Drawn> draw_works(const SizeClass& size, const std::vector<uint64_t>& seeds, int64_t count);

/// What peers read: {"format": 1, "set": ..., "works": [{"name", "family", "verb", "operands", "results", "parameters",
/// "bytes", "operations"}]}. An operand is stored as "stored" and seen as "shape", by "layout", "axes", "start",
/// "step".
std::string json_of(const std::string& set, const std::vector<Drawn>& works);

}  // namespace eglantine::perf::drawn
