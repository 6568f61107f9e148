#include "lower/contraction/copied_operands.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/expressions.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t most_copied_bytes = int64_t{1} << 30, word_bytes = 4;

struct Copies {
  bool a = false, b = false;
};

/// x in the order (batches, k, lines), each k at a multiple of four; what is broadcast over batches once. lines: the
/// axis of rows of a, or columns of b.
Layout in_lines(const Layout& x, int lines, int k) {
  Layout made{x.shape, x.strides, 0};
  int64_t step = round_up(x.shape[lines], vector_width);
  made.strides[static_cast<size_t>(lines)] = 1;
  made.strides[static_cast<size_t>(k)] = step;
  step *= x.shape[k];
  for (int i = std::min(lines, k) - 1; i >= 0; --i) {
    int64_t& batch = made.strides[static_cast<size_t>(i)];
    if (batch != 0) batch = step, step *= x.shape[i];
  }
  return made;
}

/// Elements in memory, those between the lines aside.
int64_t elements_of(const Layout& x) {
  int64_t elements = 1;
  for (int i = 0; i < x.shape.rank(); ++i)
    if (stride(x, i) != 0) elements *= x.shape[i];
  return elements;
}

/// An operand that is read one by one, by vec4s along k of b, or of a narrow type.
bool may_gain(const Strided& x, MatmulRead read, bool is_b) {
  const bool slow = is_narrow(x.storage) || read == MatmulRead::single || (is_b && read == MatmulRead::k_major);
  return slow && elements_of(x.layout) <= most_copied_bytes / word_bytes;
}

/// In multiplications of a multiprocessor, as TileInChunks has it; made: the copy of x, of words.
double time_of_copy(const Target& target, const Strided& x, const Layout& made) {
  const double words = static_cast<double>(bytes_of(x.storage) + word_bytes) / (2 * word_bytes);
  return (multiplications_of_copied_element * words * static_cast<double>(elements_of(made)) +
          multiplications_of_copying_dispatch) /
         static_cast<double>(multiprocessors_of(target));
}

/// What it takes longer to store results of odd rows where an invocation has four neighbours of b's columns: lanes
/// exchange them (28,211 columns of sums of 49 on an H200: 430 us for 286; without an exchange 638).
double time_of_neighbours(const Target& target, const Contraction& product) {
  constexpr double exchanged = 40, apart = 85;
  if (product.n() % vector_width == 0) return 0;
  const auto results = static_cast<double>(product.batches() * product.m() * product.n());
  return (target.subgroup == 0 ? apart : exchanged) * results / static_cast<double>(multiprocessors_of(target));
}

/// How much longer a product takes where an operand is narrow (f16 and bf16 beside f32, products of 1000 to 16,384 on
/// an H200; docs/performance-notes.md).
double slowdown(const Strided& x, MatmulRead read, int k, bool is_b) {
  constexpr double by_vectors = 1.03, b_along_k = 1.09, single = 1.06, single_along_k = 1.12;
  if (!is_narrow(x.storage)) return 1;
  if (read == MatmulRead::single) return std::abs(stride(x.layout, k)) == 1 ? single_along_k : single;
  return is_b && read == MatmulRead::k_major ? b_along_k : by_vectors;
}

double time_of_product(const Target& target, const Contraction& product) {
  const MatmulReads reads = reads_for(target, product);
  const auto best = quickest_tile(target, product, {.dtype = product.out.dtype(), .a = reads.a, .b = reads.b});
  const int k = product.k_axis();
  return best ? best->time * slowdown(product.a, reads.a, k, false) * slowdown(product.b, reads.b, k, true) : 0;
}

/// An operand's copy, of words, in lines; without memory.
Strided planned_copy(const Contraction& product, const Strided& x, int lines) {
  return {nullptr, word_storage(x.dtype()), in_lines(x.layout, lines, product.k_axis())};
}

/// The quickest of reading operands as they are and of copying either or both.
Copies copies_for(const Target& target, const Contraction& product) {
  const MatmulReads reads = reads_for(target, product);
  const bool a = may_gain(product.a, reads.a, false), b = may_gain(product.b, reads.b, true);
  Copies best;
  double least = time_of_product(target, product);
  for (const Copies tried : {Copies{false, true}, Copies{true, false}, Copies{true, true}}) {
    if ((tried.a && !a) || (tried.b && !b)) continue;
    Contraction with = product;
    double time = 0;
    if (tried.a) with.a = planned_copy(product, product.a, product.m_axis());
    if (tried.b) with.b = planned_copy(product, product.b, product.n_axis());
    if (tried.a) time += time_of_copy(target, product.a, with.a.layout);
    if (tried.b) time += time_of_copy(target, product.b, with.b.layout);
    if (tried.b && reads_for(target, with).b == MatmulRead::mn_major) time += time_of_neighbours(target, product);
    time += time_of_product(target, with);
    if (time < least) least = time, best = tried;
  }
  return best;
}

/// Of operands that a software device would read one by one, those that several tiles read: each tile takes longer by 3
/// ns an element, a copy takes 1; of small products its dispatch takes as long as it saves.
Copies copies_on_software(const Contraction& product, const MatmulShader& shader) {
  constexpr int64_t fewest_tiles = 4, fewest_products = int64_t{1} << 24;
  if (shader.form != MatmulForm::registers || shader.batches_together) return {};
  if (product.batches() * product.m() * product.n() * product.k() < fewest_products) return {};
  const int64_t down = ceil_divide(product.m(), shader.tile_rows()),
                across = ceil_divide(product.n(), shader.tile_columns());
  const auto gains = [](const Strided& x, MatmulRead read) {
    return read == MatmulRead::single && !is_narrow(x.storage) && may_gain(x, read, false);
  };
  return {across >= fewest_tiles && gains(product.a, shader.a), down >= fewest_tiles && gains(product.b, shader.b)};
}

/// The elements in the order in which a copy has them.
Layout in_its_order(Layout x, int lines, int k) {
  if (lines > k) return x;
  std::swap(x.shape[lines], x.shape[k]);
  std::swap(x.strides[static_cast<size_t>(lines)], x.strides[static_cast<size_t>(k)]);
  return x;
}

/// lines: the axis of x's rows, or columns, beside that of k; both come last.
Strided copied_in_lines(Lowering& lowering, const Strided& x, int lines, int k) {
  Layout memory = in_lines(x.layout, lines, k), from = x.layout;
  for (int i = 0; i < memory.shape.rank(); ++i)
    if (stride(memory, i) == 0) memory.shape[i] = from.shape[i] = 1;
  Strided made = lowering.temporary(x.dtype(), memory);
  MapKernel map{load_of({x.buffer, x.storage, in_its_order(from, lines, k)}),
                {made.buffer, made.storage, in_its_order(memory, lines, k)}};
  collapse(map);
  lower(lowering, map);
  made.layout.shape = x.layout.shape;
  return made;
}

/// Whether elements of other batches lie between those of one matrix.
bool is_interleaved(const Layout& x) {
  const int batch_axes = x.shape.rank() - 2;
  int64_t reach = 1;
  for (int i = batch_axes; i < x.shape.rank(); ++i) reach += (x.shape[i] - 1) * std::abs(stride(x, i));
  const auto lies_within = [&](int i) { return x.shape[i] > 1 && stride(x, i) != 0 && std::abs(stride(x, i)) < reach; };
  bool within = false;
  for (int i = 0; i < batch_axes; ++i) within = within || lies_within(i);
  return within;
}

/// The same elements, one matrix after the other.
Strided with_matrices_in_order(const Strided& x) { return {x.buffer, x.storage, layout::contiguous(x.layout.shape)}; }

/// With copies of operands whose matrices are interleaved, one by one, where groups have several such matrices in
/// shared memory: a tile a matrix, which is mostly empty, would read a line of memory for each element. Of smaller
/// operands, which lie in a cache, a copy's dispatch takes as long as it saves; what overlaps is not stored apart.
std::optional<MatmulKernel> with_matrices_one_by_one(Lowering& lowering, const MatmulKernel& kernel) {
  constexpr int64_t fewest = int64_t{1} << 18;
  const auto may_gain = [](const Strided& x) {
    const int64_t elements = x.layout.shape.elements();
    return layout::reach(x.layout).count() >= elements && elements >= fewest &&
           elements * bytes_of(x.storage) <= most_copied_bytes && is_interleaved(x.layout);
  };
  const bool a = may_gain(kernel.a), b = may_gain(kernel.b);
  if (!a && !b) return std::nullopt;
  MatmulKernel quick = kernel;
  if (a) quick.a = with_matrices_in_order(kernel.a);
  if (b) quick.b = with_matrices_in_order(kernel.b);
  const std::vector<Contraction> products = products_of(quick, quick.out);
  if (products.size() != 1 || shader_for(lowering.target(), products[0], true).form != MatmulForm::matrices)
    return std::nullopt;
  const auto copy = [&](Strided& made, const Strided& x) {
    made.buffer = lowering.temporary(x.layout.shape.elements() * bytes_of(x.storage));
    MapKernel map{load_of(x), made};
    collapse(map);
    lower(lowering, map);
  };
  if (a) copy(quick.a, kernel.a);
  if (b) copy(quick.b, kernel.b);
  return quick;
}

}  // namespace

MatmulKernel with_copied_operands(Lowering& lowering, const MatmulKernel& kernel) {
  const Target& target = lowering.target();
  const std::vector<Contraction> products = products_of(kernel, kernel.out);
  if (products.size() != 1) return kernel;
  const MatmulShader shader = shader_for(target, products[0], true);
  if (!target.software && shader.form != MatmulForm::tile) return kernel;
  if (!target.software)
    if (std::optional<MatmulKernel> quick = with_matrices_one_by_one(lowering, kernel)) return *quick;
  const Copies copies = target.software ? copies_on_software(products[0], shader) : copies_for(target, products[0]);
  const int rank = kernel.batch.rank();
  MatmulKernel quick = kernel;
  if (copies.a) quick.a = copied_in_lines(lowering, kernel.a, rank, rank + 1);
  if (copies.b) quick.b = copied_in_lines(lowering, kernel.b, rank + 1, rank);
  return quick;
}

}  // namespace eglantine::lower
