#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/stage/stage.hpp"
#include "layout/divide.hpp"

/// The text of a LoadStage's piecewise reads that have elements in common (codegen/stage/window_reads.hpp): y<w>_<p> is
/// the element at place p of window w, read once for all components of all reads; z<w>_<p> the vec4 from place p on,
/// where the line is whole vec4s.
namespace eglantine::codegen {
namespace {

/// The place of the vec4 that the element at a place lies in.
int64_t quad_of(int64_t place, int64_t phase) {
  const int64_t from = place - phase;
  return place - ((from % vector_width) + vector_width) % vector_width;
}

}  // namespace

/// Of vectors that lie in one row.
void LoadStage::choose_windows(Vectors vectors) {
  const AxisSpan& span = spec_.spans[static_cast<size_t>(spec_.vector_span)];
  if (spec_.width == 1 || addresses_.has_tail() || span.first + span.rank != spec_.domain.rank()) return;
  for (WindowReads& window : window_reads(expr_)) {
    if (window.places(spec_.width).size() >= static_cast<size_t>(spec_.width) * window.reads.size()) continue;
    // The index of a vector in rows may be any.
    if (spec_.in_rows || vectors == Vectors::none) window.phase.reset();
    windows_.push_back(std::move(window));
  }
}

bool LoadStage::reads_quads(int operand) const {
  return std::any_of(windows_.begin(), windows_.end(), [&](const WindowReads& window) {
    return window.phase && std::any_of(window.reads.begin(), window.reads.end(), [&](size_t read) {
             return expr_.piecewise[read].operand == static_cast<size_t>(operand);
           });
  });
}

/// In one binding addresses differ as offsets do.
void LoadStage::divide_windows() {
  std::vector<WindowReads> divided;
  for (const WindowReads& window : windows_) {
    const auto binding = [&](size_t read) { return bindings_of_[expr_.piecewise[read].operand]; };
    if (std::all_of(window.reads.begin(), window.reads.end(),
                    [&](size_t read) { return binding(read) == binding(window.reads.front()); }))
      divided.push_back(window);
    else
      for (size_t i = 0; i < window.reads.size(); ++i) divided.push_back(window.alone(i));
  }
  windows_ = std::move(divided);
}

/// What lies from a place on: an element, or a vec4.
std::string LoadStage::load_of_window(const Bindings& bindings, size_t w, int64_t place, int width) const {
  const WindowReads& window = windows_[w];
  const size_t read = window.reads.front();
  const auto operand = static_cast<int>(expr_.piecewise[read].operand);
  const DType dtype = expr_.operands[static_cast<size_t>(operand)].dtype();
  const int binding = bindings_of_[static_cast<size_t>(operand)];
  const auto coordinate = [&](int iota) {
    return moved(addresses_.element(operands() + iota, 0), window.moving == iota ? place : 0);
  };
  const auto element = [&](const std::string& address) {
    const std::string index = "(" + address + ")" + (width == 1 ? "" : " >> 2");
    return from_stored(bindings.at(binding).dtype(), dtype, width, bindings.read(binding, index));
  };
  const std::string address = moved(addresses_.element(operand, 0), place * window.apart);
  return piecewise_[read].statements(numbered(width == 1 ? "y" : "z", w, place), dtype, width, address, coordinate,
                                     element);
}

std::string LoadStage::load_window(const Bindings& bindings, size_t w) const {
  const WindowReads& window = windows_[w];
  std::string text;
  if (!window.phase) {
    for (const int64_t place : window.places(spec_.width)) text += load_of_window(bindings, w, place, 1);
    return text;
  }
  std::optional<int64_t> last;
  for (const int64_t place : window.places(spec_.width)) {
    const int64_t quad = quad_of(place, *window.phase);
    if (last != quad) text += load_of_window(bindings, w, quad, vector_width);
    last = quad;
  }
  return text;
}

std::string LoadStage::load_windows(const Bindings& bindings) const {
  std::string text;
  for (size_t w = 0; w < windows_.size(); ++w) text += load_window(bindings, w);
  return text;
}

/// Defines x<operand> from the elements of its window; empty where it has none.
std::string LoadStage::load_from_window(int operand) const {
  constexpr std::string_view components = "xyzw";
  for (size_t w = 0; w < windows_.size(); ++w) {
    const WindowReads& window = windows_[w];
    const auto found = std::find_if(window.reads.begin(), window.reads.end(), [&](size_t read) {
      return expr_.piecewise[read].operand == static_cast<size_t>(operand);
    });
    if (found == window.reads.end()) continue;
    const std::string type(value_type(expr_.operands[static_cast<size_t>(operand)].dtype(), spec_.width));
    std::string text = "  " + type + " x" + std::to_string(operand) + " = " + type + "(";
    for (int j = 0; j < spec_.width; ++j) {
      const int64_t place = window.firsts[static_cast<size_t>(found - window.reads.begin())] + j * window.step;
      const int64_t quad = window.phase ? quad_of(place, *window.phase) : place;
      text += (j > 0 ? ", " : "") + numbered(window.phase ? "z" : "y", w, quad);
      if (window.phase) text += std::string(".") + components[static_cast<size_t>(place - quad)];
    }
    return text + ");\n";
  }
  return "";
}

}  // namespace eglantine::codegen
