#include "verbs/einsum/subscripts.hpp"

#include <gtest/gtest.h>

#include "eglantine/error.hpp"
#include "support/compare.hpp"
#include "verbs/einsum/labels.hpp"

/// einsum's text and labels, without tensors.
namespace eglantine::test {
namespace {

using verbs::parse_subscripts;
using verbs::Subscripts;

/// The subscripts as they were understood.
std::string understood(std::string_view text) {
  const Subscripts parsed = parse_subscripts(text);
  std::string result;
  for (const verbs::Subscript& one : parsed.operands) result += to_string(one) + ",";
  result.back() = '>';
  return result + to_string(parsed.output);
}

TEST(Subscripts, with_an_output) {
  EXPECT_EQ(understood("ij,jk->ik"), "ij,jk>ik");
  EXPECT_EQ(understood("bhqd,bhkd->bhqk"), "bhqd,bhkd>bhqk");
  EXPECT_EQ(understood("ii->"), "ii>");
  EXPECT_EQ(understood("->"), ">");
  EXPECT_EQ(understood(",,->"), ",,>");
  EXPECT_EQ(understood("aB->Ba"), "aB>Ba");
}

TEST(Subscripts, without_one_give_what_occurs_once_in_order) {
  EXPECT_EQ(understood("ij,jk"), "ij,jk>ik");
  EXPECT_EQ(understood("ba"), "ba>ab");
  EXPECT_EQ(understood("aB"), "aB>Ba");
  EXPECT_EQ(understood("ii"), "ii>");
  EXPECT_EQ(understood("z...a,...b"), "z...a,...b>...abz");
  EXPECT_EQ(understood(""), ">");
  EXPECT_EQ(understood("i,i,i"), "i,i,i>");
}

TEST(Subscripts, ellipses_and_spaces) {
  EXPECT_EQ(understood(" i j , j k -> k i "), "ij,jk>ki");
  EXPECT_EQ(understood("...ij->...ji"), "...ij>...ji");
  EXPECT_EQ(understood("i ... j->j..."), "i...j>j...");
  EXPECT_EQ(understood("i->...i"), "i>...i") << "an ellipsis of no axes";
}

/// The axes' labels as letters, of those under an ellipsis as digits from the last one.
std::string labelled(std::string_view text, const std::vector<Shape>& shapes) {
  const verbs::SumOfProducts sum = label_axes(parse_subscripts(text), shapes);
  const auto spell = [](const verbs::Labels& labels) {
    std::string result;
    for (const verbs::Label label : labels) result += static_cast<char>(label < 0 ? '0' - label : label);
    return result;
  };
  std::string result;
  for (const verbs::Labels& one : sum.operands) result += spell(one) + ",";
  result.back() = '>';
  result += spell(sum.output);
  for (const auto& [label, length] : sum.lengths) result += " " + spell({label}) + "=" + std::to_string(length);
  return result;
}

TEST(Subscripts, label_axes) {
  EXPECT_EQ(labelled("ij,jk", {{2, 3}, {3, 4}}), "ij,jk>ik i=2 j=3 k=4");
  EXPECT_EQ(labelled("i...,...i->...", {{5, 2, 1}, {3, 5}}), "i21,1i>21 2=2 1=3 i=5");
  EXPECT_EQ(labelled("...->...", {{}}), ">");
}

TEST(Subscripts, lengths_of_1_broadcast_between_operands) {
  EXPECT_EQ(labelled("ij,jk", {{2, 1}, {3, 4}}), "ij,jk>ik i=2 j=3 k=4");
  EXPECT_EQ(labelled("i,i,i", {{1}, {3}, {1}}), "i,i,i> i=3");
  EXPECT_EQ(labelled("i,i", {{0}, {1}}), "i,i> i=0");
  EXPECT_EQ(labelled("ii,i", {{1, 1}, {3}}), "ii,i> i=3");
  EXPECT_EQ(labelled("...,...->...", {{4, 1, 3}, {2, 1}}), "321,21>321 3=4 2=2 1=3");
}

TEST(Subscripts, one_length_in_an_operand) {
  EXPECT_ERROR(labelled("i,ii", {{3}, {1, 3}}), ShapeError,
               "[einsum] label 'i' has length 1 along axis 0 of operand 1, (1, 3), and 3 along axis 1 of operand 1, "
               "(1, 3)");
}

}  // namespace
}  // namespace eglantine::test
