#include "verbs/network/resampling/weighted_sums.hpp"

#include <algorithm>
#include <utility>

#include "verbs/build.hpp"
#include "verbs/composite.hpp"
#include "verbs/network/load_at.hpp"
#include "verbs/network/resampling/resampling_tables.hpp"

namespace eglantine::verbs {

namespace {

/// A row of a table along one axis of a result of rank `rank`.
Tensor along(const Tensor& row, int axis, int rank) {
  Shape shape(std::vector<int64_t>(static_cast<size_t>(rank - axis), 1));
  shape[0] = row.size();
  return row.reshape(shape);
}

/// The sum of an axis's weighted elements in one map, over all axes at once.
class Unrolled {
 public:
  Unrolled(const Tensor& x, const std::vector<Taps1d>& axes, std::vector<Tensor> tables) : x_(x) {
    const ResamplingTables of(axes, std::move(tables));
    has_weights_ = of.has_weights();
    for (size_t k = 0; k < axes.size(); ++k) {
      shape_[axes[k].axis] = axes[k].outputs;
      numbers_.push_back(axes[k].axis);
      add_rows(of, k, axes[k]);
    }
  }

  Tensor sum() const {
    std::vector<Tensor> indices;
    return sum_of(indices);
  }

 private:
  /// Each made once for all sums that read it.
  void add_rows(const ResamplingTables& of, size_t k, const Taps1d& axis) {
    std::vector<Tensor>&indices = indices_.emplace_back(), &weights = weights_.emplace_back();
    for (int64_t tap = 0; tap < axis.taps; ++tap) {
      indices.push_back(along(of.indices(k, axis, tap), axis.axis, x_.rank()));
      if (has_weights_) weights.push_back(along(of.weights(k, axis, tap), axis.axis, x_.rank()));
    }
  }
  /// Over the axes that have no index yet.
  Tensor sum_of(std::vector<Tensor>& indices) const {
    const size_t k = indices.size();
    if (k == indices_.size()) return element(indices);
    Tensor total;
    for (size_t tap = 0; tap < indices_[k].size(); ++tap) {
      indices.push_back(indices_[k][tap]);
      Tensor term = sum_of(indices);
      indices.pop_back();
      if (!has_weights_) return term;
      total = total.defined() ? plus_product(total, weights_[k][tap], term) : weights_[k][tap] * term;
    }
    return total;
  }
  Tensor element(const std::vector<Tensor>& indices) const {
    const Tensor read = load_at(x_, numbers_, indices, shape_);
    return has_weights_ ? to_f32(read) : read;
  }

  Tensor x_;
  bool has_weights_ = false;
  std::vector<std::vector<Tensor>> indices_{}, weights_{};  ///< of each axis, of each of its elements
  Shape shape_ = x_.shape();
  Axes numbers_{};
};

constexpr std::ptrdiff_t words_of_axis = 6;

/// The words from which a composite makes the axes of an Unrolled.
std::vector<int64_t> words_of(const std::vector<Taps1d>& axes) {
  std::vector<int64_t> words;
  for (const Taps1d& axis : axes)
    words.insert(words.end(), {axis.axis, axis.length, axis.outputs, axis.taps, int64_t{axis.are_neighbours},
                               static_cast<int64_t>(axis.end)});
  return words;
}

/// Of x, places and weights.
NodePtr unrolled_sum(const nodes::Composite& of) {
  std::vector<Taps1d> axes;
  for (auto at = of.numbers.begin(); at != of.numbers.end(); at += words_of_axis)
    axes.push_back({static_cast<int>(at[0]), at[1], at[2], at[3], {}, at[4] != 0, static_cast<Taps1d::End>(at[5])});
  return Unrolled(Tensor(of.args[0]), axes, std::vector<Tensor>(of.args.begin() + 1, of.args.end())).sum().node();
}

/// An axis's elements and weights, (outputs, taps) row-major, behind others'.
void add_elements(const Taps1d& axis, std::vector<int32_t>& indices, std::vector<float>& weights) {
  for (size_t o = 0; o < axis.firsts.size(); ++o)
    for (int64_t k = 0; k < axis.taps; ++k) {
      indices.push_back(std::min(axis.firsts[o] + static_cast<int32_t>(k), axis.lasts[o]));
      weights.push_back(axis.weights[static_cast<size_t>(k * axis.outputs) + o]);
    }
}

/// A table's rows of one axis, along its outputs' and its taps' axes of a result of rank `rank`.
Tensor along_both(const Tensor& all, int64_t start, const Taps1d& axis, int64_t behind, int rank) {
  Shape shape(std::vector<int64_t>(static_cast<size_t>(rank), 1));
  shape[axis.axis] = axis.outputs;
  shape[static_cast<int>(behind)] = axis.taps;
  return all.slice(0, start, start + axis.outputs * axis.taps).reshape(shape);
}

}  // namespace

Tensor unrolled(const Tensor& x, const std::vector<Taps1d>& axes, const InterpolateOptions& options) {
  nodes::Composite sum{unrolled_sum, {x.node()}, words_of(axes), 1};
  Shape shape = x.shape();
  for (const Taps1d& axis : axes) {
    shape[axis.axis] = axis.outputs;
    sum.weight *= 4 * axis.taps;
  }
  for (const Tensor& table : tables_of(axes, options, x.device())) sum.args.push_back(table.node());
  const bool has_weights = sum.args.size() > 2;
  return composite(has_weights ? DType::f32 : x.dtype(), shape, std::move(sum));
}

Tensor gathered(const Tensor& x, const Taps1d& taps, const InterpolateOptions& options) {
  const ResamplingTables tables({taps}, tables_of({taps}, options, x.device()));
  Tensor total;
  for (int64_t k = 0; k < taps.taps; ++k) {
    Tensor term = take(x, tables.indices(0, taps, k), taps.axis);
    if (!tables.has_weights()) return term;
    term = along(tables.weights(0, taps, k), taps.axis, x.rank()) * to_f32(term);
    total = total.defined() ? total + term : term;
  }
  return total;
}

Tensor reduced(const Tensor& x, const std::vector<Taps1d>& axes) {
  std::vector<int32_t> all_indices;
  std::vector<float> all_weights;
  Shape shape = x.shape();
  Axes numbers, behind;
  for (const Taps1d& axis : axes) {
    add_elements(axis, all_indices, all_weights);
    shape[axis.axis] = axis.outputs;
    behind.push_back(shape.rank());
    shape.push_back(axis.taps);
    numbers.push_back(axis.axis);
  }
  const Tensor from = Tensor::from(all_indices, {std::ssize(all_indices)}, x.device()),
               by = Tensor::from(all_weights, {std::ssize(all_weights)}, x.device());
  std::vector<Tensor> indices;
  Tensor weights;
  int64_t start = 0;
  for (int k = 0; k < numbers.rank(); ++k) {
    const Taps1d& axis = axes[static_cast<size_t>(k)];
    indices.push_back(along_both(from, start, axis, behind[k], shape.rank()));
    const Tensor share = along_both(by, start, axis, behind[k], shape.rank());
    weights = weights.defined() ? weights * share : share;
    start += axis.outputs * axis.taps;
  }
  return eglantine::sum(weights * to_f32(load_at(x, numbers, indices, shape)), behind);
}

}  // namespace eglantine::verbs
