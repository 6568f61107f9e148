#include "verbs/network/resampling/resampling_tables.hpp"

#include <bit>
#include <utility>

#include "evaluate/upload.hpp"
#include "layout/divide.hpp"

namespace eglantine::verbs {

namespace {

int64_t pitch_of(const Taps1d& axis) { return round_up(axis.outputs, 4); }

template <class T>
void add_rows(const Taps1d& axis, const std::vector<T>& rows, std::vector<T>& all) {
  for (int64_t k = 0; k < axis.taps; ++k) {
    all.insert(all.end(), rows.begin() + k * axis.outputs, rows.begin() + (k + 1) * axis.outputs);
    all.resize(all.size() + static_cast<size_t>(pitch_of(axis) - axis.outputs));
  }
}

std::vector<Tensor> uploaded(const std::vector<Taps1d>& axes, const Device& device) {
  std::vector<int32_t> indices;
  std::vector<float> weights;
  for (const Taps1d& axis : axes) {
    add_rows(axis, axis.indices, indices);
    if (!axis.weights.empty()) add_rows(axis, axis.weights, weights);
  }
  std::vector<Tensor> tables{Tensor::from(indices, {std::ssize(indices)}, device)};
  if (!weights.empty()) tables.push_back(Tensor::from(weights, {std::ssize(weights)}, device));
  return tables;
}

/// All that the tables of outlines follow from.
std::vector<int64_t> words_of_tables(const std::vector<Taps1d>& axes, const InterpolateOptions& options) {
  constexpr int64_t whose = 0x696e746572706f;  // "interpo"
  std::vector<int64_t> words{whose, static_cast<int64_t>(options.mode), int64_t{options.align_corners}};
  for (const Taps1d& axis : axes)
    words.insert(words.end(), {axis.length, axis.outputs, std::bit_cast<int64_t>(axis.scale.value_or(0))});
  return words;
}

}  // namespace

std::vector<Tensor> tables_of(const std::vector<Taps1d>& axes, const InterpolateOptions& options,
                              const Device& device) {
  if (!axes.front().indices.empty()) return uploaded(axes, device);
  const std::vector<NodePtr> leaves = uploaded_once(device, words_of_tables(axes, options), [&] {
    std::vector<Taps1d> filled;
    for (const Taps1d& axis : axes) filled.push_back(with_tables(axis, options));
    std::vector<NodePtr> nodes;
    for (const Tensor& table : uploaded(filled, device)) nodes.push_back(table.node());
    return nodes;
  });
  return {leaves.begin(), leaves.end()};
}

ResamplingTables::ResamplingTables(const std::vector<Taps1d>& axes, std::vector<Tensor> tables)
    : tables_(std::move(tables)) {
  int64_t length = 0;
  for (const Taps1d& axis : axes) {
    starts_.push_back(length);
    length += axis.taps * pitch_of(axis);
  }
}

Tensor ResamplingTables::row(const Tensor& all, size_t k, const Taps1d& axis, int64_t tap) const {
  const int64_t start = starts_[k] + tap * pitch_of(axis);
  return all.crop({{start, start + axis.outputs}});
}

}  // namespace eglantine::verbs
