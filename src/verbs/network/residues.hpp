#pragma once

#include <vector>

#include "verbs/network/spatial.hpp"

/// Convolutions and pools the other way round, along one axis: what each position of the axis adds up that windows take
/// from it. Pure.
namespace eglantine::verbs {

/// Positions whose remainder by the stride is in [first, first + count), `places` of each: position v * stride + r adds
/// up, for j < taps, what window v + shift + j * step has times the place last - j * apart + r - first.
/// Of a kernel or a window's elements. Windows that are none count as 0.
struct Residues {
  int64_t first = 0, count = 1, places = 0;
  int64_t shift = 0, taps = 1, step = 1;
  int64_t last = 0, apart = 1;

  int64_t positions() const { return count * places; }
  int64_t windows() const { return places + (taps - 1) * step; }  ///< that are met, from `shift` on
  /// Whether any of them is one of `outputs`.
  bool meets(int64_t outputs) const { return shift < outputs && shift + windows() > 0; }
};

/// The axis with a stride past its end where it has a single window, of dilation 1: each position then has a remainder
/// of its own, and meets one place of the kernel.
SpatialAxis with_own_residues(SpatialAxis axis);

/// All positions of the axis that windows take from; the others' sums are empty. Remainders are together where they
/// meet the same windows: at most four parts where the dilation is 1, else at most one for each of the kernel's places.
std::vector<Residues> without_waste(const SpatialAxis& axis);

/// The same, a part for each remainder; as they are where that gives more than `most`.
std::vector<Residues> one_by_one(const std::vector<Residues>& parts, size_t most);

/// A part of each axis's positions.
using Part = std::vector<Residues>;
/// Every combination of parts of each axis.
std::vector<Part> combinations(const std::vector<Part>& of_axes);

}  // namespace eglantine::verbs
