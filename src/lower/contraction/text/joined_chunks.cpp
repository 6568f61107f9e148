#include "lower/contraction/text/joined_chunks.hpp"

#include <algorithm>

namespace eglantine::lower {
namespace {

using namespace codegen;

/// The sums of an invocation, in memory neighbours of those of the invocations beside it.
std::string place(const MatmulShader& shader, const MatmulBlocks& blocks, int i) {
  return block_name(blocks.partials) + "[at + " + number(i * shader.group_size()) + "u]";
}

std::string store_partials(const MatmulShader& shader, const MatmulBlocks& blocks) {
  const int fours = shader.columns / 4;
  std::string text;
  for (int i = 0; i < shader.rows * fours; ++i)
    text += place(shader, blocks, i) + " = " + accumulator(i / fours, i % fours) + "; ";
  return text;
}

std::string add_partials(const MatmulShader& shader, const MatmulBlocks& blocks) {
  constexpr int loads_in_flight = 8;
  const int fours = shader.columns / 4, all = shader.rows * fours;
  const std::string type(value_type(shader.dtype, 4));
  std::string text;
  for (int first = 0; first < all; first += loads_in_flight) {
    std::string loads, sums;
    for (int i = first; i < std::min(first + loads_in_flight, all); ++i) {
      const std::string other = "other" + number(i);
      loads += type + " " + other + " = " + place(shader, blocks, i) + "; ";
      sums += accumulator(i / fours, i % fours) + " += " + other + "; ";
    }
    text += "{ " + loads + sums + "} ";
  }
  return text;
}

}  // namespace

void define_joined_chunks(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks) {
  const std::string arrivals = block_name(blocks.arrivals), k = u(u_k);
  const std::string rounded = u(static_cast<int>(u_end_k)) + " - " + u(u_first_k) + " + " + k + " - 1u";
  define(text, "EG_CHUNKS", shader.groups ? "((" + rounded + ") / " + k + ")" : u(u_batch_axes));
  define(text, "EG_TEST_AND_CLEAR(tile, pair)", "atomicAnd(" + arrivals + "[tile], ~(pair))");
  define(text, "EG_TEST_AND_FLIP(tile, pair)", "atomicXor(" + arrivals + "[tile], pair)");
  define(text, "EG_STORE_PARTIALS", store_partials(shader, blocks));
  define(text, "EG_ADD_PARTIALS", add_partials(shader, blocks));
}

}  // namespace eglantine::lower
