#include "lower/reduce/schedule/tiles.hpp"

#include "codegen/bindings.hpp"
#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "graph/op/op_info.hpp"

namespace eglantine::lower {
namespace {

/// Values of a type, four of a vector or one, as words of a block, from word `place + first` on.
struct Words {
  DType dtype;
  std::string block;
  int count;

  std::string word(int number) const { return block + "[place + " + std::to_string(number) + "u]"; }

  std::string read(int first) const {
    std::string values;
    for (int j = 0; j < count; ++j) values += (j > 0 ? ", " : "") + codegen::from_bits(dtype, word(first + j));
    return std::string(codegen::value_type(dtype, count)) + "(" + values + ")";
  }

  std::string write(int first, const std::string& value) const {
    std::string text;
    for (int j = 0; j < count; ++j) {
      const std::string component = count == 1 ? value : value + "." + "xyzw"[j];
      text += "  " + word(first + j) + " = " + codegen::to_bits(dtype, component) + ";\n";
    }
    return text;
  }
};

}  // namespace

int64_t words_a_vector(Reduction reduction, bool singly) {
  return (singly ? 1 : vector_width) * (is_arg(reduction) ? 2 : 1);
}

std::string shared_tile_functions(Reduction reduction, DType dtype, const TileBindings& bindings, bool singly) {
  const bool pairs = is_arg(reduction);
  const int count = singly ? 1 : static_cast<int>(vector_width);
  const Words words{codegen::combined_as(dtype), codegen::block_name(bindings.left), count};
  const Words indices{DType::u32, words.block, count};
  const std::string counter = codegen::block_name(bindings.counters) + "[tile]";
  const std::string place = "  place *= " + std::to_string(words_a_vector(reduction, singly)) + "u;\n";
  const std::string pair = singly ? "EgPair(" : "EgPairs(";
  const std::string there = pairs ? pair + words.read(0) + ", " + indices.read(count) + ")" : words.read(0);
  return "uint eg_arrive(uint tile) { return atomicAdd(" + counter + ", 1u) + 1u; }\n" + "void eg_reset(uint tile) { " +
         counter + " = 0u; }\n" + "void eg_leave(uint place, EG_PARTS result) {\n" + place +
         (pairs ? words.write(0, "result.value") + indices.write(count, "result.index") : words.write(0, "result")) +
         "}\nEG_PARTS eg_left(uint place) {\n" + place + "  return " + there + ";\n}\n";
}

}  // namespace eglantine::lower
