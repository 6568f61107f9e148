#include "perf/drawn/families.hpp"

namespace eglantine::perf::drawn {

namespace {

struct UnaryVerb {
  const char* name;
  Tensor (*of)(const Tensor&);
  Fill fill = Fill::normal;
};

constexpr UnaryVerb unary_verbs[] = {
    {"neg", neg},
    {"abs", abs},
    {"square", square},
    {"exp", exp},
    {"expm1", expm1},
    {"log", log, Fill::positive},
    {"log1p", log1p, Fill::positive},
    {"sqrt", sqrt, Fill::positive},
    {"rsqrt", rsqrt, Fill::positive},
    {"reciprocal", reciprocal, Fill::positive},
    {"sin", sin},
    {"cos", cos},
    {"tanh", tanh},
    {"atan", atan},
    {"sigmoid", sigmoid},
    {"relu", relu},
    {"gelu", gelu},
    {"gelu_tanh", gelu_tanh},
    {"silu", silu},
    {"softplus", softplus},
    {"erf", erf},
    {"floor", floor},
    {"cube", [](const Tensor& x) { return pow(x, 3.0F); }},
    {"pow_1_7", [](const Tensor& x) { return pow(x, 1.7F); }, Fill::positive},
    {"clip", [](const Tensor& x) { return clip(x, -0.5F, 0.5F); }},
};

struct BinaryVerb {
  const char* name;
  Tensor (*of)(const eglantine::Operand&, const eglantine::Operand&);
  Fill fill = Fill::normal;
  bool compares = false;
  bool whole = false;  ///< it takes whole numbers, too
};

constexpr BinaryVerb binary_verbs[] = {
    {"add", add, Fill::normal, false, true},
    {"sub", sub, Fill::normal, false, true},
    {"mul", mul, Fill::normal, false, true},
    {"div", div, Fill::positive},
    {"maximum", maximum, Fill::normal, false, true},
    {"minimum", minimum, Fill::normal, false, true},
    {"pow", pow, Fill::positive},
    {"atan2", atan2},
    {"hypot", hypot},
    {"remainder", remainder, Fill::positive},
    {"logaddexp", logaddexp},
    {"lt", lt, Fill::normal, true, true},
    {"ge", ge, Fill::normal, true, true},
};

/// Some axes of length 1, or the last axes alone, or the shape itself.
Shape broadcast_partner(Dice& dice, const Shape& shape) {
  Shape other = shape;
  if (shape.rank() == 0 || dice.one_in(2)) return other;
  if (dice.one_in(2)) {
    for (auto lost = dice.between(1, shape.rank()); lost > 0; --lost) other.erase(0);
    return other;
  }
  other[static_cast<int>(dice.below(shape.rank()))] = 1;
  return other;
}

struct Conversion {
  const char* name;
  Fill fill;
  DType from, to;
  float factor = 1;  ///< of the converted numbers
};

constexpr Conversion conversions[] = {
    {"f32_to_f16", Fill::normal, DType::f32, DType::f16},
    {"f16_to_f32", Fill::normal, DType::f16, DType::f32},
    {"f32_to_bf16", Fill::normal, DType::f32, DType::bf16},
    {"bf16_to_f32", Fill::normal, DType::bf16, DType::f32},
    {"f32_to_i32", Fill::normal, DType::f32, DType::i32},
    {"i32_to_f32", Fill::bits, DType::i32, DType::f32},
    {"u8_scaled", Fill::bits, DType::u8, DType::f32, 1.0F / 255},
    {"u8_to_i32", Fill::bits, DType::u8, DType::i32},
    {"boolean_to_f32", Fill::mask, DType::boolean, DType::f32},
};

}  // namespace

void draw_unary(Sketch& s) {
  const UnaryVerb& verb = s.dice.of(unary_verbs);
  const DType dtype = s.float_type();
  const Shape shape = s.shape(s.room(2 * static_cast<double>(size_of(dtype))), 1, 4);
  s.operand(shape, verb.fill, dtype);
  s.result(shape, dtype);
  s.verb(verb.name, [of = verb.of](const Tensors& x) { return Tensors{of(x[0])}; });
  s.within(1e-5, 1e-6, dtype);
  s.cut(0);
}

void draw_binary(Sketch& s) {
  const BinaryVerb& verb = s.dice.of(binary_verbs);
  const bool whole = verb.whole && s.dice.one_in(4);
  const DType dtype = whole ? s.dice.of({DType::i32, DType::u8}) : s.float_type();
  const auto width = static_cast<double>(size_of(dtype));
  const Shape shape = s.shape(s.room((verb.compares ? 1 : width) + 2 * width), 1, 4);
  s.operand(shape, verb.fill, dtype);
  s.operand(broadcast_partner(s.dice, shape), verb.fill, dtype);
  s.result(shape, verb.compares ? DType::boolean : dtype);
  s.verb(verb.name, [of = verb.of](const Tensors& x) { return Tensors{of(x[0], x[1])}; });
  s.within(1e-5, 2e-6, dtype);
}

void draw_convert(Sketch& s) {
  const Conversion& each = s.dice.of(conversions);
  const double width = static_cast<double>(size_of(each.to)) + static_cast<double>(size_of(each.from));
  const Shape shape = s.shape(s.room(width), 1, 4);
  if (each.fill == Fill::mask)
    s.mask(shape);
  else
    s.operand(shape, each.fill, each.from);
  s.result(shape, each.to);
  s.verb(each.name, [to = each.to, factor = each.factor](const Tensors& x) {
    const Tensor y = x[0].astype(to);
    return Tensors{factor == 1 ? y : y * factor};
  });
  s.within(1e-6, 0);
  s.cut(0);
}

}  // namespace eglantine::perf::drawn
