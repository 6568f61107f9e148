#include "support/random/random_graphs.hpp"

#include <algorithm>

#include "support/random/random_data.hpp"
#include "support/random/verbs/verbs.hpp"

namespace eglantine::test {
namespace {

constexpr size_t leaves = 4;

/// Every line that a step may be.
const std::vector<GraphVerb>& graph_verbs() {
  static const std::vector<GraphVerb> table = [] {
    std::vector<GraphVerb> all;
    for (const auto part :
         {elementwise_graph_verbs(), creation_graph_verbs(), movement_graph_verbs(), arrangement_graph_verbs(),
          index_graph_verbs(), counting_graph_verbs(), reduction_graph_verbs(), statistics_graph_verbs()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

size_t drawn_verb(const RandomGraph::Draw& draw, DType dtype) {
  int all = 0;
  const auto weight = [&](const GraphVerb& verb) {
    return dtype == DType::i32 && verb.reference == nullptr ? 0 : verb.weight;
  };
  for (const GraphVerb& verb : graph_verbs()) all += weight(verb);
  int64_t left = draw(0, all - 1);
  size_t chosen = 0;
  while ((left -= weight(graph_verbs()[chosen])) >= 0) ++chosen;
  return chosen;
}

std::vector<Array> leaf_arrays(DType dtype, int64_t n, uint64_t seed) {
  std::vector<Array> arrays;
  for (const Dims& shape : {Dims{n, n}, Dims{n, n}, Dims{n, 1}, Dims{1, n}})
    arrays.push_back(dtype == DType::i32 ? random_array(dtype, shape, seed + arrays.size())
                                         : random_reals(shape, -1, 1, seed + arrays.size()));
  return arrays;
}

}  // namespace

RandomGraph::RandomGraph(const Draw& draw, DType dtype, int64_t n, uint64_t data) : dtype_(dtype), n_(n), data_(data) {
  // Mostly the latest values, so that graphs are deep as well as wide.
  const auto value = [&](size_t count) {
    const auto all = static_cast<int64_t>(count);
    return static_cast<size_t>(draw(draw(0, 1) == 0 ? 0 : std::max<int64_t>(0, all - 4), all - 1));
  };
  const auto count = static_cast<size_t>(draw(3, 14));
  for (size_t i = 0; i < count; ++i) {
    const size_t verb = drawn_verb(draw, dtype), a = value(leaves + i), b = value(leaves + i);
    const int64_t p = draw(0, 1), q = draw(0, 255);
    steps_.push_back({verb, a, b, p, q});
  }
  for (size_t i = 0; i < count; ++i)
    if (i + 1 == count || draw(0, 3) == 0) wanted_.push_back(leaves + i);
}

std::vector<Tensor> RandomGraph::build(const Watch& after) const {
  std::vector<Tensor> values;
  for (const Array& leaf : leaf_arrays(dtype_, n_, data_)) values.push_back(upload(leaf));
  for (const Step& step : steps_) {
    values.push_back(graph_verbs()[step.verb].apply({values[step.a], values[step.b], step.p, step.q, n_}));
    if (after) after(values);
  }
  return values;
}

std::vector<Array> RandomGraph::reference() const {
  std::vector<Array> values = leaf_arrays(dtype_, n_, data_);
  for (const Step& step : steps_) {
    Array value = graph_verbs()[step.verb].reference({values[step.a], values[step.b], step.p, step.q, n_});
    for (double& x : value.values) x = as_element(dtype_, x);
    values.push_back(std::move(value));
  }
  return values;
}

std::string RandomGraph::text() const {
  std::string text = std::string(name_of(dtype_)) + ", n = " + std::to_string(n_) + ", wanted";
  for (const size_t i : wanted_) text += " " + std::to_string(i);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    text += "\n" + std::to_string(leaves + i) + " = " + graph_verbs()[step.verb].name + "(" + std::to_string(step.a) +
            ", " + std::to_string(step.b) + "; " + std::to_string(step.p) + ", " + std::to_string(step.q) + ")";
  }
  return text;
}

}  // namespace eglantine::test
