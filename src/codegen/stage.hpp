#pragma once

#include <string>
#include <vector>

#include "codegen/addresses.hpp"
#include "codegen/bindings.hpp"
#include "graph/kernel.hpp"

namespace eglantine::codegen {

/// A fused expression as the hole `load` of a template: the function `T <name>(uint number)`, `T <name>(uint number, T
/// accumulator)` where it reads the accumulator, after a call of `<name>_address(uint number)` where there are two
/// parts. T has the specification's width. What the expression stores on the way it writes itself, as a StoreStage
/// would: each vector then wants one call.
class LoadStage {
 public:
  /// vectors: whether buffers may be read by vec4. held: operands that the shader has already, four elements each in
  /// `eg_tile<operand>[eg_slot]` (codegen/transpose_text.hpp).
  LoadStage(const AddressSpec& spec, Expr expr, bool vectors, std::vector<int> staged = {});

  void bind(Bindings& bindings, const std::vector<Window>& windows);
  /// After every bind() of the program; windows as there.
  void add_uniforms(const Bindings& bindings, const std::vector<Window>& windows, Uniforms& uniforms);

  DType dtype() const { return expr_.dtype(); }
  bool reads_accumulator() const;
  std::string text(const Bindings& bindings) const;

 private:
  int operands() const { return static_cast<int>(expr_.operands.size()); }
  std::string load(const Bindings& bindings, int operand) const;
  std::string store(const Bindings& bindings, int operand) const;
  std::string argument(int item, int j) const;
  bool is_staged(int operand) const;

  AddressSpec spec_;
  Expr expr_;
  std::vector<int> staged_;
  Addresses addresses_;
  std::vector<int> bindings_of_;      ///< by operand; -1 where it is held
  std::vector<int> parameter_slots_;  ///< by parameter
};

/// A strided output as the hole `store` of a template: the function `void <name>(uint number, T value)`, after a call
/// of
/// `<name>_address(uint number)` where there are two parts. A vector that passes the last element writes the elements
/// there are, and no neighbour.
class StoreStage {
 public:
  StoreStage(const AddressSpec& spec, Strided out, bool vectors);

  /// Whether each vector is one vec4 of the output.
  bool by_vec4() const { return addresses_.access(0) == VectorAccess::vec4; }

  void bind(Bindings& bindings, const std::vector<Window>& windows);
  void add_uniforms(const Bindings& bindings, const std::vector<Window>& windows, Uniforms& uniforms);

  /// After bind().
  int binding() const { return binding_; }
  std::string text(const Bindings& bindings) const;

 private:
  AddressSpec spec_;
  Strided out_;
  Addresses addresses_;
  int binding_ = -1;
};

}  // namespace eglantine::codegen
