#include "verbs/network/resampling/resampling_tables.hpp"

#include <bit>
#include <utility>

#include "eglantine/ops.hpp"
#include "evaluate/upload.hpp"
#include "layout/divide.hpp"

namespace eglantine::verbs {

namespace {

int64_t pitch_of(const Taps1d& axis) { return round_up(axis.outputs, 4); }
int64_t rows_of_places(const Taps1d& axis) { return axis.end == Taps1d::End::of_each ? 2 : 1; }
/// Those of two neighbours add up to 1.
int64_t rows_of_weights(const Taps1d& axis) { return axis.are_neighbours ? 1 : axis.taps; }

template <class T>
void add_row(const Taps1d& axis, const std::vector<T>& rows, int64_t row, std::vector<T>& all) {
  all.insert(all.end(), rows.begin() + row * axis.outputs, rows.begin() + (row + 1) * axis.outputs);
  all.resize(all.size() + static_cast<size_t>(pitch_of(axis) - axis.outputs));
}

std::vector<Tensor> uploaded(const std::vector<Taps1d>& axes, const Device& device) {
  std::vector<int32_t> places;
  std::vector<float> weights;
  for (const Taps1d& axis : axes) {
    add_row(axis, axis.firsts, 0, places);
    if (rows_of_places(axis) > 1) add_row(axis, axis.lasts, 0, places);
    for (int64_t tap = axis.are_neighbours ? 1 : 0; tap < axis.taps && !axis.weights.empty(); ++tap)
      add_row(axis, axis.weights, tap, weights);
  }
  std::vector<Tensor> tables{Tensor::from(places, {std::ssize(places)}, device)};
  if (!weights.empty()) tables.push_back(Tensor::from(weights, {std::ssize(weights)}, device));
  return tables;
}

/// A row that begins there.
Tensor row_at(const Tensor& all, int64_t start, const Taps1d& axis) {
  return all.crop({{start, start + axis.outputs}});
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
  if (!axes.front().firsts.empty()) return uploaded(axes, device);
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
  int64_t places = 0, weights = 0;
  for (const Taps1d& axis : axes) {
    places_.push_back(places);
    weights_.push_back(weights);
    places += rows_of_places(axis) * pitch_of(axis);
    weights += rows_of_weights(axis) * pitch_of(axis);
  }
}

Tensor ResamplingTables::firsts(size_t k, const Taps1d& axis) const { return row_at(tables_[0], places_[k], axis); }

Tensor ResamplingTables::lasts(size_t k, const Taps1d& axis) const {
  return row_at(tables_[0], places_[k] + pitch_of(axis), axis);
}

Tensor ResamplingTables::indices(size_t k, const Taps1d& axis, int64_t tap) const {
  const Tensor first = firsts(k, axis), place = tap == 0 ? first : first + static_cast<int32_t>(tap);
  const auto end = static_cast<int32_t>(axis.length - 1);
  if (axis.end == Taps1d::End::clamped) return clip(place, 0, end);
  if (tap == 0) return first;
  return axis.end == Taps1d::End::of_each ? minimum(place, lasts(k, axis)) : minimum(place, end);
}

Tensor ResamplingTables::weights(size_t k, const Taps1d& axis, int64_t tap) const {
  if (axis.are_neighbours && tap == 0) return 1 - weights(k, axis, 1);
  return row_at(tables_[1], weights_[k] + (axis.are_neighbours ? 0 : tap) * pitch_of(axis), axis);
}

}  // namespace eglantine::verbs
