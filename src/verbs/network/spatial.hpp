#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "eglantine/spatial.hpp"

/// Windows along spatial axes: what the arguments of pools and convolutions say of each axis. Pure.
namespace eglantine::verbs {

/// Windows along one axis: element j of window o is at o * stride + j * dilation - before of the axis, which has
/// padding where that is outside.
struct SpatialAxis {
  int axis = 0;  ///< of the tensor, for errors
  int64_t length = 0;
  int64_t window = 1, stride = 1, dilation = 1;
  int64_t before = 0, after = 0;  ///< the padding that counts
  int64_t outputs = 0;            ///< windows

  int64_t extent() const { return (window - 1) * dilation + 1; }  ///< from a window's first element to its last
  int64_t padded() const { return before + length + after; }
  /// From the padding's first element to the last of all windows; under ceil_mode it may be beyond padded().
  int64_t span() const { return outputs == 0 ? padded() : (outputs - 1) * stride + extent(); }
  /// The elements to add behind the axis for the windows.
  int64_t behind() const { return span() > before + length ? span() - before - length : 0; }
};

/// Axes as numbers alone, and back.
std::vector<int64_t> words_of(const std::vector<SpatialAxis>& axes);
std::vector<SpatialAxis> axes_of_words(const std::vector<int64_t>& words);

/// The numbers of an option for the spatial axes from `first` on. Throws ShapeError for another count, and for a number
/// below `least`.
std::vector<int64_t> per_axis(std::string_view function, std::string_view name, const PerAxis& given,
                              const Shape& shape, int first, int64_t least = 1);

/// What the options of a verb say; one number for each spatial axis.
struct WindowRule {
  std::vector<int64_t> window, stride, dilation;
  Pads padding;
  bool ceil_mode = false;
};

/// What pads say of one axis; `same`: that its sides follow from Padding::same, and are not set.
struct Sides {
  int64_t before = 0, after = 0;
  bool same = false;
};

/// Pads of the spatial axes of `shape` from `first` on. Throws ShapeError for pads of another count or below 0; Error
/// for a Padding that is none.
std::vector<Sides> sides_of(std::string_view function, const Shape& shape, int first, const Pads& pads);

/// The spatial axes of a tensor from `first` on. Throws as sides_of(), and ShapeError for a window longer than the
/// padded axis.
std::vector<SpatialAxis> spatial_axes(std::string_view function, const Shape& shape, int first, const WindowRule& rule);

/// The windows of one axis with its padding, of which `outputs` is not set yet. Throws ShapeError that names the axis
/// and both lengths for a window that is longer, and for lengths beyond int64_t.
SpatialAxis with_outputs(std::string_view function, const Shape& shape, SpatialAxis given, bool ceil_mode);

/// The first window that has no element of the axis.
std::optional<int64_t> window_of_padding(const SpatialAxis& axis);

}  // namespace eglantine::verbs
