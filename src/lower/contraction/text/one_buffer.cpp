#include "lower/contraction/text/buffer_operand.hpp"

/// The text of a tile that is filled between two barriers.
namespace eglantine::lower {
namespace {

/// The multiplications of a step.
std::string multiply_buffer(const MatmulShader& shader, const BufferOperand& a, const BufferOperand& b) {
  std::string text;
  for (int k = 0; k < shader.depth; ++k) {
    text += "{ " + a.load(k) + b.load(k);
    for (int row = 0; row < shader.rows; ++row)
      for (int j = 0; j < shader.columns / 4; ++j)
        text += add_product(shader, accumulator(row, j), "a" + number(row / 4) + "." + matmul_components[row % 4],
                            "b" + number(j));
    text += "} ";
  }
  return text;
}

}  // namespace

void define_one_buffer(std::string& text, const MatmulShader& shader, const TileOperand& tile_a,
                       const TileOperand& tile_b) {
  const BufferOperand a(tile_a, shader.a_turned), b(tile_b, shader.b_turned);
  define(text, "EG_ONE_BUFFER", a.declare_shared() + b.declare_shared());
  define(text, "EG_DECLARE",
         tile_a.declare_first() + tile_b.declare_first() + a.declare_place() + b.declare_place() +
             declare_accumulators(shader) + a.declare_fetches() + b.declare_fetches());
  define(text, "EG_FETCH_HEAD(head)", a.fetch("head") + b.fetch("head"));
  define(text, "EG_FETCH", a.fetch("") + b.fetch(""));
  define(text, "EG_STEPS", "for (uint first = head; first < depth; first += EG_DEPTH)");
  define(text, "EG_STORE_HEAD", a.store_tile() + b.store_tile());
  define(text, "EG_STORE_TILE", a.store_tile() + b.store_tile());
  define(text, "EG_MULTIPLY", multiply_buffer(shader, a, b));
}

}  // namespace eglantine::lower
