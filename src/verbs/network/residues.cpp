#include "verbs/network/residues.hpp"

#include <algorithm>
#include <numeric>

namespace eglantine::verbs {

namespace {

int64_t floor_divided(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t remainder(int64_t a, int64_t b) { return a - floor_divided(a, b) * b; }

/// Positions below `length` that have the remainder.
int64_t places_of(const SpatialAxis& axis, int64_t residue) {
  return residue < axis.length ? (axis.length - 1 - residue) / axis.stride + 1 : 0;
}

/// Adds a part of which some position meets a window.
void add(std::vector<Residues>& parts, const SpatialAxis& axis, const Residues& part) {
  if (part.places > 0 && part.meets(axis.outputs)) parts.push_back(part);
}

/// The remainder of positions that the kernel's place `tap` meets, and every `apart`-th after it.
Residues part_of_tap(const SpatialAxis& axis, int64_t tap) {
  const int64_t common = std::gcd(axis.stride, axis.dilation);
  Residues part;
  part.apart = axis.stride / common;
  part.step = axis.dilation / common;
  part.taps = (axis.window - 1 - tap) / part.apart + 1;
  part.last = tap + (part.taps - 1) * part.apart;
  part.first = remainder(axis.dilation * tap - axis.before, axis.stride);
  part.places = places_of(axis, part.first);
  part.shift = (part.first + axis.before - axis.dilation * part.last) / axis.stride;
  return part;
}

/// Where, from one remainder to the next, positions meet other windows, more or fewer of them, or end.
std::vector<int64_t> breaks(const SpatialAxis& axis) {
  const int64_t fewer_taps = (axis.window - 1) % axis.stride + 1;
  std::vector<int64_t> at{0, remainder(-axis.before, axis.stride), remainder(fewer_taps - axis.before, axis.stride),
                          axis.length % axis.stride, axis.stride};
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

}  // namespace

SpatialAxis with_own_residues(SpatialAxis axis) {
  if (axis.outputs == 1 && axis.dilation == 1)
    axis.stride = std::max({axis.stride, axis.extent(), axis.before + axis.length});
  return axis;
}

std::vector<Residues> without_waste(const SpatialAxis& axis) {
  std::vector<Residues> parts;
  if (axis.dilation > 1 || axis.stride == 1) {
    const int64_t residues = axis.stride / std::gcd(axis.stride, axis.dilation);
    for (int64_t tap = 0; tap < std::min(axis.window, residues); ++tap) add(parts, axis, part_of_tap(axis, tap));
    return parts;
  }
  const std::vector<int64_t> at = breaks(axis);
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    const int64_t tap = remainder(at[i] + axis.before, axis.stride);
    if (tap >= axis.window) continue;
    Residues part = part_of_tap(axis, tap);
    part.count = at[i + 1] - at[i];
    add(parts, axis, part);
  }
  return parts;
}

std::vector<Residues> one_by_one(const std::vector<Residues>& parts, size_t most) {
  std::vector<Residues> single;
  for (const Residues& part : parts)
    for (int64_t i = 0; i < part.count; ++i) {
      if (single.size() == most) return parts;
      Residues one = part;
      one.first += i;
      one.last += i;
      one.count = 1;
      single.push_back(one);
    }
  return single;
}

std::vector<Part> combinations(const std::vector<Part>& of_axes) {
  std::vector<Part> all{{}};
  for (const Part& of_axis : of_axes) {
    std::vector<Part> longer;
    for (const Part& part : all)
      for (const Residues& r : of_axis) {
        longer.push_back(part);
        longer.back().push_back(r);
      }
    all = std::move(longer);
  }
  return all;
}

}  // namespace eglantine::verbs
