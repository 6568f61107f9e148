#include <gtest/gtest.h>

#include "layout/layout.hpp"
#include "support/compare.hpp"
#include "verbs/einsum/order.hpp"
#include "verbs/einsum/pair.hpp"

/// What einsum decides from labels and layouts alone.
namespace eglantine::test {
namespace {

using verbs::Labels;
using verbs::PairPlan;

Labels of(std::string_view letters) { return Labels(letters.begin(), letters.end()); }
std::string text(const Labels& labels) { return std::string(labels.begin(), labels.end()); }

verbs::LabelledLayout contiguous(std::string_view labels, const Shape& shape) {
  return {of(labels), layout::contiguous(shape)};
}

/// The groups and the form, as "b|ij|k|l matmul".
std::string planned(const verbs::LabelledLayout& a, const verbs::LabelledLayout& b, std::string_view result) {
  const PairPlan plan = plan_pair(a, b, of(result));
  const char* const forms[] = {"product", "sum", "matmul"};
  return text(plan.batch) + "|" + text(plan.rows) + "|" + text(plan.columns) + "|" + text(plan.summed) + " " +
         forms[static_cast<size_t>(plan.form)] + (plan.swapped ? " swapped" : "");
}

TEST(PairPlan, groups_of_a_product_of_matrices) {
  EXPECT_EQ(planned(contiguous("ij", {4, 5}), contiguous("jk", {5, 6}), "ik"), "|i|k|j matmul");
  EXPECT_EQ(planned(contiguous("ij", {4, 5}), contiguous("jk", {5, 6}), "ki"), "|k|i|j matmul swapped");
  EXPECT_EQ(planned(contiguous("bij", {2, 4, 5}), contiguous("bkj", {2, 6, 5}), "bik"), "b|i|k|j matmul");
  EXPECT_EQ(planned(contiguous("bij", {2, 4, 5}), contiguous("kj", {6, 5}), "bik"), "|bi|k|j matmul");
}

TEST(PairPlan, products_and_sums_of_them) {
  EXPECT_EQ(planned(contiguous("i", {4}), contiguous("j", {5}), "ij"), "|i|j| product");
  EXPECT_EQ(planned(contiguous("ij", {4, 5}), contiguous("ji", {5, 4}), "ji"), "ji||| product");
  EXPECT_EQ(planned(contiguous("ij", {4, 5}), contiguous("ij", {4, 5}), "i"), "i|||j sum");
  EXPECT_EQ(planned(contiguous("ij", {4, 5}), contiguous("ij", {4, 5}), ""), "|||ij sum");
}

TEST(PairPlan, a_matrix_times_a_vector) {
  EXPECT_EQ(planned(contiguous("ij", {40, 50}), contiguous("j", {50}), "i"), "||i|j matmul swapped");
  EXPECT_EQ(planned(contiguous("j", {50}), contiguous("ij", {40, 50}), "i"), "||i|j matmul");
  EXPECT_EQ(planned(contiguous("bij", {90, 4, 5}), contiguous("bj", {90, 5}), "bi"), "b||i|j sum swapped")
      << "too small";
  EXPECT_EQ(planned(contiguous("ijk", {6, 4, 6}), contiguous("j", {4}), "ik"), "||ik|j sum swapped")
      << "i and k do not lie as one";
  EXPECT_EQ(planned(contiguous("ijk", {8, 40, 6}), contiguous("j", {40}), "ik"), "||ik|j matmul swapped")
      << "large enough for the kernel that reads them in place";
}

TEST(PairPlan, axes_of_a_group_stand_in_an_order_that_merges) {
  const verbs::LabelledLayout matrix = contiguous("jk", {5, 6});
  EXPECT_EQ(planned(contiguous("abj", {2, 3, 5}), matrix, "bak"), "|ab|k|j matmul");
  EXPECT_EQ(planned(contiguous("ajb", {2, 5, 3}), matrix, "bak"), "|ba|k|j matmul") << "no order merges";
  // What is summed in the order of the operand that would be more to copy.
  EXPECT_EQ(planned(contiguous("ijl", {4, 5, 7}), contiguous("ljk", {7, 5, 60}), "ik"), "|i|k|lj matmul");
  EXPECT_EQ(planned(contiguous("ijl", {40, 5, 7}), contiguous("ljk", {7, 5, 6}), "ik"), "|i|k|jl matmul");
}

TEST(PairPlan, merging_is_by_strides) {
  verbs::LabelledLayout x{of("ij"), {{4, 5}, {10, 2}, 3}};
  EXPECT_TRUE(merges(x, of("ij")));
  EXPECT_FALSE(merges(x, of("ji")));
  x.layout.strides = {-10, -2};
  EXPECT_TRUE(merges(x, of("ij")));
  x.layout.strides = {11, 2};
  EXPECT_FALSE(merges(x, of("ij")));
  x.layout.strides = {0, 0};
  EXPECT_TRUE(merges(x, of("ij")));
}

verbs::SumOfProducts sum_of(const std::vector<std::string>& operands, std::string_view output,
                            const verbs::Lengths& lengths) {
  verbs::SumOfProducts sum{{}, of(output), lengths};
  for (const std::string& one : operands) sum.operands.push_back(of(one));
  return sum;
}

std::pair<size_t, size_t> next(const std::vector<std::string>& operands, std::string_view output,
                               const verbs::Lengths& lengths) {
  return next_pair(sum_of(operands, output, lengths)).value();
}

TEST(ContractionOrder, frees_the_most_memory) {
  using Pair = std::pair<size_t, size_t>;
  const verbs::Lengths long_middle{{'i', 2}, {'j', 100}, {'k', 100}, {'l', 2}};
  EXPECT_EQ(next({"ij", "jk", "kl"}, "il", long_middle), (Pair{0, 1})) << "of equals the first";
  const verbs::Lengths long_end{{'i', 50}, {'j', 4}, {'k', 100}, {'l', 2}};
  EXPECT_EQ(next({"ij", "jk", "kl"}, "il", long_end), (Pair{1, 2}));
  EXPECT_EQ(next({"ij", "kl", "jk"}, "il", long_end), (Pair{1, 2}));
}

TEST(ContractionOrder, pairs_without_a_common_label_come_last) {
  using Pair = std::pair<size_t, size_t>;
  const verbs::Lengths lengths{{'i', 2}, {'j', 3}, {'k', 50}};
  EXPECT_EQ(next({"i", "j", "ik", "jk"}, "ijk", lengths), (Pair{1, 3}));
  EXPECT_EQ(next({"i", "j"}, "ij", lengths), (Pair{0, 1}));
}

TEST(ContractionOrder, avoids_intermediates_of_too_many_axes) {
  verbs::Lengths lengths;
  for (const char label : std::string("abcdefghij")) lengths[label] = 2;
  EXPECT_EQ(next({"abcde", "fghij", "abcdefgh"}, "i", lengths), (std::pair<size_t, size_t>{0, 2}));
  EXPECT_FALSE(next_pair(sum_of({"abcde", "fghij"}, "abcdefghij", lengths)).has_value());
}

TEST(ContractionOrder, keeps_what_is_needed_elsewhere) {
  const verbs::SumOfProducts sum = sum_of({"ij", "jk", "kj"}, "k", {{'i', 2}, {'j', 3}, {'k', 4}});
  EXPECT_EQ(text(labels_of_pair(sum, 0, 1)), "kj");
  EXPECT_EQ(text(labels_of_pair(sum, 1, 2)), "kj");
  EXPECT_EQ(text(labels_of_pair(sum, 0, 0)), "j");
}

}  // namespace
}  // namespace eglantine::test
