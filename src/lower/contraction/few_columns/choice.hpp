#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lower/contraction/few_columns/schedule.hpp"

/// What the schedule of a product with few columns chooses from, and tuning measures.
namespace eglantine::lower {

/// How a work group divides such a product (fields as in FewColumnsPlan).
struct FewColumnsChoice {
  int64_t rows_each = 4, lanes = 32, team = 32, group_size = 256, unroll = 1, run = 1;

  /// Whether the device and the product take it as it is; along k, with a subgroup of lanes where k suffices.
  bool suits(const Target& target, const FewColumnsProduct& product) const;
  /// Fewer rows and runs of the product's own length where it takes no others.
  void apply_to(FewColumnsPlan& plan, const Target& target, const FewColumnsProduct& product) const;
  static FewColumnsChoice of(const FewColumnsPlan& plan);
  auto operator<=>(const FewColumnsChoice&) const = default;
};

/// All that suit a product, of those worth measuring.
std::vector<FewColumnsChoice> choices_for(const Target& target, const FewColumnsProduct& product);

/// Products that share a choice: the powers of two nearest to their lengths, and how the matrix lies in memory.
struct FewColumnsClass {
  int64_t rows = 1, length = 1, columns = 1, batches = 1;
  int64_t bytes = 4;                                         ///< of an element of the matrix's narrowest operand
  bool along_rows = false;                                   ///< as of the product
  auto operator<=>(const FewColumnsClass&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 mistakes it
};
FewColumnsClass class_of(const FewColumnsProduct& product);

/// "4 rows, 32 lanes of 256 in teams of 8, 2 runs of 1", and back; throws std::invalid_argument for what is no choice.
std::string text_of(const FewColumnsChoice& choice);
FewColumnsChoice parse_few_columns_choice(std::string_view text);

/// "4096x4096x8 of 1 with 2 bytes along k", and back; throws std::invalid_argument.
std::string text_of(const FewColumnsClass& product);
FewColumnsClass parse_few_columns_class(std::string_view text);

}  // namespace eglantine::lower
