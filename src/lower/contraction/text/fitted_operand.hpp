#pragma once

#include "lower/contraction/text/parts.hpp"

/// An operand of glsl/contraction/matmul_fitted.comp on its way from memory to shared memory.
namespace eglantine::lower {

/// By units: four of its lines (rows of a, columns of b) of one k, or of four where it is read by vectors along k.
struct FittedOperand {
  const MatmulShader& shader;
  std::string name;  ///< "a"
  const codegen::Bindings& bindings;
  int block;
  MatmulRead read;
  bool anywhere;           ///< vectors along the lines begin between those of memory
  bool along_k;            ///< neighbouring invocations load neighbours along k, else along the lines
  int tile;                ///< lines of a matrix that a group has
  int pitch;               ///< lines of a k in shared memory
  std::string length;      ///< "m"
  std::string first_line;  ///< "first_row"
  std::string line_stride, k_stride, batch_stride;
  std::string base;  ///< in shared memory

  std::string declare() const;
  std::string fetch() const;
  std::string keep() const;

 private:
  int units() const;  ///< of an invocation, for a step
  bool fours_of_k() const { return read == MatmulRead::k_major; }
  int quads() const { return tile / 4; }
  int steps() const { return fours_of_k() ? shader.depth / 4 : shader.depth; }  ///< units of four lines
  int parts() const { return read == MatmulRead::mn_major ? 1 : 4; }            ///< loads of a unit
  std::string id(int unit) const { return name + number(unit); }
  std::string address(int unit, int part) const { return "from_" + id(unit) + "_" + number(part); }
  std::string loaded(int unit, int part) const { return "next_" + id(unit) + "_" + number(part); }
  std::string last(int unit) const { return "to_" + id(unit); }
  std::string declare_unit(int unit) const;
  std::string declare_addresses(int unit) const;
  std::string fetch_part(int unit, int part) const;
  std::string value(int unit, int part) const;
  std::string keep_unit(int unit) const;
};

}  // namespace eglantine::lower
