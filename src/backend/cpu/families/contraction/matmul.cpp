#include <algorithm>

#include "backend/cpu/families/contraction/small_matrices.hpp"
#include "backend/cpu/families/families.hpp"
#include "backend/cpu/memory_pool.hpp"
#include "layout/collapse.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t chunk_products = int64_t{1} << 20;  // multiplications of the smallest chunk
constexpr int64_t products_of_a_tile = 1024;          // that take as long as its start
constexpr int64_t longest_side = int64_t{1} << 14;    // of a tile: far within the 32-bit integers of BLAS
constexpr int64_t fewest_rows = 32;                   // of a tile: with fewer, BLAS would spend its time packing b
constexpr int64_t tiles_per_thread = 2;               // when one thread starts late, the others take its tiles

// The product, after batches that only lengthen the matrix a have become rows of it.
struct Problem {
  Layout a_batch, b_batch;  ///< offsets of each batch's matrices; at least one axis
  GemmArguments gemm;       ///< of the first batch

  int64_t batches() const { return a_batch.size(); }
};

Matrix matrix_of(const Strided& x) {
  const size_t rank = x.layout.strides.size();
  const Matrix first{data_of(*x.buffer), x.storage, x.layout.strides[rank - 2], x.layout.strides[rank - 1]};
  return first.moved(x.layout.offset);
}

Problem problem_of(const MatmulKernel& kernel, Word* c) {
  Problem problem{{kernel.batch, kernel.a.layout.strides, 0},
                  {kernel.batch, kernel.b.layout.strides, 0},
                  {matrix_of(kernel.a), matrix_of(kernel.b), c, kernel.n, kernel.m, kernel.n, kernel.k}};
  GemmArguments& gemm = problem.gemm;
  Layout &a = problem.a_batch, &b = problem.b_batch;
  for (Layout* x : {&a, &b}) x->strides.resize(static_cast<size_t>(kernel.batch.rank()));
  // Adjacent batches with one b and consecutive rows of a are one taller product, which BLAS computes faster.
  while (!a.strides.empty() && b.strides.back() == 0 &&
         (gemm.m == 1 || a.strides.back() == gemm.m * gemm.a.row_stride)) {
    if (gemm.m == 1) gemm.a.row_stride = a.strides.back();
    gemm.m *= a.shape[a.shape.rank() - 1];
    for (Layout* x : {&a, &b}) {
      x->shape.erase(x->shape.rank() - 1);
      x->strides.pop_back();
    }
  }
  if (a.strides.empty()) a = b = {Shape{1}, {0}, 0};
  std::vector<Layout> batches{a, b};
  layout::collapse(batches);
  a = batches[0], b = batches[1];
  return problem;
}

// How a product is cut into tiles of c: whole rows while there are enough, so that the epilogue follows each tile; but
// wide ones by columns, since BLAS packs all of b for each tile.
struct TileGrid {
  int64_t rows, columns;                    ///< of a tile
  int64_t row_tiles = 1, column_tiles = 1;  ///< number of tiles

  TileGrid(const GemmArguments& gemm, int64_t wanted) {
    while (true) {
      rows = (gemm.m + row_tiles - 1) / row_tiles;
      columns = (gemm.n + column_tiles - 1) / column_tiles;
      const bool large = std::max(rows, columns) > longest_side;
      if (!large && (row_tiles * column_tiles >= wanted || rows * columns * gemm.k < 2 * chunk_products)) break;
      const bool wide = columns > 2 * rows || rows <= std::min(columns, fewest_rows);
      ++(wide ? column_tiles : row_tiles);
    }
    row_tiles = (gemm.m + rows - 1) / rows;
    column_tiles = (gemm.n + columns - 1) / columns;
  }
};

int64_t address(const Layout& x, int64_t number) {
  int64_t result = x.offset;
  for (int axis = x.shape.rank() - 1; axis > 0; --axis) {
    result += number % x.shape[axis] * x.strides[static_cast<size_t>(axis)];
    number /= x.shape[axis];
  }
  return result + number * x.strides[0];
}

// One tile of c: where its parts of the operands and of c begin, in elements, and its size.
struct Tile {
  int64_t a, b, c, m, n;
};

// Tile `number` in the order of batches, then tiles.
Tile tile_of(const Problem& problem, const TileGrid& tiles, int64_t number) {
  const GemmArguments& gemm = problem.gemm;
  const int64_t of_batch = tiles.row_tiles * tiles.column_tiles;
  const int64_t batch = of_batch > 1 ? number / of_batch : number, within = number - batch * of_batch;
  const int64_t row = within / tiles.column_tiles * tiles.rows, column = within % tiles.column_tiles * tiles.columns;
  return {address(problem.a_batch, batch) + row * gemm.a.row_stride,
          address(problem.b_batch, batch) + column * gemm.b.column_stride, (batch * gemm.m + row) * gemm.n + column,
          std::min(tiles.rows, gemm.m - row), std::min(tiles.columns, gemm.n - column)};
}

/// prepare(): what a thread multiplies tiles by.
template <class Prepare>
void multiply_batches(const Problem& problem, const EvaluatorProgram& epilogue, const Elements& out, ThreadPool& pool,
                      const Prepare& prepare) {
  const int64_t wanted = tiles_per_thread * pool.threads();
  const TileGrid tiles(problem.gemm, (wanted + problem.batches() - 1) / problem.batches());
  const int64_t products = products_of_a_tile + tiles.rows * tiles.columns * problem.gemm.k;
  const int64_t grain = std::max<int64_t>(1, chunk_products / products);
  const Word* accumulator = problem.gemm.c;
  pool.parallel_for(problem.batches() * tiles.row_tiles * tiles.column_tiles, grain, [&](int64_t begin, int64_t end) {
    auto multiply = prepare();
    int64_t first = tile_of(problem, tiles, begin).c;
    for (int64_t number = begin; number < end; ++number) {
      const Tile tile = tile_of(problem, tiles, number);
      multiply(tile);
      const int64_t past = tile.c + tile.m * tile.n;
      // Results of neighbouring tiles lie side by side: several small ones are one block of the epilogue.
      if (tiles.column_tiles > 1 || (past - first < block_elements && number + 1 < end)) continue;
      apply_epilogue(epilogue, accumulator, out, first, past);
      first = past;
    }
  });
  if (tiles.column_tiles > 1) run_epilogue(epilogue, accumulator, out, pool);
}

void multiply_large(const Problem& problem, const EvaluatorProgram& epilogue, const Elements& out, ThreadPool& pool,
                    void (*multiply)(const GemmArguments&)) {
  const OneBlasThread one;
  multiply_batches(problem, epilogue, out, pool, [&] {
    return [&](const Tile& tile) {
      const GemmArguments& p = problem.gemm;
      multiply({p.a.moved(tile.a), p.b.moved(tile.b), p.c + tile.c, p.c_stride, tile.m, tile.n, p.k});
    };
  });
}

void multiply_small(const Problem& problem, const EvaluatorProgram& epilogue, const Elements& out, ThreadPool& pool,
                    SmallProductBlock multiply) {
  multiply_batches(problem, epilogue, out, pool, [&] {
    return [product = SmallMatrices(problem.gemm, multiply)](const Tile& tile) mutable {
      product.run(tile.a, tile.b, tile.c, tile.m);
    };
  });
}

}  // namespace

void run_matmul(const MatmulKernel& kernel, ThreadPool& pool) {
  const Elements out(kernel.out);
  const EvaluatorProgram epilogue(kernel.epilogue);
  const Words apart(out.in_place(0, 1) ? 0 : epilogue.elements());
  Word* accumulator = out.in_place(0, 1) ? out.in_place(0, 1) : apart.data();
  if (kernel.k == 0) {
    std::fill_n(accumulator, epilogue.elements(), 0);
    run_epilogue(epilogue, accumulator, out, pool);
    return;
  }
  const Problem problem = problem_of(kernel, accumulator);
  if (SmallMatrices::suits(problem.gemm))
    return multiply_small(problem, epilogue, out, pool, small_product_block(kernel.a.dtype()));
  multiply_large(problem, epilogue, out, pool, kernel.a.dtype() == DType::f32 ? multiply_floats : multiply_integers);
}

}  // namespace eglantine::cpu
