#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

#include "backend/cpu/families/index/scatter_task.hpp"
#include "backend/cpu/instructions/math.hpp"
#include "eglantine/error.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "layout/split.hpp"

namespace eglantine::cpu {

namespace {

template <Reduction reduction, class T>
T combined(T a, T b) {
  if constexpr (reduction == Reduction::sum) return cpu_math::add(a, b);
  if constexpr (reduction == Reduction::prod) return cpu_math::mul(a, b);
  if constexpr (reduction == Reduction::max) return cpu_math::maximum(a, b);
  if constexpr (reduction == Reduction::min) return cpu_math::minimum(a, b);
}

template <Reduction reduction, class T>
Word combined_words(Word element, Word update) {
  return std::bit_cast<Word>(combined<reduction>(std::bit_cast<T>(element), std::bit_cast<T>(update)));
}

constexpr int64_t cache_line = 16;  // words: threads that wrote to one would wait for each other

using Scatter = void (*)(const ScatterTask& task, int64_t begin, int64_t end);
/// The loops over updates that are combined, and over a table that is combined with the output.
struct Combining {
  Scatter scatter;
  void (*combine)(Word* to, const Word* from, int64_t count);
};

template <Reduction reduction, class T>
Combining combining_of() {
  return {scatter_all<combined_words<reduction, T>>, [](Word* to, const Word* from, int64_t count) {
            scatter_run<combined_words<reduction, T>>(to, 1, from, count);
          }};
}

template <Reduction reduction>
Combining combining_of(DType dtype) {
  if (dtype == DType::f32) return combining_of<reduction, float>();
  return dtype == DType::i32 ? combining_of<reduction, int32_t>() : combining_of<reduction, uint32_t>();
}

Combining combining_of(Reduction reduction, DType dtype) {
  switch (reduction) {
    case Reduction::sum:
      return combining_of<Reduction::sum>(dtype);
    case Reduction::prod:
      return combining_of<Reduction::prod>(dtype);
    case Reduction::max:
      return combining_of<Reduction::max>(dtype);
    case Reduction::min:
      return combining_of<Reduction::min>(dtype);
    default:
      throw Error("[scatter] updates are combined by sum, prod, max or min, not by " + std::string(name_of(reduction)));
  }
}

/// The longest axis along which updates go to elements of their own; -1: none does.
int axis_apart(const ScatterKernel& kernel) {
  const Shape& domain = kernel.index.domain;
  int longest = -1;
  for (int axis = 0; axis < domain.rank(); ++axis)
    if (kernel.target.strides[static_cast<size_t>(axis)] != 0 && (longest < 0 || domain[axis] > domain[longest]))
      longest = axis;
  return longest;
}

ScatterKernel restricted(ScatterKernel kernel, const layout::Box& box) {
  for (Expr* expr : {&kernel.index, &kernel.updates}) {
    for (Strided& operand : expr->operands) operand.layout = layout::restrict_to(operand.layout, box);
    for (Layout& iota : expr->iotas) iota = layout::restrict_to(iota, box);
    expr->domain = box.length;
  }
  kernel.target = layout::restrict_to(kernel.target, box);
  kernel.place = layout::restrict_to(kernel.place, box);
  return kernel;
}

/// Pieces of an axis whose elements are apart, on all threads: each element's updates are combined in their order.
void combine_apart(const ScatterKernel& kernel, int axis, int64_t piece, const Combining& by, FirstOutside& outside,
                   ThreadPool& pool) {
  const Shape& domain = kernel.index.domain;
  pool.parallel_for(ceil_divide(domain[axis], piece), 1, [&](int64_t begin, int64_t end) {
    layout::Box box{domain, domain};
    std::fill(box.start.begin(), box.start.end(), 0);
    box.start[axis] = begin * piece;
    box.length[axis] = std::min(end * piece, domain[axis]) - begin * piece;
    const ScatterTask task(restricted(kernel, box), outside);
    by.scatter(task, 0, task.index.elements());
  });
}

/// Equal parts of the updates, each combined in its order: the first with the output, the others with tables, which are
/// then combined with it in order. The parts do not depend on the threads.
void combine_in_tables(const ScatterKernel& kernel, int64_t tables, const Combining& by, FirstOutside& outside,
                       ThreadPool& pool) {
  const int64_t elements = kernel.index.domain.elements(), size = kernel.out.layout.size();
  const int64_t part = ceil_divide(elements, tables), table_words = round_up(size, cache_line);
  const Words words((tables - 1) * table_words);
  std::fill_n(words.data(), (tables - 1) * table_words, info_of(*kernel.combine).identity(kernel.out.dtype()));
  pool.parallel_for(tables, 1, [&](int64_t begin, int64_t end) {
    for (int64_t table = begin; table < end; ++table) {
      ScatterTask task(kernel, outside);
      if (table > 0) task.table = words.data() + (table - 1) * table_words;
      by.scatter(task, std::min(table * part, elements), std::min((table + 1) * part, elements));
    }
  });
  Word* out = Elements(kernel.out).in_place(0, size);
  for (int64_t table = 0; table + 1 < tables; ++table) by.combine(out, words.data() + table * table_words, size);
}

}  // namespace

void scatter_combined(const ScatterKernel& kernel, FirstOutside& outside, ThreadPool& pool) {
  constexpr int64_t pieces_a_thread = 4, most_tables = 16, updates_a_place = 2;
  const Combining by = combining_of(*kernel.combine, kernel.out.dtype());
  const int64_t elements = kernel.index.domain.elements(), size = kernel.out.layout.size();
  const int64_t chunks = elements / chunk_elements;
  if (const int axis = axis_apart(kernel); axis >= 0) {
    const int64_t length = kernel.index.domain[axis];
    const bool neighbours = std::abs(kernel.target.strides[static_cast<size_t>(axis)]) < cache_line;
    const int64_t multiple = neighbours ? cache_line : 1;
    if (chunks > 1 && length > multiple) {  // whatever the threads are: the bits are not those of tables
      const int64_t pieces = std::min<int64_t>(pieces_a_thread * pool.threads(), chunks);
      return combine_apart(kernel, axis, round_up(ceil_divide(length, pieces), multiple), by, outside, pool);
    }
  }
  const int64_t tables = std::min({chunks, elements / (updates_a_place * size), most_tables});
  const bool words_in_order = !is_narrow(kernel.out.storage) && kernel.out.layout.offset == 0;
  if (tables > 1 && words_in_order) return combine_in_tables(kernel, tables, by, outside, pool);
  by.scatter(ScatterTask(kernel, outside), 0, elements);
}

}  // namespace eglantine::cpu
