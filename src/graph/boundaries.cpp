#include "graph/boundaries.hpp"

#include <utility>

#include "layout/layout.hpp"

namespace eglantine {

std::optional<Placed> shown_by(const Node& boundary) {
  const auto* view = boundary.as<nodes::View>();
  if (view == nullptr || !view->boundary) return std::nullopt;
  const TracePtr& trace = view->boundary->trace;
  if (trace && trace->maps) return std::nullopt;
  return placed(view->source);
}

std::optional<Placed> behind_boundaries(Placed at) {
  std::optional<Placed> shown = shown_by(*at.source);
  if (!shown) return at;
  shown = behind_boundaries(*std::move(shown));
  std::optional<Layout> through = shown ? layout::compose(at.layout, shown->layout) : std::nullopt;
  if (!through) return std::nullopt;
  return Placed{std::move(shown->source), *std::move(through)};
}

}  // namespace eglantine
