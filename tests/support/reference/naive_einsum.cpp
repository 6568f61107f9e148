#include "support/reference/naive_einsum.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "element_types.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test::naive {
namespace {

using Places = std::map<char, int64_t>;

Places lengths_of(const std::vector<std::string>& labels, const std::vector<Array>& operands) {
  Places lengths;
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t axis = 0; axis < labels[i].size(); ++axis) {
      int64_t& length = lengths.try_emplace(labels[i][axis], 1).first->second;
      if (operands[i].shape[axis] != 1) length = operands[i].shape[axis];
    }
  return lengths;
}

/// The labels that the output lacks, once each.
std::string summed_labels(const Places& lengths, const std::string& output) {
  std::string summed;
  for (const auto& [label, length] : lengths)
    if (output.find(label) == std::string::npos) summed += label;
  return summed;
}

Dims shape_of(const std::string& labels, const Places& lengths) {
  Dims shape;
  for (const char label : labels) shape.push_back(lengths.at(label));
  return shape;
}

/// How far apart the elements of an operand with the labels `own` are along each of `labels`: 0 where it broadcasts.
Dims steps_of(const Array& x, const std::string& own, const std::string& labels) {
  Dims steps(labels.size(), 0);
  int64_t step = 1;
  for (size_t axis = own.size(); axis-- > 0; step *= x.shape[axis])
    if (x.shape[axis] != 1) steps[labels.find(own[axis])] += step;
  return steps;
}

int64_t dot(const Dims& index, const int64_t* steps) {
  int64_t place = 0;
  for (size_t i = 0; i < index.size(); ++i) place += index[i] * steps[i];
  return place;
}

using Times = double (*)(DType, double, double);
double absolute_product(DType, double a, double b) { return std::abs(a * b); }

Array loops(const std::vector<std::string>& labels, const std::string& output, const std::vector<Array>& operands,
            Times times) {
  const Places lengths = lengths_of(labels, operands);
  const std::string summed = summed_labels(lengths, output);
  const DType dtype = counted(operands[0].dtype);
  // Random graphs sum over four labels at once: looking each up at each place would take minutes.
  std::vector<Dims> steps;
  for (size_t i = 0; i < operands.size(); ++i) steps.push_back(steps_of(operands[i], labels[i], output + summed));
  const Dims terms = shape_of(summed, lengths);
  Dims first(operands.size());
  return generate(dtype, shape_of(output, lengths), [&](const Dims& where) {
    for (size_t i = 0; i < operands.size(); ++i) first[i] = dot(where, steps[i].data());
    double total = 0;
    for_each_index(terms, [&](const Dims& term) {
      double value = 1;
      for (size_t i = 0; i < operands.size(); ++i) {
        const int64_t place = first[i] + dot(term, steps[i].data() + output.size());
        value = times(dtype, value, operands[i].values[static_cast<size_t>(place)]);
      }
      total = is_float(dtype) ? total + value : as_element(dtype, total + value);
    });
    return total;
  });
}

/// An element's index in an operand whose leading axes broadcast, and whose heads may each serve several.
Dims index_of(const Array& x, const Dims& where, int64_t heads, int64_t row, int64_t column) {
  const auto own = x.shape.size(), whole = where.size();
  Dims index(own);
  for (size_t axis = 0; axis + 2 < own; ++axis) {
    const int64_t place = where[axis + whole - own], length = x.shape[axis];
    index[axis] = axis + 3 == own ? place * length / std::max(heads, length) : length == 1 ? 0 : place;
  }
  index[own - 2] = row;
  index[own - 1] = column;
  return index;
}

/// Of broadcasting, of the mask.
double broadcast_at(const Array& x, const Dims& where) {
  Dims index(x.shape.size());
  for (size_t axis = 0; axis < index.size(); ++axis)
    index[axis] = x.shape[axis] == 1 ? 0 : where[axis + where.size() - index.size()];
  return x.at(index);
}

/// The scores of the columns that row `where` sees; empty where it sees none.
std::map<int64_t, double> scores_of_row(const Array& q, const Array& k, int64_t heads, Dims where, double scale,
                                        const Masking& masking) {
  const int64_t row = where[where.size() - 2], columns = k.shape.end()[-2];
  std::map<int64_t, double> scores;
  for (int64_t column = 0; column < columns; ++column) {
    where.back() = column;
    const double add = masking.mask == nullptr ? 0 : broadcast_at(*masking.mask, where);
    const bool is_truth = masking.mask != nullptr && masking.mask->dtype == DType::boolean;
    if ((masking.causal && column > row) || (is_truth ? add == 0 : add == -INFINITY)) continue;
    double score = 0;
    for (int64_t f = 0; f < q.shape.back(); ++f)
      score += q.at(index_of(q, where, heads, row, f)) * k.at(index_of(k, where, heads, column, f));
    scores[column] = score * scale + (is_truth ? 0 : add);
  }
  return scores;
}

double largest_of(const std::map<int64_t, double>& scores) {
  double most = -INFINITY;
  for (const auto& [column, score] : scores) most = std::max(most, score);
  return most;
}

/// The sum of the exponentials, relative to the largest.
double sum_of(const std::map<int64_t, double>& scores) {
  double total = 0;
  for (const auto& [column, score] : scores) total += std::exp(score - largest_of(scores));
  return total;
}

int64_t heads_of(const Array& x) { return x.shape.size() < 3 ? 1 : x.shape.end()[-3]; }

}  // namespace

Array einsum(const std::vector<std::string>& labels, const std::string& output, const std::vector<Array>& operands) {
  return loops(labels, output, operands,
               [](DType dtype, double a, double b) { return is_float(dtype) ? a * b : product(dtype, a, b); });
}

Array absolute_einsum(const std::vector<std::string>& labels, const std::string& output,
                      const std::vector<Array>& operands) {
  return loops(labels, output, operands, absolute_product);
}

int64_t products_summed(const std::vector<std::string>& labels, const std::string& output,
                        const std::vector<Array>& operands) {
  const Places lengths = lengths_of(labels, operands);
  return count(shape_of(summed_labels(lengths, output), lengths));
}

Array attention(const Array& q, const Array& k, const Array& v, double scale, const Masking& masking) {
  const int64_t heads = std::max({heads_of(q), heads_of(k), heads_of(v)});
  Dims leading;
  for (const Array* x : {&q, &k, &v}) {
    Dims own(x->shape.begin(), x->shape.end() - 2);
    if (!own.empty()) own.back() = 1;
    leading = broadcast(leading, own);
  }
  if (!leading.empty()) leading.back() = heads;
  Dims shape = leading;
  shape.push_back(q.shape.end()[-2]);
  shape.push_back(v.shape.back());
  return generate(DType::f32, shape, [&](const Dims& where) {
    const std::map<int64_t, double> scores = scores_of_row(q, k, heads, where, scale, masking);
    const double most = largest_of(scores), all = sum_of(scores);
    double total = 0;
    for (const auto& [column, score] : scores)
      total += std::exp(score - most) / all * v.at(index_of(v, where, heads, column, where.back()));
    return total;
  });
}

Array attention_logsumexp(const Array& q, const Array& k, double scale, const Masking& masking) {
  const int64_t heads = std::max(heads_of(q), heads_of(k));
  Dims leading;
  for (const Array* x : {&q, &k}) {
    Dims own(x->shape.begin(), x->shape.end() - 2);
    if (!own.empty()) own.back() = 1;
    leading = broadcast(leading, own);
  }
  if (!leading.empty()) leading.back() = heads;
  leading.push_back(q.shape.end()[-2]);
  return generate(DType::f32, leading, [&](const Dims& row) {
    Dims where = row;
    where.push_back(0);
    const std::map<int64_t, double> scores = scores_of_row(q, k, heads, where, scale, masking);
    return scores.empty() ? -INFINITY : largest_of(scores) + std::log(sum_of(scores));
  });
}

namespace {

Array zeros_like(const Array& x) {
  return generate(DType::f32, x.shape, [](const Dims&) { return 0; });
}

void add_at(Array& x, const Dims& index, double value) {
  int64_t place = 0;
  for (size_t i = 0; i < index.size(); ++i) place = place * x.shape[i] + index[i];
  x.values[static_cast<size_t>(place)] += value;
}

}  // namespace

AttentionGradients attention_gradients(const Array& q, const Array& k, const Array& v, const Array& g, double scale,
                                       const Masking& masking, const Array* of_logsumexp) {
  const int64_t heads = heads_of(g), features = q.shape.back(), results = v.shape.back();
  AttentionGradients to{zeros_like(q), zeros_like(k), zeros_like(v)};
  const Dims rows(g.shape.begin(), g.shape.end() - 1);
  for_each_index(rows, [&](const Dims& row) {
    Dims where = row;
    where.push_back(0);
    const std::map<int64_t, double> scores = scores_of_row(q, k, heads, where, scale, masking);
    const double most = largest_of(scores), all = sum_of(scores);
    std::map<int64_t, double> of_shares;
    double mean = of_logsumexp == nullptr ? 0 : -of_logsumexp->at(row);
    for (const auto& [column, score] : scores) {
      const double share = std::exp(score - most) / all;
      for (int64_t e = 0; e < results; ++e) {
        where.back() = e;
        const Dims at = index_of(v, where, heads, column, e);
        of_shares[column] += g.at(where) * v.at(at);
        add_at(to.v, at, share * g.at(where));
      }
      mean += share * of_shares[column];
    }
    for (const auto& [column, score] : scores) {
      const double of_score = std::exp(score - most) / all * (of_shares[column] - mean) * scale;
      for (int64_t f = 0; f < features; ++f) {
        const Dims query = index_of(q, where, heads, row.back(), f), key = index_of(k, where, heads, column, f);
        add_at(to.q, query, of_score * k.at(key));
        add_at(to.k, key, of_score * q.at(query));
      }
    }
  });
  return to;
}

}  // namespace eglantine::test::naive
