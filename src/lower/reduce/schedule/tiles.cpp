#include "lower/reduce/schedule/tiles.hpp"

#include "codegen/bindings.hpp"
#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "graph/op/op_info.hpp"

namespace eglantine::lower {
namespace {

/// Four values of a type as words of a block, from word `place + first` on.
struct FourWords {
  DType dtype;
  std::string block;

  std::string word(int number) const { return block + "[place + " + std::to_string(number) + "u]"; }

  std::string read(int first) const {
    std::string values;
    for (int j = 0; j < 4; ++j) values += (j > 0 ? ", " : "") + codegen::from_bits(dtype, word(first + j));
    return std::string(codegen::value_type(dtype, 4)) + "(" + values + ")";
  }

  std::string write(int first, const std::string& value) const {
    std::string text;
    for (int j = 0; j < 4; ++j)
      text += "  " + word(first + j) + " = " + codegen::to_bits(dtype, value + "." + "xyzw"[j]) + ";\n";
    return text;
  }
};

}  // namespace

int64_t words_a_vector(Reduction reduction) { return vector_width * (is_arg(reduction) ? 2 : 1); }

std::string shared_tile_functions(Reduction reduction, DType dtype, int counters, int left) {
  const bool pairs = is_arg(reduction);
  const FourWords words{codegen::combined_as(dtype), codegen::block_name(left)};
  const std::string counter = codegen::block_name(counters) + "[tile]";
  const std::string place = "  place *= " + std::to_string(words_a_vector(reduction)) + "u;\n";
  const std::string there =
      pairs ? "EgPairs(" + words.read(0) + ", " + FourWords{DType::u32, words.block}.read(4) + ")" : words.read(0);
  return "uint eg_arrive(uint tile) { return atomicAdd(" + counter + ", 1u) + 1u; }\n" + "void eg_reset(uint tile) { " +
         counter + " = 0u; }\n" + "void eg_leave(uint place, EG_ACCUMULATORS result) {\n" + place +
         (pairs ? words.write(0, "result.value") + FourWords{DType::u32, words.block}.write(4, "result.index")
                : words.write(0, "result")) +
         "}\nEG_ACCUMULATORS eg_left(uint place) {\n" + place + "  return " + there + ";\n}\n";
}

}  // namespace eglantine::lower
