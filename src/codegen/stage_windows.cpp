#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/stage.hpp"

/// The text of a LoadStage's piecewise reads that have elements in common (codegen/window_reads.hpp): y<w>_<p> is the
/// element at place p of window w, read once for all components of all reads.
namespace eglantine::codegen {
namespace {

std::string name_of_element(size_t window, int64_t place) {
  return "y" + std::to_string(window) + "_" + std::to_string(place);
}

std::string moved(const std::string& from, int64_t distance) {
  return distance == 0 ? from : from + " + " + literal(static_cast<uint64_t>(distance));
}

}  // namespace

/// Those of vectors that lie in one row, of one binding: then addresses differ as offsets do.
void LoadStage::choose_windows() {
  const AxisSpan& span = spec_.spans[static_cast<size_t>(spec_.vector_span)];
  if (spec_.width == 1 || addresses_.has_tail() || span.first + span.rank != spec_.domain.rank()) return;
  for (WindowReads& window : window_reads(expr_)) {
    const auto binding = [&](size_t read) { return bindings_of_[expr_.piecewise[read].operand]; };
    const bool one = std::all_of(window.reads.begin(), window.reads.end(),
                                 [&](size_t read) { return binding(read) == binding(window.reads.front()); });
    const auto elements = static_cast<size_t>(spec_.width) * window.reads.size();
    if (one && window.places(spec_.width).size() < elements) windows_.push_back(std::move(window));
  }
}

std::string LoadStage::load_windows(const Bindings& bindings) const {
  std::string text;
  for (size_t w = 0; w < windows_.size(); ++w) {
    const WindowReads& window = windows_[w];
    const auto operand = static_cast<int>(expr_.piecewise[window.reads.front()].operand);
    const DType dtype = expr_.operands[static_cast<size_t>(operand)].dtype();
    const int binding = bindings_of_[static_cast<size_t>(operand)];
    for (const int64_t place : window.places(spec_.width)) {
      const auto coordinate = [&](int iota) {
        return moved(addresses_.element(operands() + iota, 0), window.moving == iota ? place : 0);
      };
      const auto element = [&](const std::string& address) {
        return from_stored(bindings.at(binding).dtype(), dtype, 1, bindings.read(binding, address));
      };
      const std::string address = moved(addresses_.element(operand, 0), place * window.apart);
      text += "  " + std::string(value_type(dtype, 1)) + " " + name_of_element(w, place) + " = " +
              piecewise_[window.reads.front()].value(dtype, address, coordinate, element) + ";\n";
    }
  }
  return text;
}

/// Defines x<operand> from the elements of its window; empty where it has none.
std::string LoadStage::load_from_window(int operand) const {
  for (size_t w = 0; w < windows_.size(); ++w)
    for (size_t i = 0; i < windows_[w].reads.size(); ++i) {
      if (expr_.piecewise[windows_[w].reads[i]].operand != static_cast<size_t>(operand)) continue;
      const std::string type(value_type(expr_.operands[static_cast<size_t>(operand)].dtype(), spec_.width));
      std::string text = "  " + type + " x" + std::to_string(operand) + " = " + type + "(";
      for (int j = 0; j < spec_.width; ++j)
        text += (j > 0 ? ", " : "") + name_of_element(w, windows_[w].firsts[i] + j * windows_[w].step);
      return text + ");\n";
    }
  return "";
}

}  // namespace eglantine::codegen
