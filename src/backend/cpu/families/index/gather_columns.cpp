#include "backend/cpu/families/index/gather_columns.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/index/indices.hpp"
#include "backend/cpu/instructions/runs.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t longest_row = 1 << 18;  ///< whose offsets a second-level cache about holds

bool repeats(const Layout& x) {
  return std::all_of(x.strides.begin(), x.strides.end() - 1, [](int64_t stride) { return stride == 0; });
}

bool repeats_indices(const GatherKernel& kernel) {
  const Expr& index = kernel.index;
  const int inner = index.domain.rank() - 1;
  return inner > 0 && index.domain[inner] <= longest_row && index.piecewise.empty() &&
         std::ranges::all_of(index.iotas, repeats) &&
         std::ranges::all_of(index.operands, [](const Strided& operand) { return repeats(operand.layout); }) &&
         kernel.epilogue.code.size() == 1 && kernel.out.layout.is_contiguous() &&
         kernel.source.storage == kernel.out.storage;
}

/// How far from a row's start its elements lie that the indices select; nothing where one is out of range.
std::optional<std::vector<int64_t>> offsets_in_rows(const GatherKernel& kernel) {
  const EvaluatorProgram program(kernel.index);
  const int64_t length = kernel.index.domain[kernel.index.domain.rank() - 1];
  Evaluator index(program);
  const CheckedAxis axis{kernel.length, kernel.stride};
  const int64_t step = kernel.source.layout.strides.back();
  std::vector<int64_t> offsets;
  for (int64_t at = 0, count = 0; at < length; at += count) {
    count = program.span(at, length);
    const Word* found = index(at, count);
    for (int64_t i = 0; i < count; ++i) {
      const std::optional<int64_t> offset = axis.offset(found[i]);
      if (!offset) return std::nullopt;
      offsets.push_back(*offset + (at + i) * step);
    }
  }
  return offsets;
}

template <class T>
void gather_rows_of(const Layout& rows, const std::vector<int64_t>& offsets, const T* from, T* to, int64_t first,
                    int64_t last) {
  const int64_t row_step = rows.strides.back();
  to += first * std::ssize(offsets);
  for_runs(rows, first, last - first, [&](int64_t, int64_t count, int64_t address) {
    for (int64_t row = 0; row < count; ++row, address += row_step)
      for (const int64_t offset : offsets) *to++ = from[address + offset];
  });
}

}  // namespace

bool gather_columns(const GatherKernel& kernel, ThreadPool& pool) {
  if (!repeats_indices(kernel)) return false;
  const std::optional<std::vector<int64_t>> offsets = offsets_in_rows(kernel);
  if (!offsets) return false;
  const Elements source(kernel.source), out(kernel.out);
  const int64_t length = std::ssize(*offsets), rows = kernel.index.domain.elements() / length;
  source.with_memory([&]<class T>(const T* from) {
    out.with_memory([&]<class To>(To* to) {
      if constexpr (std::is_same_v<T, To>)
        pool.parallel_for(rows, grain(length), [&](int64_t first, int64_t last) {
          gather_rows_of(source.rows(), *offsets, from, to + out.layout().offset, first, last);
        });
    });
  });
  return true;
}

}  // namespace eglantine::cpu
