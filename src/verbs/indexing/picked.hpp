#pragma once

#include "verbs/indexing/resolve.hpp"

/// How tensors pick elements of a selection: as one index along one axis, which gathers and scatters take.
namespace eglantine::verbs {

struct Picked {
  Tensor base;    ///< the selection, with the picked axes as one where they are several
  int axis;       ///< of the base, that `index` indexes
  NodePtr index;  ///< over the result's shape
  Tensor places;  ///< the same index, once for each picked element
  IntList axes;   ///< the base's axis for each of the result's, -1 for one of the places'
  IndexCheck check;
};

/// The base is a view; only where no strides join the picked axes is it computed to be written anew.
Picked picked(std::string_view function, const Tensor& x, const Selection& selection);

/// The base as the flat memory that x lies in, which takes an index for each element; nothing where i32 indices do not
/// reach all of it. What picked() would write anew is read in place.
std::optional<Picked> picked_in_place(std::string_view function, const Tensor& x, const Selection& selection);

/// The base as x's elements in row-major order, which takes an index for each element; nothing where i32 indices do not
/// reach all of it. What scatter writes to it is a tensor of x's elements.
std::optional<Picked> picked_in_all(std::string_view function, const Tensor& x, const Selection& selection);

/// Whether strides join the picked axes.
bool joins(const Tensor& x, const Selection& selection);

/// A tensor of the base's shape in the selection's.
Tensor as_selected(const Tensor& base, const Selection& selection);

}  // namespace eglantine::verbs
