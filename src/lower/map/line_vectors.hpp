#pragma once

#include <optional>
#include <string>

#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// The axis, not the last, along which four neighbours of a map read the fewest elements, each once: a window's lines,
/// which neighbouring results share, or several results of one window. Nothing where those that are read under
/// conditions are more than seven tenths of what they read apart, or an element is written again while others may still
/// read it.
std::optional<int> axis_of_lines(const MapKernel& kernel);

/// Whether an element may be written again while others still read it, which the last four lines must not do.
bool writes_again(const MapKernel& kernel);

/// The map with that axis last.
MapKernel with_lines_last(const MapKernel& kernel, int axis);

/// The order of a domain (others..., columns, lines) in vectors of four lines: columns side by side, then the next four
/// lines. The last four of lines that are no multiple of four begin earlier, and are computed again.
class LineVectors {
 public:
  static int64_t count(const Shape& domain, int lines);  ///< lines: their axis

  LineVectors(const Shape& domain, codegen::Uniforms& uniforms);
  /// GLSL: `uint eg_line_vector(uint number)`, the number of a vector's first element.
  std::string text() const;

 private:
  int columns_slot_, fours_slot_, lines_slot_;
};

}  // namespace eglantine::lower
