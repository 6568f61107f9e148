#include <algorithm>
#include <set>

#include "codegen/glsl_type.hpp"
#include "codegen/stage/stage.hpp"

/// The text of a LoadStage's operands that are shifted views of one storage (codegen/stage/shared_views.hpp): m<g>_<k>
/// is an aligned vector of memory of group g, s<g>_<k> the four elements of the group from place 4 k on.
namespace eglantine::codegen {
/// Of vectors that lie in one row, where that takes fewer loads; of partial ones what is interleaved.
void LoadStage::choose_views(Vectors vectors) {
  const bool neighbours = spec_.width == vector_width && spec_.apart == 1 && spec_.run == 1;
  const AxisSpan& span = spec_.spans[static_cast<size_t>(spec_.vector_span)];
  const bool may_be_partial = spec_.masked && span.rank == 1;
  if (vectors != Vectors::anywhere || !neighbours || (addresses_.has_tail() && !may_be_partial)) return;
  const auto may = [&](size_t i) {
    return !expr_.stores(i) && !is_staged(static_cast<int>(i)) && expr_.piecewise_of(i) == nullptr;
  };
  for (SharedViews& views : shared_views(expr_, span.first + span.rank - 1, may)) {
    if (addresses_.has_tail() && !views.is_interleaved()) continue;
    views.aligned = is_aligned(views);
    int64_t apart = 0;
    for (const size_t operand : views.operands) apart += loads_apart(static_cast<int>(operand));
    if (views.vectors() < apart) views_.push_back(std::move(views));
  }
}

/// Elements of narrow types are widened as they are joined.
bool LoadStage::is_aligned(const SharedViews& views) const {
  const Strided& first = expr_.operands[views.operands.front()];
  return views.is_interleaved() && !is_narrow(first.storage) && addresses_.aligned(first.layout);
}

/// In one binding addresses differ as offsets do.
void LoadStage::divide_views() {
  std::vector<SharedViews> divided;
  for (const SharedViews& views : views_) {
    std::set<int> bindings;
    for (const size_t operand : views.operands) bindings.insert(bindings_of_[operand]);
    for (const int binding : bindings) {
      divided.push_back(views.only(expr_, [&](size_t operand) { return bindings_of_[operand] == binding; }));
      divided.back().aligned = is_aligned(divided.back());
    }
  }
  views_ = std::move(divided);
}

/// How many loads give a vector of an operand by itself.
int64_t LoadStage::loads_apart(int operand) const {
  if (expr_.piecewise_of(static_cast<size_t>(operand)) != nullptr) return spec_.width;
  switch (addresses_.access(operand)) {
    case VectorAccess::anywhere:
      return spec_.of_memory ? 1 : 2;
    case VectorAccess::gather:
      return addresses_.repeats_along_rows(operand) ? 2 : spec_.width;
    case VectorAccess::strided:
      return spec_.width;
    default:
      return 1;
  }
}

bool LoadStage::shares_view(int operand) const {
  return std::any_of(views_.begin(), views_.end(),
                     [&](const SharedViews& views) { return views.has(static_cast<size_t>(operand)); });
}

int64_t LoadStage::loads() const {
  int64_t count = 0;
  for (const SharedViews& views : views_) count += views.vectors();
  for (int i = 0; i < operands(); ++i)
    if (!shares_view(i) && !expr_.stores(static_cast<size_t>(i))) count += loads_apart(i);
  return count;
}

/// Nothing past the vector that holds the highest element is read: of a partial vector, that which exists.
std::string LoadStage::load_views_of(const Bindings& bindings, size_t group) const {
  const SharedViews& views = views_[group];
  const auto front = static_cast<int>(views.operands.front());
  const int binding = bindings_of_[views.operands.front()];
  const DType dtype = expr_.operands[views.operands.front()].dtype();
  const std::string lowest = moved(addresses_.element(front, 0), views.lowest());
  const std::string last = addresses_.element(static_cast<int>(views.operands.back()), 3);
  std::string text;
  for (int64_t k = 0; k < views.vectors(); ++k) {
    const int64_t place = std::min(k * vector_width, views.elements() - 1);
    std::string element = moved(lowest, place);
    if (addresses_.has_tail() && place > 0) element = "min(" + element + ", " + last + ")";
    text += "  " + bindings.vector_type(binding) + " " + numbered("m", group, k) + " = " +
            bindings.whole(binding, "(" + element + ") >> 2") + ";\n";
  }
  for (int64_t k = 0; k * vector_width < views.elements(); ++k) {
    const int64_t next = std::min(k + 1, views.vectors() - 1);
    text += "  " + std::string(value_type(dtype, 4)) + " " + numbered("s", group, k) + " = " +
            from_stored(bindings.at(binding).dtype(), dtype, 4,
                        views.aligned
                            ? numbered("m", group, k)
                            : bindings.joined(binding, numbered("m", group, k), numbered("m", group, next), lowest)) +
            ";\n";
  }
  return text;
}

std::string LoadStage::load_views(const Bindings& bindings) const {
  std::string text;
  for (size_t group = 0; group < views_.size(); ++group) text += load_views_of(bindings, group);
  return text;
}

/// Defines x<operand> from the elements of its group; empty where it has none.
std::string LoadStage::load_from_views(int operand) const {
  const auto number = static_cast<size_t>(operand);
  for (size_t group = 0; group < views_.size(); ++group) {
    const SharedViews& views = views_[group];
    if (!views.has(number)) continue;
    const auto found = std::find(views.operands.begin(), views.operands.end(), number) - views.operands.begin();
    const std::string type(value_type(expr_.operands[number].dtype(), 4));
    std::string values;
    for (int64_t j = 0; j < vector_width; ++j) {
      const int64_t place = views.firsts[static_cast<size_t>(found)] + j * views.step;
      values += (j > 0 ? ", " : "") + numbered("s", group, place / vector_width) + "." +
                components_of_vec4[static_cast<size_t>(place % vector_width)];
    }
    return "  " + type + " x" + std::to_string(operand) + " = " + type + "(" + values + ");\n";
  }
  return "";
}

}  // namespace eglantine::codegen
