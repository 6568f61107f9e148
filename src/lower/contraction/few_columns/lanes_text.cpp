#include "lower/contraction/few_columns/lanes_text.hpp"

#include <algorithm>
#include <bit>

#include "codegen/glsl_type.hpp"

namespace eglantine::lower {
namespace {

std::string gather_columns(const FewColumnsPlan& plan, const std::vector<std::string>& sums) {
  std::string text;
  const auto most = static_cast<size_t>(columns_at_once(sums));
  for (size_t first = 0; first < sums.size(); first += most) {
    const size_t count = std::min(most, sums.size() - first);
    for (size_t i = 0; i < count; ++i)
      text += "eg_slots[" + u(static_cast<int64_t>(i) * plan.group_size) + " + me] = " + sums[first + i] + "; ";
    text += "EG_SYNC eg_add_columns(" + u(first) + ", " + u(count) + ", me); EG_SYNC ";
  }
  return text;
}

std::string gather_in_memory(const std::vector<std::string>& sums) {
  std::string text;
  for (size_t i = 0; i < sums.size(); i += 4) {
    text += "eg_slots[me] = EG_VECTOR(";
    for (size_t j = i; j < i + 4; ++j) text += (j > i ? ", " : "") + (j < sums.size() ? sums[j] : "EG_VALUE(0)");
    text += "); EG_SYNC eg_add_lanes(" + u(i) + ", me); EG_SYNC ";
  }
  return text;
}

/// `low` becomes the sum of the lower names of two lanes, or of the upper ones; without a name there is no sum.
std::string exchange(const FewColumnsPlan& plan, const std::string& low, const std::string& high,
                     const std::string& distance) {
  if (low.empty()) return "";
  const std::string other = !high.empty() ? high : plan.along_rows ? "EG_VECTOR(0)" : "EG_VALUE(0)";
  return low + " = (upper ? " + other + " : " + low + ") + subgroupShuffleXor(upper ? " + low + " : " + other + ", " +
         distance + "); ";
}

/// Stores what a lane has after the exchanges; without a name there is no sum. Lanes that differ in the bits `same`
/// alone have the same sums.
std::string keep(const std::vector<std::string>& names, int64_t same, size_t all) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    text += "if ((lane & " + u(same) + ") == 0u && number + " + u(i) + " < " + u(all) +
            ") eg_keep(place, lane / EG_TEAM, number + " + u(i) + ", " + names[i] + "); ";
  }
  return text;
}

/// In each step half of the lanes keep half of the sums and give away the others, until each lane has few or one.
std::string gather_by_shuffles(const FewColumnsPlan& plan, const std::vector<std::string>& sums) {
  std::vector<std::string> names = sums;
  names.resize(std::bit_ceil(sums.size()));
  std::string text = "uint number = 0u; ";
  int64_t same = 0;
  for (int64_t apart = plan.lanes_together() / 2; apart > 0; apart /= 2) {
    // Along rows neighbouring invocations are places.
    const std::string distance = u(plan.along_rows ? apart * plan.places() : apart);
    if (names.size() == 1) {
      text += names[0] + " = " + names[0] + " + subgroupShuffleXor(" + names[0] + ", " + distance + "); ";
      same |= apart;
      continue;
    }
    const size_t half = names.size() / 2;
    text += "{ bool upper = (lane & " + u(apart) + ") != 0u; ";
    for (size_t i = 0; i < half; ++i) text += exchange(plan, names[i], names[i + half], distance);
    text += "number += upper ? " + u(half) + " : 0u; } ";
    names.resize(half);
  }
  return text + keep(names, same, sums.size()) + "EG_SYNC ";
}

}  // namespace

int64_t columns_at_once(const std::vector<std::string>& sums) { return std::min<int64_t>(2, std::ssize(sums)); }

std::string text_of_gathering(const FewColumnsPlan& plan, const std::vector<std::string>& sums) {
  if (plan.subgroups) return gather_by_shuffles(plan, sums);
  return plan.along_rows ? gather_columns(plan, sums) : gather_in_memory(sums);
}

}  // namespace eglantine::lower
