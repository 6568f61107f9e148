#include "lower/reduce/schedule/eights.hpp"

#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/reduce/schedule/level_addresses.hpp"
#include "lower/reduce/schedule/staged.hpp"

namespace eglantine::lower {
namespace {

std::string loaded(int64_t row, int64_t vector) { return "eg_x" + std::to_string(row) + "_" + std::to_string(vector); }

/// A lane's vectors one after the other, or as the tree's lanes that they are.
std::string value_of(int64_t row, int64_t vectors, bool exact) {
  if (!exact)
    return tree_of_lanes("eg_combine", vectors, [&](int64_t vector) { return "eg_fold(" + loaded(row, vector) + ")"; });
  std::string all = loaded(row, 0);
  for (int64_t vector = 1; vector < vectors; ++vector) all = "eg_follow4(" + all + ", " + loaded(row, vector) + ")";
  return "eg_fold(" + all + ")";
}

/// The index of a row's first NaN among a lane's elements.
std::string first_nan_of(int64_t row, int64_t vectors) {
  std::string all;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    const std::string x = loaded(row, vector), one = "eg_first_nan(" + x + ".value, " + x + ".index.x)";
    all = vector == 0 ? one : "min(" + all + ", " + one + ")";
  }
  return all;
}

}  // namespace

bool takes_eight_lanes(const Target& target, const ReduceLevel& level) {
  constexpr int64_t shortest = 65, longest = 256;
  // A user's identity may change what it is combined with, so that its place in the order counts.
  return target.subgroup == subgroup_of_rows && level.length >= shortest && level.length <= longest && !level.indices &&
         level.reduction != Reduction::custom && !has_long_prologue(level) &&
         2 * level.kept * lanes_of_eights >= target.resident_invocations &&
         !loads_apart(level, ReducePattern::row_subgroup);
}

int64_t vectors_of_eights(int64_t length, bool of_memory) {
  return ceil_divide(length + (of_memory ? vector_width - 1 : 0), lanes_of_eights * vector_width);
}

std::string eights_macros(int64_t rows, int64_t vectors, bool exact, bool finds_nans) {
  std::string loads, items;
  for (int64_t row = 0; row < rows; ++row) {
    const std::string number = std::to_string(row);
    for (int64_t vector = 0; vector < vectors; ++vector)
      loads += " F(" + number + ", " + std::to_string(vector) + ", " + loaded(row, vector) + ")";
    items += " F(" + number + ", eg_r" + number + ", " + value_of(row, vectors, exact) + ", " +
             (finds_nans ? first_nan_of(row, vectors) : "0u") + ")";
  }
  return codegen::define("EG_EACH_LOAD(F)", loads) + codegen::define("EG_EACH_ITEM(F)", items);
}

}  // namespace eglantine::lower
