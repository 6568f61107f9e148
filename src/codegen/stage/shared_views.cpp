#include "codegen/stage/shared_views.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/divide.hpp"

namespace eglantine::codegen {
namespace {

int64_t offset_of(const Expr& expr, size_t operand) { return expr.operands[operand].layout.offset; }

bool same_but_for_offsets(const Strided& a, const Strided& b) {
  return a.buffer == b.buffer && a.storage == b.storage && a.layout.strides == b.layout.strides;
}

SharedViews views_of(const Expr& expr, std::vector<size_t> operands, int64_t step) {
  SharedViews views{std::move(operands), {}, step};
  for (const size_t operand : views.operands)
    views.firsts.push_back(offset_of(expr, operand) - offset_of(expr, views.operands.front()) - views.lowest());
  return views;
}

// Points of more coordinates are a vector or more each.
constexpr int64_t most_interleaved = 4;

/// Operands in the order of their offsets, divided where a vector and the next do not touch, or of what is interleaved
/// where elements of one step end.
std::vector<std::vector<size_t>> neighbours_in(const Expr& expr, std::vector<size_t> operands, int64_t step) {
  std::stable_sort(operands.begin(), operands.end(),
                   [&](size_t a, size_t b) { return offset_of(expr, a) < offset_of(expr, b); });
  std::vector<std::vector<size_t>> groups;
  for (const size_t operand : operands) {
    const auto apart = [&](size_t from) { return offset_of(expr, operand) - offset_of(expr, from); };
    if (groups.empty() ||
        (step > 1 ? apart(groups.back().front()) >= step : apart(groups.back().back()) > vector_width))
      groups.emplace_back();
    groups.back().push_back(operand);
  }
  return groups;
}

}  // namespace

int64_t SharedViews::lowest() const { return step < 0 ? 1 - vector_width : 0; }

int64_t SharedViews::elements() const { return firsts.back() + 1 + (step < 0 ? 0 : (vector_width - 1) * step); }

int64_t SharedViews::vectors() const {
  return aligned ? ceil_divide(elements(), vector_width) : 1 + ceil_divide(elements() - 1, vector_width);
}

bool SharedViews::has(size_t operand) const {
  return std::find(operands.begin(), operands.end(), operand) != operands.end();
}

SharedViews SharedViews::only(const Expr& expr, const std::function<bool(size_t)>& is) const {
  std::vector<size_t> some;
  std::copy_if(operands.begin(), operands.end(), std::back_inserter(some), is);
  return views_of(expr, std::move(some), step);  // whose lowest may be another
}

std::vector<SharedViews> shared_views(const Expr& expr, int axis, const std::function<bool(size_t)>& may) {
  std::vector<SharedViews> groups;
  std::vector<bool> seen(expr.operands.size());
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    const int64_t step = expr.operands[i].layout.strides[static_cast<size_t>(axis)];
    if (seen[i] || step < -1 || step == 0 || step > most_interleaved || !may(i)) continue;
    std::vector<size_t> alike;
    for (size_t k = i; k < expr.operands.size(); ++k) {
      if (!may(k) || !same_but_for_offsets(expr.operands[i], expr.operands[k])) continue;
      seen[k] = true;
      alike.push_back(k);
    }
    for (std::vector<size_t>& near : neighbours_in(expr, std::move(alike), step))
      if (near.size() > 1) groups.push_back(views_of(expr, std::move(near), step));
  }
  return groups;
}

}  // namespace eglantine::codegen
