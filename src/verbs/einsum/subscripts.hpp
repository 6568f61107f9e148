#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The text of an einsum, "ij,jk->ik", without tensors.
namespace eglantine::verbs {

/// What stands for one operand, or for the output: letters, and an ellipsis between them or not.
struct Subscript {
  std::string letters;
  std::optional<size_t> ellipsis = {};  ///< how many letters stand before it
};
std::string to_string(const Subscript& subscript);

struct Subscripts {
  std::string_view text;
  std::vector<Subscript> operands;
  Subscript output;
};

/// As NumPy: spaces count for nothing between symbols; without an arrow the output is the ellipsis, where an operand
/// has one, and the letters that occur once, in alphabetic order, capitals first. Throws Error, which says what stands
/// where, for what is no letter, comma, arrow or ellipsis; a second ellipsis in one subscript; a comma or a second
/// arrow behind the arrow; and a letter of the output that occurs twice there, or in no operand.
Subscripts parse_subscripts(std::string_view text);

}  // namespace eglantine::verbs
