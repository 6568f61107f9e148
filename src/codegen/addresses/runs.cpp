#include "codegen/addresses/runs.hpp"

#include <algorithm>

namespace eglantine::codegen {
namespace {

constexpr int64_t load_bytes = 16, word_bytes = 4;

/// What an operand does along the span of vectors.
struct Along {
  AccessPattern pattern;
  int64_t stride;  ///< from one element to the next in a row
  int64_t row;     ///< elements

  Along(const Strided& operand, const Shape& domain, const AxisSpan& span)
      : pattern(access_pattern_of(operand.layout, span)),
        stride(pattern == AccessPattern::coordinates
                   ? operand.layout.strides[static_cast<size_t>(span.first + span.rank - 1)]
                   : span_stride(operand.layout, span)),
        row(pattern == AccessPattern::coordinates ? domain[span.first + span.rank - 1] : count_of(domain, span)) {}
};

/// Whether every row begins at an address that is a multiple of `elements`.
bool begins_at_multiples(const Layout& x, const AxisSpan& span, const Along& along, int64_t elements) {
  const bool one_row = along.pattern == AccessPattern::contiguous;
  if (x.offset % elements != 0) return false;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const bool in_row = axis >= span.first && (one_row || axis == span.first + span.rank - 1);
    if (!in_row && x.shape[axis] > 1 && x.strides[static_cast<size_t>(axis)] % elements != 0) return false;
  }
  return true;
}

bool serves(const Strided& operand, const Shape& domain, const AxisSpan& span, int64_t run) {
  const Along along(operand, domain, span);
  if (along.pattern == AccessPattern::broadcast) return true;
  if (along.row % (vector_width * run) != 0) return false;
  return along.stride == 0 || (along.stride == 1 && begins_at_multiples(operand.layout, span, along,
                                                                        load_bytes / bytes_of(operand.storage)));
}

}  // namespace

int64_t run_length(const AddressSpec& spec, const Expr& expr) {
  const bool plain = expr.piecewise.empty() && expr.iotas.empty() && expr.stored.empty();
  if (spec.width != vector_width || spec.vector_span + 1 != std::ssize(spec.spans) || !plain) return 1;
  const AxisSpan& span = spec.spans.back();
  int64_t narrowest = word_bytes;
  for (const Strided& operand : expr.operands)
    if (Along(operand, spec.domain, span).stride == 1)
      narrowest = std::min<int64_t>(narrowest, bytes_of(operand.storage));
  const int64_t run = word_bytes / narrowest;
  const bool whole = count_of(spec.domain, span) % (vector_width * run) == 0 &&
                     spec.domain[span.first + span.rank - 1] % vector_width == 0;
  const bool served = std::all_of(expr.operands.begin(), expr.operands.end(),
                                  [&](const Strided& operand) { return serves(operand, spec.domain, span, run); });
  return whole && served ? run : 1;
}

}  // namespace eglantine::codegen
