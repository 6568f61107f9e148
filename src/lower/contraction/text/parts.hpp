#pragma once

#include <string>
#include <vector>

#include "codegen/glsl_type.hpp"
#include "codegen/uniforms.hpp"
#include "lower/contraction/text/text.hpp"

/// What both forms of a product's program use.
namespace eglantine::lower {

inline constexpr const char* matmul_components[] = {"x", "y", "z", "w"};

inline std::string number(int value) { return std::to_string(value); }
inline std::string u(int slot) { return codegen::uniform_at(slot); }

inline void define(std::string& out, const std::string& name, const std::string& value) {
  out += codegen::define(name, value);
}

/// Four results of a row: group g in row r of an invocation.
inline std::string accumulator(int row, int group) { return "c" + number(row) + "_" + number(group); }

/// Adds left * right to a sum, a scalar by a vector. fma() is faster than two operations on llvmpipe, though it may
/// round twice there; on NVIDIA a precise epilogue keeps two operations from becoming one (docs/performance-notes.md).
inline std::string add_product(const MatmulShader& shader, const std::string& sum, const std::string& left,
                               const std::string& right) {
  if (shader.fused_steps) return sum + " = fma(vec4(" + left + "), " + right + ", " + sum + "); ";
  return sum + " += " + left + " * " + right + "; ";
}

/// The same of one element.
inline std::string add_single_product(const MatmulShader& shader, const std::string& sum, const std::string& left,
                                      const std::string& right) {
  if (shader.fused_steps) return sum + " = fma(" + left + ", " + right + ", " + sum + "); ";
  return sum + " += " + left + " * " + right + "; ";
}

/// Vectors that have a row's results; the last one may have elements to spare.
inline int accumulators_of_row(const MatmulShader& shader) { return (shader.columns + 3) / 4; }

inline std::string declare_accumulators(const MatmulShader& shader) {
  const std::string vector(codegen::value_type(shader.dtype, 4));
  std::string text;
  for (int row = 0; row < shader.rows; ++row)
    for (int group = 0; group < accumulators_of_row(shader); ++group)
      text += vector + " " + accumulator(row, group) + " = " + vector + "(0); ";
  return text;
}

/// A staged operand's state of one line, in locals of that name; and back again.
inline std::string keep_line(const std::vector<std::string>& state, const std::string& name) {
  std::string text;
  for (size_t i = 0; i < state.size(); ++i) text += "uint " + name + "_" + std::to_string(i) + " = " + state[i] + "; ";
  return text;
}
inline std::string recall_line(const std::vector<std::string>& state, const std::string& name) {
  std::string text;
  for (size_t i = 0; i < state.size(); ++i) text += state[i] + " = " + name + "_" + std::to_string(i) + "; ";
  return text;
}

/// The state of a staged operand; empty of others.
inline std::vector<std::string> state_of(const std::optional<codegen::LoadStage>& stage) {
  return stage ? stage->state() : std::vector<std::string>{};
}
inline std::vector<std::string> step_state_of(const std::optional<codegen::LoadStage>& stage) {
  return stage ? stage->step_state() : std::vector<std::string>{};
}

void define_register_tile(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                          const MatmulStore& store, const codegen::Bindings& bindings);
void define_columns(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks, const MatmulStore& store,
                    const codegen::Bindings& bindings);
void define_matrices(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                     const codegen::Bindings& bindings);
void define_fitted(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                   const codegen::Bindings& bindings);
void define_outer(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                  const codegen::Bindings& bindings);
void define_shared_tile(std::string& text, const MatmulShader& shader, const MatmulBlocks& blocks,
                        const MatmulStore& store, const codegen::Bindings& bindings);

}  // namespace eglantine::lower
