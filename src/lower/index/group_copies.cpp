#include "lower/index/group_copies.hpp"

#include <algorithm>
#include <bit>

namespace eglantine::lower {
namespace {

constexpr int64_t word_bytes = 4;
// Copies beyond the first fill this part of shared memory at most, so that several groups stay resident.
constexpr int64_t part_for_copies = 2;
// Invocations that execute one instruction together on most devices.
constexpr int64_t neighbours = 32;
// A copy costs a write, and a read for each of its words; updates that are fewer go to the output themselves.
constexpr int64_t updates_a_place = 2;

int64_t power_of_two_up_to(int64_t number) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, number))));
}

}  // namespace

int64_t GroupCopies::words() const {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(places * copies)));
}

GroupCopies group_copies_of(const Target& target, int64_t places, int64_t group_size, int64_t chunk) {
  const int64_t most_words = power_of_two_up_to(target.max_shared_bytes / word_bytes);
  if (chunk < updates_a_place * places) return {};
  if (target.software) return places * group_size <= most_words ? GroupCopies{places, group_size} : GroupCopies{};
  if (places > most_words) return {};
  const int64_t words = std::min(most_words / part_for_copies, chunk / updates_a_place);
  return {places, std::min(power_of_two_up_to(std::min(group_size, neighbours)), power_of_two_up_to(words / places))};
}

}  // namespace eglantine::lower
