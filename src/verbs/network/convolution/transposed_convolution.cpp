#include "verbs/network/convolution/transposed_convolution.hpp"

#include <algorithm>
#include <functional>

#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/network/convolution/convolution_parts.hpp"
#include "verbs/network/convolution/transposed_sums.hpp"

namespace eglantine::verbs {

namespace {

using Sums = std::function<Tensor(const TransposedConvolution& c, const Part& part)>;

/// Where a part's sums lie in the result. Those of volumes' groups have no axes of remainders.
Layout places_in_result(const TransposedConvolution& c, const Shape& sums, const Part& part) {
  constexpr int of_volumes = 6;
  const Layout whole = layout::contiguous(c.shape());
  const bool volumes = c.spatial() == 3 && sums.rank() == of_volumes;
  Layout at{sums, {whole.strides[0]}, 0};
  if (volumes || sums.rank() > 2 + 2 * c.spatial()) at.strides.push_back(whole.strides[1] * c.results());
  at.strides.push_back(whole.strides[1]);
  for (size_t k = 0; k < part.size(); ++k) {
    at.strides.push_back(whole.strides[k + 2] * c.axes[k].stride);
    if (!volumes) at.strides.push_back(whole.strides[k + 2]);
    at.offset += whole.strides[k + 2] * part[k].first;
  }
  return at;
}

/// Sums of parts in their places, and 0 elsewhere.
class PlacedSums {
 public:
  explicit PlacedSums(const TransposedConvolution& c) : c_(c) {}

  /// Of channels from `first` on.
  void add(const Tensor& sums, const Part& part, int64_t first = 0) {
    Layout at = places_in_result(c_, sums.shape(), part);
    at.offset += first * layout::contiguous(c_.shape()).strides[1];
    placement_.regions.push_back(at);
    placement_.pieces.push_back(sums.node());
    covered_ += sums.size();
  }
  Tensor result() {
    const int64_t all = c_.shape().elements();
    if (placement_.pieces.empty()) return zeros(c_.shape(), c_.x.dtype(), c_.x.device());
    if (placement_.pieces.size() == 1 && covered_ == all) return Tensor(placement_.pieces.front()).reshape(c_.shape());
    if (covered_ < all) placement_.fill = 0;
    return pend(make_placement(c_.shape(), c_.x.dtype(), c_.x.node()->device, std::move(placement_)));
  }

 private:
  const TransposedConvolution& c_;
  nodes::Placement placement_;
  int64_t covered_ = 0;
};

Tensor placed_sums(const TransposedConvolution& c, const std::vector<Part>& parts, const Sums& sums) {
  PlacedSums placed(c);
  for (const Part& part : parts) placed.add(sums(c, part), part);
  return placed.result();
}

std::vector<Part> parts_of(const TransposedConvolution& c) {
  std::vector<Part> of_axes;
  for (const SpatialAxis& axis : c.axes) of_axes.push_back(without_waste(axis));
  return combinations(of_axes);
}

/// A part for each remainder while those are few: then neighbouring results, of a kernel that computes them element by
/// element, read neighbouring memory.
std::vector<Part> single_parts_of(const TransposedConvolution& c) {
  constexpr size_t most = 16;
  std::vector<Part> merged, single;
  size_t parts = 1, kernels = 1;
  for (const SpatialAxis& axis : c.axes) {
    merged.push_back(without_waste(axis));
    single.push_back(one_by_one(merged.back(), most));
    parts *= merged.back().size();
    kernels *= single.back().size();
  }
  return combinations(parts == 1 || kernels > most ? merged : single);
}

/// A product of matrices in memory.
bool is_product(const TransposedConvolution& c) {
  return c.groups == 1 && std::all_of(c.axes.begin(), c.axes.end(), [](const SpatialAxis& axis) {
           return axis.window == 1 && axis.stride == 1 && axis.outputs == axis.length && axis.before == 0;
         });
}

Tensor product(const TransposedConvolution& c) {
  const int64_t places = outputs_of(c.axes).elements();
  return matmul(c.w.reshape({c.channels(), c.results()}).transpose(0, 1),
                c.x.reshape({c.images(), c.channels(), places}))
      .reshape(c.shape());
}

/// Few results from many channels leave most of a contraction's tile idle, and it reads each element for each place of
/// the kernel. All products of both, which a matrix product makes of each element once, are then few
/// (docs/performance-notes.md).
bool has_few_results(const TransposedConvolution& c) {
  constexpr int64_t most = 16, most_places = 128;
  return c.results() <= most && c.channels() >= 2 * c.results() &&
         lengths_from(c.w.shape(), 2).elements() <= most_places;
}

Tensor spread(const TransposedConvolution& c) {
  const std::vector<Part> parts = single_parts_of(c);
  if (parts.empty()) return zeros(c.shape(), c.x.dtype(), c.x.device());
  const SpreadElements elements(c, parts);
  return placed_sums(c, parts, [&](const TransposedConvolution&, const Part& part) { return elements.sums(part); });
}

/// A part for each remainder, where that takes fewer kernels than each group by itself does; else none.
std::vector<Part> parts_of_volumes(const TransposedConvolution& c) {
  const std::vector<Part> parts = single_parts_of(c);
  int64_t taps = 0;
  for (const Part& part : parts) {
    if (std::ranges::any_of(part, [](const Residues& r) { return r.count > 1; })) return {};
    taps += std::min(part[0].taps, c.images());
  }
  return taps < c.groups * std::ssize(parts_of(c)) ? parts : std::vector<Part>{};
}

/// More axes than a tensor has: each group by itself.
Tensor each_group(const TransposedConvolution& c) {
  const std::vector<Tensor> x = split(c.x, c.groups, 1), w = split(c.w, c.groups, 0);
  const std::vector<Part> parts = parts_of(c);
  PlacedSums placed(c);
  for (size_t i = 0; i < x.size(); ++i)
    for (const Part& part : parts)
      placed.add(sums_of_all({c.function, x[i], w[i], c.axes, 1}, part), part, static_cast<int64_t>(i) * c.results());
  return placed.result();
}

}  // namespace

Shape TransposedConvolution::shape() const {
  Shape whole{images(), groups * results()};
  for (const SpatialAxis& axis : axes) whole.push_back(axis.length);
  return whole;
}

Tensor transposed_convolution(const TransposedConvolution& given) {
  if (given.shape().elements() == 0 || given.x.size() == 0)
    return zeros(given.shape(), given.x.dtype(), given.x.device());
  if (is_product(given)) return product(given);
  if (given.groups > 1 && given.channels() == 1 && given.results() == 1)
    return placed_sums(given, single_parts_of(given), sums_of_channels);
  TransposedConvolution c = given;
  for (SpatialAxis& axis : c.axes) axis = with_own_residues(axis);
  if (has_few_results(c)) return spread(c);
  if (c.groups == 1) return placed_sums(c, parts_of(c), sums_of_all);
  if (c.spatial() < 3) return placed_sums(c, parts_of(c), sums_of_groups);
  const std::vector<Part> volumes = parts_of_volumes(c);
  return volumes.empty() ? each_group(c) : placed_sums(c, volumes, sums_of_volume_groups);
}

}  // namespace eglantine::verbs
