#include "support/random/random_graphs.hpp"

#include <algorithm>
#include <array>

#include "element_types.hpp"
#include "support/random/random_data.hpp"
#include "support/random/verbs/verbs.hpp"

namespace eglantine::test {
namespace {

constexpr size_t leaf_count = 4;
/// All pairs of them meet.
constexpr std::array mixed_types{DType::f32, DType::f16, DType::bf16, DType::i32, DType::i8, DType::u8};

/// Every line that a step may be. What writes into a takes b in a's dtype: `mixes` is false.
struct Line : GraphVerb {
  bool mixes;
};
const std::vector<Line>& graph_verbs() {
  static const std::vector<Line> table = [] {
    std::vector<Line> all;
    const auto add = [&](std::span<const GraphVerb> part, bool mixes) {
      for (const GraphVerb& verb : part) all.push_back({verb, mixes});
    };
    for (const auto part :
         {elementwise_graph_verbs(), creation_graph_verbs(), movement_graph_verbs(), arrangement_graph_verbs(),
          reduction_graph_verbs(), statistics_graph_verbs(), pooling_graph_verbs(), convolution_graph_verbs()})
      add(part, true);
    for (const auto part : {index_graph_verbs(), counting_graph_verbs()}) add(part, false);
    return all;
  }();
  return table;
}

bool is_exact(GraphTypes types) { return !types.mixed && is_integer(types.dtype); }

size_t drawn_verb(const RandomGraph::Draw& draw, bool exact) {
  int all = 0;
  const auto weight = [&](const GraphVerb& verb) { return exact && verb.reference == nullptr ? 0 : verb.weight; };
  for (const GraphVerb& verb : graph_verbs()) all += weight(verb);
  int64_t left = draw(0, all - 1);
  size_t chosen = 0;
  while ((left -= weight(graph_verbs()[chosen])) >= 0) ++chosen;
  return chosen;
}

Array leaf(DType dtype, const Dims& shape, uint64_t seed) {
  if (!is_float(dtype)) return random_array(dtype, shape, seed);
  Array x = random_reals(shape, -1, 1, seed);
  x.dtype = dtype;
  for (double& value : x.values) value = as_element(dtype, value);
  return x;
}

std::vector<Array> leaf_arrays(GraphTypes types, int64_t n, uint64_t seed) {
  std::vector<Array> arrays;
  for (const Dims& shape : {Dims{n, n}, Dims{n, n}, Dims{n, 1}, Dims{1, n}}) {
    const uint64_t number = seed + arrays.size();
    arrays.push_back(leaf(types.mixed ? mixed_types[number % mixed_types.size()] : types.dtype, shape, number));
  }
  return arrays;
}

}  // namespace

GraphTypes graph_types(uint64_t number) {
  constexpr std::array narrow{DType::f16, DType::u8, DType::bf16, DType::i8};
  switch (number % 4) {
    case 0:
      return {DType::i32};
    case 1:
      return {DType::f32};
    case 2:
      return {narrow[number / 4 % narrow.size()]};
    default:
      return {DType::f32, true};
  }
}

RandomGraph::RandomGraph(const Draw& draw, GraphTypes types, int64_t n, uint64_t data)
    : types_(types), n_(n), data_(data) {
  // Mostly the latest values, so that graphs are deep as well as wide.
  const auto value = [&](size_t count) {
    const auto all = static_cast<int64_t>(count);
    return static_cast<size_t>(draw(draw(0, 1) == 0 ? 0 : std::max<int64_t>(0, all - 4), all - 1));
  };
  const auto count = static_cast<size_t>(draw(3, 14));
  for (size_t i = 0; i < count; ++i) {
    const size_t verb = drawn_verb(draw, is_exact(types)), a = value(leaf_count + i), b = value(leaf_count + i);
    const int64_t p = draw(0, 1), q = draw(0, 255);
    const DType of_a = drawn_dtype(draw), of_b = drawn_dtype(draw);
    steps_.push_back({verb, a, b, p, q, of_a, graph_verbs()[verb].mixes ? of_b : of_a});
  }
  for (size_t i = 0; i < count; ++i)
    if (i + 1 == count || draw(0, 3) == 0) wanted_.push_back(leaf_count + i);
}

DType RandomGraph::drawn_dtype(const Draw& draw) const {
  return types_.mixed ? mixed_types[static_cast<size_t>(draw(0, mixed_types.size() - 1))] : types_.dtype;
}

/// Of one dtype all values have it, also where sums of bytes do not.
Tensor RandomGraph::applied(const Step& step, const std::vector<Tensor>& values) const {
  const Tensor a = values[step.a].astype(step.taken_a), b = values[step.b].astype(step.taken_b);
  const Tensor y = graph_verbs()[step.verb].apply({a, b, step.p, step.q, n_});
  return types_.mixed ? y : y.astype(types_.dtype);
}

std::vector<Tensor> RandomGraph::leaves() const {
  std::vector<Tensor> tensors;
  for (const Array& leaf : leaf_arrays(types_, n_, data_)) tensors.push_back(upload(leaf));
  return tensors;
}

std::vector<Tensor> RandomGraph::build(const std::vector<Tensor>& leaves, const Watch& after) const {
  std::vector<Tensor> values = leaves;
  for (const Step& step : steps_) {
    values.push_back(applied(step, values));
    if (after) after(values);
  }
  return values;
}

bool RandomGraph::has_reference() const { return is_exact(types_); }

std::vector<Array> RandomGraph::reference() const {
  std::vector<Array> values = leaf_arrays(types_, n_, data_);
  for (const Step& step : steps_) {
    Array value = graph_verbs()[step.verb].reference({values[step.a], values[step.b], step.p, step.q, n_});
    value.dtype = types_.dtype;
    for (double& x : value.values) x = as_element(types_.dtype, x);
    values.push_back(std::move(value));
  }
  return values;
}

std::string RandomGraph::text() const {
  std::string text =
      std::string(types_.mixed ? "mixed" : name_of(types_.dtype)) + ", n = " + std::to_string(n_) + ", wanted";
  for (const size_t i : wanted_) text += " " + std::to_string(i);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    text += "\n" + std::to_string(leaf_count + i) + " = " + graph_verbs()[step.verb].name + "(" +
            std::to_string(step.a) + ", " + std::to_string(step.b) + "; " + std::to_string(step.p) + ", " +
            std::to_string(step.q) + ")";
    if (types_.mixed) text += " of " + std::string(name_of(step.taken_a)) + ", " + std::string(name_of(step.taken_b));
  }
  return text;
}

}  // namespace eglantine::test
