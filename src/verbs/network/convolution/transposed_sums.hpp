#pragma once

#include <vector>

#include "verbs/network/convolution/transposed_convolution.hpp"
#include "verbs/network/residues.hpp"

/// What a transposed convolution adds up at some of its result's positions.
namespace eglantine::verbs {

// The sums at a part's positions: (n, results, places, remainders, places, remainders...).

/// A contraction, of a single group.
Tensor sums_of_all(const TransposedConvolution& c, const Part& part);
/// The same with groups as batches, of at most two spatial axes: (n, group, results, places, remainders...).
Tensor sums_of_groups(const TransposedConvolution& c, const Part& part);
/// The same of three, where each remainder is single: (n, group, results, places...).
Tensor sums_of_volume_groups(const TransposedConvolution& c, const Part& part);
/// One channel and one result in each group: products added element by element.
Tensor sums_of_channels(const TransposedConvolution& c, const Part& part);

/// All products of elements of x with places of the kernel, sums over channels, of which each result adds up a few.
class SpreadElements {
 public:
  /// Parts: those that sums() is asked for.
  SpreadElements(const TransposedConvolution& c, const std::vector<Part>& parts);
  Tensor sums(const Part& part) const;

 private:
  Tensor products_;  ///< (n, groups, results of a group * places of the kernel, elements of x)
  Shape kernel_, elements_;
  std::vector<int64_t> first_;  ///< by axis: the first element, of x's, in products_
  int64_t images_, results_;
};

}  // namespace eglantine::verbs
