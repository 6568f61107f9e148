#include <algorithm>
#include <ranges>

#include "graph/kernel/expression.hpp"
#include "graph/planning/planner.hpp"

/// Many short pieces one behind the other in a result, such as the gradients of a model's small parameters in one
/// vector: a kernel of each would take about as long as its start.
namespace eglantine {

namespace {

/// Elements up to which a kernel's start counts.
constexpr int64_t longest_piece = int64_t{1} << 16;
/// A kernel has a vector of each in registers.
constexpr size_t most_together = 32;

/// Whether the pieces are short runs of the result of which no two overlap, so that they may be written in any order.
bool are_short_runs(const nodes::Placement& what, const std::vector<size_t>& numbers) {
  int64_t end = 0;
  for (size_t i : numbers) {
    const Layout& region = what.regions[i];
    const int64_t size = region.shape.elements();
    if (size > longest_piece || run_of(region) != size || region.offset < end) return false;
    end = region.offset + size;
  }
  return true;
}

/// Pieces of one shape, and what a kernel of them has.
struct Together {
  std::vector<size_t> numbers = {};
  bool alone = false;    ///< takes no other piece
  int64_t bindings = 2;  ///< the result, written by vectors and by elements
  size_t steps = 0;

  bool takes(const Expr& piece, int64_t max_bindings) const {
    return !alone && numbers.size() < most_together && bindings + bindings_for(piece) <= max_bindings &&
           steps + steps_for(piece) <= max_kernel_instructions;
  }
  void add(size_t number, const Expr& piece) {
    numbers.push_back(number);
    bindings += bindings_for(piece);
    steps += steps_for(piece);
  }

 private:
  static int64_t bindings_for(const Expr& piece) { return static_cast<int64_t>(piece.operands.size()); }
  static size_t steps_for(const Expr& piece) { return piece.code.size() + 1; }  // and its store
};

}  // namespace

/// Writes pieces of one shape, each to its region.
MapKernel Planner::map_of_pieces(const nodes::Placement& what, const std::vector<size_t>& numbers, const Strided& out) {
  const Layout at = layout::contiguous(what.pieces[numbers.front()]->shape);
  Writing writing{ExpressionBuilder(at.shape), nullptr, nullptr, {}};
  std::vector<int> values;
  for (size_t i : numbers) values.push_back(lower(writing, *what.pieces[i], at));
  const auto place = [&](size_t i) { return Strided{out.buffer, out.storage, what.regions[i]}; };
  for (size_t k = 0; k + 1 < numbers.size(); ++k) writing.builder.store(values[k], place(numbers[k]));
  writing.builder.end_with(values.back());
  return {writing.builder.take(), place(numbers.back())};
}

std::vector<std::vector<size_t>> Planner::by_kernels(const nodes::Placement& what, const std::vector<size_t>& numbers,
                                                     const Strided& out) {
  const bool may = numbers.size() > 1 && !is_narrow(out.storage) && are_short_runs(what, numbers);
  std::vector<Together> kernels;
  for (size_t i : numbers) {
    const Node& piece = *what.pieces[i];
    if (!may || owners_.in_place.count(&piece) != 0) {
      kernels.push_back({.numbers = {i}, .alone = true});
      continue;
    }
    const Expr value = argument(piece, layout::contiguous(piece.shape));
    const bool alone = !value.piecewise.empty();
    const auto takes = [&](const Together& kernel) {
      const size_t first = kernel.numbers.front();
      const int64_t reached = what.regions[i].offset + piece.shape.elements() - what.regions[first].offset;
      return !alone && what.pieces[first]->shape == piece.shape && reached * bytes_of(out.storage) <= covered_bytes() &&
             kernel.takes(value, device_.max_bindings);
    };
    const auto found = std::ranges::find_if(kernels, takes);
    (found == kernels.end() ? kernels.emplace_back(Together{.alone = alone}) : *found).add(i, value);
  }
  std::vector<std::vector<size_t>> found;
  for (Together& kernel : kernels) found.push_back(std::move(kernel.numbers));
  return found;
}

}  // namespace eglantine
