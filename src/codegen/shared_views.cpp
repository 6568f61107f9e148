#include "codegen/shared_views.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/access_pattern.hpp"
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

/// Operands in the order of their offsets, divided where a vector and the next do not touch.
std::vector<std::vector<size_t>> neighbours_in(const Expr& expr, std::vector<size_t> operands) {
  std::stable_sort(operands.begin(), operands.end(),
                   [&](size_t a, size_t b) { return offset_of(expr, a) < offset_of(expr, b); });
  std::vector<std::vector<size_t>> groups;
  for (const size_t operand : operands) {
    if (groups.empty() || offset_of(expr, operand) - offset_of(expr, groups.back().back()) > vector_width)
      groups.emplace_back();
    groups.back().push_back(operand);
  }
  return groups;
}

}  // namespace

int64_t SharedViews::lowest() const { return step < 0 ? 1 - vector_width : 0; }

int64_t SharedViews::elements() const { return firsts.back() + (step < 0 ? 1 : vector_width); }

int64_t SharedViews::vectors() const { return 1 + ceil_divide(elements() - 1, vector_width); }

bool SharedViews::has(size_t operand) const {
  return std::find(operands.begin(), operands.end(), operand) != operands.end();
}

SharedViews SharedViews::only(const Expr& expr, const std::function<bool(size_t)>& is) const {
  std::vector<size_t> some;
  std::copy_if(operands.begin(), operands.end(), std::back_inserter(some), is);
  return views_of(expr, std::move(some), step);
}

std::vector<SharedViews> shared_views(const Expr& expr, int axis, const std::function<bool(size_t)>& may) {
  std::vector<SharedViews> groups;
  std::vector<bool> seen(expr.operands.size());
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    const int64_t step = expr.operands[i].layout.strides[static_cast<size_t>(axis)];
    if (seen[i] || std::abs(step) != 1 || !may(i)) continue;
    std::vector<size_t> alike;
    for (size_t k = i; k < expr.operands.size(); ++k) {
      if (!may(k) || !same_but_for_offsets(expr.operands[i], expr.operands[k])) continue;
      seen[k] = true;
      alike.push_back(k);
    }
    for (std::vector<size_t>& near : neighbours_in(expr, std::move(alike)))
      if (near.size() > 1) groups.push_back(views_of(expr, std::move(near), step));
  }
  return groups;
}

}  // namespace eglantine::codegen
