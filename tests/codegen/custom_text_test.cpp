#include "codegen/custom_text.hpp"

#include <gtest/gtest.h>

#include "backend/gl/execution/programs/custom_error.hpp"
#include "codegen/combine_text.hpp"
#include "codegen/value_text.hpp"
#include "eglantine/own.hpp"

/// Users' expressions in programs, and the errors made of a driver's log about them.
namespace eglantine::test {
namespace {

ElementwiseOpPtr operation(const std::string& name, const std::string& glsl) {
  return std::make_shared<const ElementwiseOp>(ElementwiseOp{name, 1, glsl, nullptr});
}

ReduceOpPtr combination(const std::string& name, float identity, const std::string& glsl) {
  return std::make_shared<const ReduceOp>(ReduceOp{name, identity, glsl, nullptr});
}

/// Calls of operand 0; the last is the value.
Expr calling(const std::vector<ElementwiseOpPtr>& ops) {
  Expr expr{{3}, {{nullptr, StorageType::f32, {}}}, {}, {}, {{Op::load, DType::f32, {0, -1, -1}}}};
  for (const ElementwiseOpPtr& op : ops) {
    expr.code.push_back({Op::custom, DType::f32, {static_cast<int32_t>(expr.calls.size()), -1, -1}});
    expr.calls.push_back({op, {0}});
  }
  return expr;
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CustomText, lines_are_found_again) {
  const std::string source = "#version 430\n" + codegen::custom_function("f", {"x0", "x1"}, "x0 +\nx1 // both") +
                             "void g() {}\n" + codegen::custom_function("h", {"a"}, "a");
  const std::vector<codegen::CustomLines> lines = codegen::custom_lines(source);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].expression, "x0 +\nx1 // both");
  EXPECT_EQ(lines[0].first, 4);
  EXPECT_EQ(lines[0].count, 2);
  EXPECT_EQ(lines[1].expression, "a");
  EXPECT_EQ(lines[1].first, 12);
  EXPECT_EQ(lines[1].count, 1);
  EXPECT_TRUE(codegen::custom_lines("void main() {}").empty());
}

TEST(CustomText, is_made_of_the_operation_and_not_of_its_name) {
  const auto text = [](const ElementwiseOpPtr& op) { return codegen::value_function("f", calling({op}), {}); };
  EXPECT_EQ(text(operation("one", "x0 * 2.0")), text(operation("another", "x0 * 2.0")));
  EXPECT_NE(text(operation("one", "x0 * 2.0")), text(operation("one", "x0 * 3.0")));
  EXPECT_NE(text(operation("one", "x0")), text(operation("one", "x0 ")));
  const auto combined = [](const ReduceOpPtr& op) {
    return codegen::combine_functions(Reduction::custom, DType::f32, op);
  };
  EXPECT_EQ(combined(combination("one", 0, "a + b")), combined(combination("another", 0, "a + b")));
  EXPECT_NE(combined(combination("one", 0, "a + b")), combined(combination("one", -0.0F, "a + b")));
  EXPECT_NE(combined(combination("one", 0, "a + b")), combined(combination("one", 0, "b + a")));
}

TEST(CustomText, one_text_is_one_function) {
  const Expr expr =
      calling({operation("one", "x0 * 2.0"), operation("two", "x0 * 3.0"), operation("three", "x0 * 2.0")});
  const std::string text = codegen::value_function("f", expr, {});
  EXPECT_EQ(count_of(text, "x0 * 2.0"), 1) << text;
  EXPECT_EQ(count_of(text, "x0 * 3.0"), 1) << text;
  EXPECT_EQ(count_of(text, "= f_custom0(x0);"), 2) << text;
  EXPECT_EQ(count_of(text, "= f_custom1(x0);"), 1) << text;
}

/// custom_error for a log about the program below, which has an operation's text in lines 4 and 5.
std::string error_of(const std::string& log) {
  const ElementwiseOpPtr op = operation("mine", "x0 +\nnobody");
  const std::string source = "#version 430\n" + codegen::custom_function("f", {"x0"}, op->glsl) + "void main() {}\n";
  return gl::custom_error(MapKernel{calling({op}), {}}, gl::CompileError("all of it", log, source));
}

TEST(CustomText, complaints_of_every_driver_are_told_by_the_users_lines) {
  const std::string start = "[mine] the operation's GLSL does not compile:\n   1 | x0 +\n   2 | nobody\n";
  const std::string end = "explain() shows the whole program";
  EXPECT_EQ(error_of("0:5(1): error: `nobody' undeclared\n"),  // Mesa
            start + "line 2, column 1: error: `nobody' undeclared\n" + end);
  EXPECT_EQ(error_of("0(5) : error C1503: undefined variable \"nobody\"\n"),  // NVIDIA
            start + "line 2: error C1503: undefined variable \"nobody\"\n" + end);
  EXPECT_EQ(error_of("ERROR: 0:5: 'nobody' : undeclared identifier\nERROR: 1 compilation errors.\n"),  // others
            start + "line 2: ERROR: 'nobody' : undeclared identifier\n" + end);
  EXPECT_EQ(error_of("0:4(3): warning: this\n0:5(1): error: that\n0:9(1): error: and main\n"),
            start + "line 1, column 3: warning: this\nline 2, column 1: error: that\n" + end);
}

TEST(CustomText, complaints_about_the_lines_around_it_are_the_users_too) {
  const std::string before = error_of("0:3(2): error: type\n"), after = error_of("0:6(2): error: syntax\n");
  EXPECT_NE(before.find("\nline 1: error: type\n"), std::string::npos) << before;
  EXPECT_NE(after.find("\nline 2: error: syntax\n"), std::string::npos) << after;
}

TEST(CustomText, complaints_about_anything_else_are_not) {
  EXPECT_EQ(error_of("0:9(1): error: elsewhere\n"), "");
  EXPECT_EQ(error_of("it does not please me\n0: 99999999999999999999: no\n"), "");
  EXPECT_EQ(error_of("0:99999999999999999999(1): no\n"), "");
  EXPECT_EQ(error_of(""), "");
}

}  // namespace
}  // namespace eglantine::test
