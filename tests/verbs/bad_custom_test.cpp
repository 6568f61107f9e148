#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/custom_ops.hpp"
#include "support/devices.hpp"

/// Invalid custom operations, and their exact errors.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(BadInput, CustomOperation);
EG_ON_EACH_DEVICE(BadInput, CustomGlsl);

ElementwiseOp mine(const std::string& glsl, int arity = 1) {
  return {"mine", arity, glsl, [](std::span<const float> x) { return x[0]; }};
}

ReduceOp my_combine(const std::string& glsl) {
  return {"mine", 0, glsl, [](float a, float) { return a; }};
}

/// The message of the ShaderError when x is read.
std::string shader_error_of(const Tensor& x) {
  try {
    x.to_vector<float>();
  } catch (const ShaderError& error) {
    return error.what();
  }
  return "nothing";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

EG_TEST(CustomOperation, parts_that_are_missing) {
  const Tensor x = ones({3});
  ElementwiseOp op = swish();
  op.name = "";
  EXPECT_ERROR(elementwise(op, {x}), Error, "[elementwise] the operation has no name; explain() and errors want one");
  op.name = "swish\n";
  EXPECT_ERROR(elementwise(op, {x}), Error, "[elementwise] the operation's name has a control character");
  op = swish();
  op.cpu = nullptr;
  EXPECT_ERROR(elementwise(op, {x}), Error, "[elementwise] \"swish\" has no cpu function; it must run on every device");
  ReduceOp combine = plus();
  combine.name = "";
  EXPECT_ERROR(reduce(x, combine), Error, "[reduce] the operation has no name; explain() and errors want one");
  combine = plus();
  combine.cpu = nullptr;
  EXPECT_ERROR(reduce(x, combine), Error, "[reduce] \"plus\" has no cpu function; it must run on every device");
  EXPECT_ERROR(check_op(combine), Error, "[check_op] \"plus\" has no cpu function; it must run on every device");
}

EG_TEST(CustomOperation, how_many_operands) {
  const Tensor x = ones({3});
  EXPECT_ERROR(elementwise(mine("x0", 0), {}), Error,
               "[elementwise] \"mine\" has an arity of 0; it must be from 1 to 8");
  EXPECT_ERROR(elementwise(mine("x0", 9), {x}), Error,
               "[elementwise] \"mine\" has an arity of 9; it must be from 1 to 8");
  EXPECT_ERROR(elementwise(mine("x0", 2), {x}), Error, "[elementwise] \"mine\" takes 2 tensors, got 1");
  EXPECT_ERROR(elementwise(mine("x0", 1), {x, x}), Error, "[elementwise] \"mine\" takes 1 tensors, got 2");
  EXPECT_ERROR(check_op(mine("x0", -1)), Error, "[check_op] \"mine\" has an arity of -1; it must be from 1 to 8");
}

EG_TEST(CustomOperation, tensors_that_do_not_match) {
  const Tensor x = ones({2, 3});
  EXPECT_ERROR(elementwise(mine("x0"), {ones({3}, DType::i32)}), DTypeError,
               "[elementwise] takes f32, f16 or bf16, got i32; convert with astype");
  EXPECT_ERROR(elementwise(mine("x0", 2), {x, ones({3}, DType::boolean)}), DTypeError,
               "[elementwise] takes f32, f16 or bf16, got boolean; convert with astype");
  EXPECT_ERROR(elementwise(mine("x0", 3), {x, ones({3}), ones({4})}), ShapeError,
               "[elementwise] shapes do not broadcast: (2, 3) and (4,)");
  EXPECT_ERROR(reduce(ones({3}, DType::u32), plus()), DTypeError,
               "[reduce] takes f32, f16 or bf16, got u32; convert with astype");
  EXPECT_ERROR(reduce(x, plus(), {2}), ShapeError,
               "[reduce] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(reduce(x, plus(), {0, -2}), ShapeError, "[reduce] axis -2 is named twice in (0, -2) for shape (2, 3)");
  EXPECT_ERROR(reduce(ones({}), plus(), {0}), ShapeError, "[reduce] axis 0 of a scalar, which has no axes");
}

EG_TEST(CustomOperation, calls_of_something_indexed) {
  const Tensor x = ones({3});
  for (const char* glsl : {"1.0[0](x0)", "vec2(x0)[0][0](1)", "x0[0] (x0)", "x0[0]/* */(x0)", "x0[(0)][0](x0)"})
    EXPECT_ERROR(
        elementwise(mine(glsl), {x}), Error,
        "[elementwise] the GLSL of \"mine\" calls what is no function: give one expression, such as \"max(x0, 0.0)\"");
  for (const char* glsl :
       {"float[2](x0, x0)[1]", "vec2[1](vec2(x0))[0].x", "float[2] (x0, x0)[int(x0)]", "vec2(x0)[1]"})
    EXPECT_EQ(elementwise(mine(glsl), {x}).to_vector<float>(), std::vector<float>(3, 1)) << glsl;
}

EG_TEST(CustomGlsl, that_is_no_single_expression_is_refused) {
  const std::pair<std::string, std::string> texts[] = {
      {"", "is empty"},
      {" \n\t", "is empty"},
      {"// nothing", "is empty"},
      {"/* x0 */", "is empty"},
      {"x0; eg", "has a ';'"},
      {"x0 }", "has a '}'"},
      {"float[](x0){x0}[0]", "has a '{'"},
      {"#define x0 3\n1.0", "has a '#'"},
      {"x0 \n#line 7", "has a '#'"},
      {"x0, 1.0", "has a ',' outside parentheses"},
      {"(x0", "has a '(' that nothing closes"},
      {"x0 + (1.0 * (x0)", "has a '(' that nothing closes"},
      {"vec2(x0)[0", "has a '[' that nothing closes"},
      {"x0)", "has a ')' that closes nothing"},
      {"x0) + (x0", "has a ')' that closes nothing"},
      {"(vec2(x0)[0)]", "has a ')' that closes nothing"},
      {"(x0 // )", "has a '(' that nothing closes"},
      {"x0 /* and so on", "has a comment that does not end"},
      {"x0 /*/", "has a comment that does not end"},
      {"x0 // on \\\n", "has a backslash"},
      {"x0 // on\r * 2.0", "has a control character"},
      {std::string("x0\0+1", 5), "has a control character"},
      {"x0 + eg_b0[0]", "uses eg_b0, a name that is not its own"},
      {"x0 + float(EG_GROUP_SIZE)", "uses EG_GROUP_SIZE, a name that is not its own"},
      {"float(gl_LocalInvocationID.x)", "uses gl_LocalInvocationID, a name that is not its own"},
  };
  for (const auto& [glsl, complaint] : texts) {
    const std::string rest = " the GLSL of \"mine\" " + complaint + ": give one expression, such as ";
    EXPECT_ERROR(elementwise(mine(glsl), {ones({3})}), Error, "[elementwise]" + rest + "\"max(x0, 0.0)\"");
    EXPECT_ERROR(reduce(ones({3}), my_combine(glsl)), Error, "[reduce]" + rest + "\"max(a, b)\"");
    EXPECT_ERROR(check_op(mine(glsl)), Error, "[check_op]" + rest + "\"max(x0, 0.0)\"");
  }
}

EG_TEST(CustomGlsl, words_in_comments_and_longer_names_are_nobodys_business) {
  EXPECT_EQ(elementwise(mine("x0 // eg_b0; { #"), {ones({2})}).to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(elementwise(mine("/*/ ; */ x0 /**/"), {ones({2})}).to_vector<float>(), (std::vector<float>{1, 1}));
}

EG_TEST(CustomGlsl, that_does_not_compile_is_shown_by_its_own_lines) {
  const Tensor y = elementwise(mine("x0 *\n  (1.0 +\n  mystery(x0))"), {ones({3})}) + 1.0F;
  if (!on_gl()) {
    EXPECT_EQ(y.to_vector<float>(), std::vector<float>(3, 2));
    return;
  }
  const std::string text = shader_error_of(y);
  EXPECT_TRUE(
      text.starts_with("[mine] the operation's GLSL does not compile:\n"
                       "   1 | x0 *\n   2 |   (1.0 +\n   3 |   mystery(x0))\nline 3"))
      << text;
  EXPECT_TRUE(holds(text, "mystery")) << text;
  EXPECT_TRUE(text.ends_with("\nexplain() shows the whole program")) << text;
  EXPECT_FALSE(holds(text, "void main")) << text;
  EXPECT_EQ(shader_error_of(y), text);
  EXPECT_NO_THROW(device().synchronize());
}

EG_TEST(CustomGlsl, each_operation_that_does_not_compile_is_shown) {
  if (!on_gl()) {
    EXPECT_NO_THROW(elementwise(mine("x7"), {ones({3})}).to_vector<float>());
    return;
  }
  ElementwiseOp other = mine("x0 + nobody");
  other.name = "other";
  ReduceOp combine = my_combine("a +");
  combine.name = "combine";
  const Tensor x = ones({3, 5});
  const std::string text = shader_error_of(elementwise(mine("x0 + x1"), {elementwise(other, {x})}));
  EXPECT_TRUE(holds(text, "[mine] the operation's GLSL does not compile:\n   1 | x0 + x1\nline 1")) << text;
  EXPECT_TRUE(holds(text, "[other] the operation's GLSL does not compile:\n   1 | x0 + nobody\nline 1")) << text;
  for (int64_t axis : {0, 1}) {
    const std::string reduced = shader_error_of(reduce(x, combine, {axis}));
    EXPECT_TRUE(reduced.starts_with("[combine] the operation's GLSL does not compile:\n   1 | a +\nline 1")) << reduced;
  }
  EXPECT_NO_THROW(device().synchronize());
  // A valid operation runs right after an invalid one, even under the same name.
  EXPECT_EQ(elementwise(mine("x0 * 4.0"), {ones({2})}).to_vector<float>(), (std::vector<float>{4, 4}));
}

std::string repeated(const std::string& part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

EG_TEST(CustomGlsl, that_is_too_long_to_compile_is_refused) {
  const std::string sum = "x0" + repeated("+x0", 6000), name = std::string(100000, 'a'), fits(16384, 'a');
  const auto complaint = [](const char* function, size_t length) {
    return "[" + std::string(function) + "] the GLSL of \"mine\" has " + std::to_string(length) +
           " characters, and more than 16384 do not compile safely; divide it into several operations";
  };
  for (const std::string& text : {sum, name, "x0//" + name, "x0/*" + name + "*/", fits + " "}) {
    EXPECT_ERROR(elementwise(mine(text), {ones({3})}), ShaderError, complaint("elementwise", text.size()));
    EXPECT_ERROR(reduce(ones({3}), my_combine(text)), ShaderError, complaint("reduce", text.size()));
    EXPECT_ERROR(scan(ones({3}), my_combine(text), 0), ShaderError, complaint("scan", text.size()));
    EXPECT_ERROR(check_op(mine(text)), ShaderError, complaint("check_op", text.size()));
  }
  EXPECT_NO_THROW(elementwise(mine(fits), {ones({3})}));
}

EG_TEST(CustomGlsl, compiles_up_to_the_longest) {
  const Tensor x = ones({3});
  const std::string sum = "x0" + repeated("+x0", 16382 / 3), members = "vec2(x0)" + repeated(".yx", 16374 / 3) + ".x";
  EXPECT_EQ(elementwise(mine(sum), {x}).to_vector<float>(), std::vector<float>(3, on_gl() ? 1 + 16382 / 3 : 1));
  EXPECT_EQ(elementwise(mine(members), {x}).to_vector<float>(), std::vector<float>(3, 1));
  EXPECT_EQ(elementwise(mine("x0/*" + std::string(16378, 'a') + "*/"), {x}).to_vector<float>(),
            std::vector<float>(3, 1));
}

EG_TEST(CustomGlsl, with_long_names_and_lines_is_shown_by_their_beginnings) {
  if (!on_gl()) {
    EXPECT_NO_THROW(elementwise(mine(std::string(16000, 'a')), {ones({3})}).to_vector<float>());
    return;
  }
  const std::string beginning = "[mine] the operation's GLSL does not compile:\n   1 | ";
  const std::string name = shader_error_of(elementwise(mine(std::string(16000, 'a')), {ones({3})}));
  EXPECT_TRUE(name.starts_with(beginning + std::string(300, 'a') + "... (16000 characters)\nline 1")) << name;
  EXPECT_LT(name.size(), 1200U);
  const std::string line =
      shader_error_of(elementwise(mine(std::string(300, ' ') + "x0 + y" + std::string(500, ' ')), {ones({3})}));
  EXPECT_TRUE(line.starts_with(beginning + std::string(300, ' ') + "... (806 characters)\nline 1")) << line;
  EXPECT_TRUE(holds(line, "y")) << line;
  const std::string many = shader_error_of(elementwise(mine("y" + repeated(" +\ny", 2000)), {ones({3})}));
  EXPECT_TRUE(holds(many, " more complaints\nexplain() shows the whole program")) << many.substr(many.size() - 200);
  EXPECT_NO_THROW(device().synchronize()) << "a reader has received each";
  EXPECT_EQ(elementwise(mine("x0 * 4.0"), {ones({2})}).to_vector<float>(), (std::vector<float>{4, 4}));
}

EG_TEST(CustomGlsl, of_another_type_than_float_is_shown) {
  if (!on_gl()) {
    EXPECT_NO_THROW(elementwise(mine("x0 > 0.0"), {ones({3})}).to_vector<float>());
    return;
  }
  const std::string text = shader_error_of(elementwise(mine("x0 > 0.0"), {ones({3})}));
  EXPECT_TRUE(text.starts_with("[mine] the operation's GLSL does not compile:\n   1 | x0 > 0.0\nline 1")) << text;
  EXPECT_NO_THROW(device().synchronize());
}

}  // namespace
}  // namespace eglantine::test
