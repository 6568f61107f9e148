#include "backend/cpu/families/families.hpp"

namespace eglantine::cpu {

namespace {

// Evaluates a block directly into the output where that is contiguous.
void map_block(Evaluator& value, const Elements& out, int64_t start, int64_t count) {
  Word* place = out.in_place(start, count);
  const Word* values = value(start, count, nullptr, place);
  if (place == nullptr) out.write(start, count, values);
}

/// Few lines of whole cache lines of the output; a copy, which needs no registers, also reads whole ones.
Tile wanted_tile(const MapKernel& kernel, bool copies) {
  constexpr int64_t cache_line = 64;  // bytes
  constexpr Tile evaluated{16, block_elements / 16};
  return {copies ? std::max(evaluated.lines, cache_line / bytes_of(kernel.out.storage)) : evaluated.lines,
          evaluated.columns};
}

/// Whether the map moves elements as they are.
bool is_copy(const MapKernel& kernel) {
  const Expr& value = kernel.value;
  const bool copies = value.code.back().op == Op::copy && value.code.back().args[0] == 0;
  return value.code.size() == (copies ? 2 : 1) && value.code[0].op == Op::load && value.piecewise.empty() &&
         value.operands[0].storage == kernel.out.storage;
}

void run_copy(const MapKernel& kernel, ThreadPool& pool) {
  const EvaluatorProgram program(kernel.value);
  const Elements from(kernel.value.operands[0]), out(kernel.out);
  const bool whole = from.is_contiguous() && out.is_contiguous();
  const int64_t elements = program.elements();
  const int64_t blocks = (elements + block_elements - 1) / block_elements;
  pool.parallel_for(blocks, grain(block_elements), [&](int64_t first, int64_t last) {
    const int64_t end = std::min(elements, last * block_elements);
    for (int64_t at = first * block_elements, count = 0; at < end; at += count) {
      count = whole ? end - at : program.span(at, end);
      out.copy_from(from, at, count);
    }
  });
}

void run_tiled_copy(const TiledMap& tiled, ThreadPool& pool) {
  const Elements from(tiled.map.value.operands[0]), out(tiled.map.out);
  const int64_t tile = tiled.tile.elements(), tiles = tiled.map.value.domain.elements() / tile;
  pool.parallel_for(tiles, grain(tile), [&](int64_t first, int64_t last) {
    out.copy_rows_from(from, first * tiled.tile.lines, (last - first) * tiled.tile.lines);
  });
}

void run_tiled(const TiledMap& tiled, ThreadPool& pool) {
  const EvaluatorProgram program(tiled.map.value);
  const Elements out(tiled.map.out);
  const int64_t tile = tiled.tile.elements();
  pool.parallel_for(program.elements() / tile, grain(tile), [&](int64_t first, int64_t last) {
    Evaluator value(program);
    for (int64_t number = first; number < last; ++number) {
      out.prefetch_rows(number * tiled.tile.lines, tiled.tile.lines);
      map_block(value, out, number * tile, tile);
    }
  });
}

void run_blocks(const MapKernel& kernel, ThreadPool& pool) {
  const EvaluatorProgram program(kernel.value);
  const Elements out(kernel.out);
  const int64_t elements = program.elements();
  // Chunks are whole blocks, so that threads do not share cache lines of the output.
  const int64_t blocks = (elements + block_elements - 1) / block_elements;
  pool.parallel_for(blocks, grain(block_elements), [&](int64_t first, int64_t last) {
    Evaluator value(program);
    const int64_t end = std::min(elements, last * block_elements);
    for (int64_t at = first * block_elements, count = 0; at < end; at += count) {
      count = program.span(at, end);
      map_block(value, out, at, count);
    }
  });
}

}  // namespace

void run_map(const MapKernel& kernel, ThreadPool& pool) {
  const bool copies = is_copy(kernel);
  for (const TiledMap& tiled : in_tiles(kernel, wanted_tile(kernel, copies))) {
    if (tiled.tile.elements() > 0)
      copies ? run_tiled_copy(tiled, pool) : run_tiled(tiled, pool);
    else
      copies ? run_copy(tiled.map, pool) : run_blocks(tiled.map, pool);
  }
}

void run_epilogue(const EvaluatorProgram& epilogue, const Word* accumulator, const Elements& out, ThreadPool& pool) {
  pool.parallel_for(epilogue.elements(), chunk_elements,
                    [&](int64_t begin, int64_t end) { apply_epilogue(epilogue, accumulator, out, begin, end); });
}

void apply_epilogue(const EvaluatorProgram& epilogue, const Word* accumulator, const Elements& out, int64_t begin,
                    int64_t end) {
  if (epilogue.is_accumulator() && out.in_place(begin, end - begin) == accumulator + begin) return;
  Evaluator value(epilogue);
  const Words result(block_elements);
  for (int64_t at = begin, count = 0; at < end; at += count) {
    count = epilogue.span(at, end);
    out.write(at, count, value(at, count, accumulator + at, result.data()));
  }
}

}  // namespace eglantine::cpu
