#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "perf/drawn/families.hpp"
#include "perf/drawn/lengths.hpp"

namespace eglantine::perf::drawn {

namespace {

double real_product(std::initializer_list<int64_t> lengths) {
  double product = 1;
  for (const int64_t length : lengths) product *= static_cast<double>(length);
  return product;
}

/// From a half to twice the length.
int64_t about(Dice& dice, int64_t length) {
  return styled(dice, dice.log_between(std::max<int64_t>(1, length / 2), std::max<int64_t>(1, 2 * length)));
}

/// Sums of `count` products of numbers in [-1, 1).
void within_of_sums(Sketch& s, int64_t count, DType dtype) {
  s.within(1e-5, 1e-5 * (std::sqrt(static_cast<double>(count)) + 1), dtype);
  if (dtype != DType::f32) s.drawn.check.absolute *= std::sqrt(static_cast<double>(count)) + 1;
}

struct MatrixSizes {
  const char* name;
  int64_t batch, m, k, n;
};

MatrixSizes matrix_sizes(Sketch& s, double width) {
  Dice& dice = s.dice;
  const int64_t elements = s.room(width), side = root_of(elements / 3 + 1), few = dice.between(1, 16);
  const int64_t other = about(dice, root_of(elements)), rest = styled(dice, std::max<int64_t>(1, elements / other));
  switch (dice.below(8)) {
    case 0:
      return {"few_rows", 0, few, other, rest};
    case 1:
      return {"few_columns", 0, rest, other, few};
    case 2:
      return {"short_sum", 0, other, dice.log_between(1, 64), rest};
    case 3:
      return {"long_sum", 0, dice.between(1, 64), std::max<int64_t>(1, elements / 64), dice.between(1, 64)};
    case 4:
    case 5: {
      const int64_t m = dice.log_between(4, 256), k = dice.log_between(4, 256), n = dice.log_between(4, 256);
      return {"batch", std::max<int64_t>(1, elements / (m * k + k * n + m * n)), m, k, n};
    }
    default:
      return {"matrices", 0, about(dice, side), about(dice, side), about(dice, side)};
  }
}

constexpr const char* subscripts[] = {"bij,bjk->bik", "bhqd,bhkd->bhqk", "ij,kj->ik",  "bi,bj->bij",  "ijk,ijk->i",
                                      "bij,bj->bi",   "abc,cd->abd",     "ij,ij->",    "bi,ij,bj->b", "ijk->kji",
                                      "ij,j->i",      "ji,jk->ik",       "ijkl,jk->il"};

/// Lengths of the letters of one subscript.
Shape shape_of(std::string_view letters, const std::map<char, int64_t>& lengths) {
  Shape shape;
  for (const char letter : letters) shape.push_back(lengths.at(letter));
  return shape;
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char each : text)
    if (each == separator)
      parts.emplace_back();
    else
      parts.back() += each;
  return parts;
}

/// relu(x w + b) and its kin; w, u: (in, out).
struct Layer {
  const char* name;
  Tensor (*of)(const Tensors&);
  enum Weights { bias, two, square, plain } weights = bias;
};

Tensor two_layers(const Tensors& t) { return matmul(relu(matmul(t[0], t[1])), t[2].transpose(0, 1)); }

constexpr Layer layer_verbs[] = {
    {"linear_relu", [](const Tensors& t) { return relu(matmul(t[0], t[1]) + t[2]); }},
    {"linear_gelu", [](const Tensors& t) { return gelu(matmul(t[0], t[1]) + t[2]); }},
    {"linear_tanh", [](const Tensors& t) { return tanh(matmul(t[0], t[1]) + t[2]); }},
    {"gated", [](const Tensors& t) { return silu(matmul(t[0], t[1])) * matmul(t[0], t[2]); }, Layer::two},
    {"perceptron", two_layers, Layer::two},
    {"residual_norm", [](const Tensors& t) { return layer_norm(t[0] + matmul(t[0], t[1]), -1, t[2], t[2]); },
     Layer::square},
    {"classify", [](const Tensors& t) { return softmax(matmul(t[0], t[1]), -1); }, Layer::plain},
};

}  // namespace

void draw_matmul(Sketch& s) {
  const DType dtype = s.float_type();
  const auto [name, batch, m, k, n] = matrix_sizes(s, static_cast<double>(size_of(dtype)));
  const auto with_batch = [&, b = batch](Shape shape) {
    if (b > 0) shape.insert(0, b);
    return shape;
  };
  s.operand(with_batch({m, k}), Fill::signed_uniform, dtype);
  s.operand(with_batch({k, n}), Fill::signed_uniform, dtype);
  s.result(with_batch({m, n}), dtype);
  s.drawn.operations = 2 * real_product({std::max<int64_t>(1, batch), m, k, n});
  s.verb(name, [](const Tensors& x) { return Tensors{matmul(x[0], x[1])}; });
  within_of_sums(s, k, dtype);
}

void draw_einsum(Sketch& s) {
  const std::string text = s.dice.of(subscripts);
  const std::vector<std::string> sides = split_at(text, '>');
  const std::vector<std::string> operands = split_at(sides[0].substr(0, sides[0].size() - 1), ',');
  size_t longest = sides[1].size();
  for (const std::string& each : operands) longest = std::max(longest, each.size());
  const int64_t octaves = std::bit_width(static_cast<uint64_t>(s.room(12))) - 1;
  const int64_t side = int64_t{1} << (octaves / static_cast<int64_t>(longest));
  std::map<char, int64_t> lengths;
  for (const char letter : sides[0] + sides[1])
    if (letter >= 'a' && letter <= 'z' && !lengths.contains(letter)) lengths[letter] = about(s.dice, side);
  for (const std::string& each : operands) s.operand(shape_of(each, lengths), Fill::signed_uniform);
  s.result(shape_of(sides[1], lengths));
  double products = 2, summed = 1;
  for (const auto& [letter, length] : lengths) {
    products *= static_cast<double>(length);
    if (sides[1].find(letter) == std::string::npos) summed *= static_cast<double>(length);
  }
  if (operands.size() > 1) s.drawn.operations = products;
  const bool is_view = operands.size() == 1;
  s.verb(text, [=](const Tensors& x) { return Tensors{is_view ? copied(einsum(text, x)) : einsum(text, x)}; });
  within_of_sums(s, static_cast<int64_t>(summed), DType::f32);
}

void draw_layers(Sketch& s) {
  const Layer& layer = s.dice.of(layer_verbs);
  const int64_t side = root_of(s.room(4) / 3 + 1), rows = about(s.dice, side), in = about(s.dice, side);
  const int64_t out = layer.weights == Layer::square ? in : about(s.dice, side);
  s.operand({rows, in}, Fill::signed_uniform);
  s.stored({in, out}, Fill::small);
  if (layer.weights == Layer::two) s.stored({in, out}, Fill::small);
  if (layer.weights == Layer::bias || layer.weights == Layer::square) s.stored({out}, Fill::positive);
  const bool is_perceptron = layer.of == two_layers;
  s.result({rows, is_perceptron ? in : out});
  s.drawn.operations = (layer.weights == Layer::two ? 4 : 2) * real_product({rows, in, out});
  s.verb(layer.name, [of = layer.of](const Tensors& x) { return Tensors{of(x)}; });
  s.within(1e-4, 1e-5 * (std::sqrt(static_cast<double>(std::max(in, out))) + 4));
}

}  // namespace eglantine::perf::drawn
