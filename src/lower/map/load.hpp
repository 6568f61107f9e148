#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/stage.hpp"
#include "layout/split.hpp"

namespace eglantine::lower {

/// The hole eg_load of a map. By rows, a vector that lies in one row reads by vectors, and what shifted views of one
/// storage have in common once; one that does not reads each of its elements by itself. With an inner box
/// (lower/map/inner_box.hpp) eg_load is of vectors that lie in it, as `bool eg_inside(uint number)` says, and reads
/// them so; eg_load_one reads any element.
class MapLoad {
 public:
  MapLoad(const codegen::AddressSpec& spec, const Expr& expr, codegen::Vectors vectors, bool by_rows,
          const std::optional<layout::Box>& inner = {});

  void bind(codegen::Bindings& bindings, const std::vector<codegen::Window>& windows);
  void add_uniforms(const codegen::Bindings& bindings, const std::vector<codegen::Window>& windows,
                    codegen::Uniforms& uniforms);

  DType dtype() const { return load_.dtype(); }
  std::string text(const codegen::Bindings& bindings) const;

 private:
  void add_inner_uniforms(codegen::Uniforms& uniforms);
  std::string inner_text(const codegen::Bindings& bindings) const;
  bool is_cut(int axis) const { return inner_->length[axis] < domain_[axis]; }

  Shape domain_;
  std::optional<layout::Box> inner_;
  std::optional<Expr> conditions_;            ///< of an inner box: what is read elsewhere
  codegen::LoadStage load_;                   ///< of vectors; by rows, of single elements
  std::optional<codegen::LoadStage> in_row_;  ///< by rows, or in the inner box
  int last_slot_ = -1, row_slot_ = -1;
  std::vector<int> divisor_slots_, inner_slots_;  ///< by axis; of an inner box
};

/// Whether vectors in an inner box take seven tenths of the loads of their elements by themselves, or less.
bool reads_vectors_in(const Expr& expr, const layout::Box& inner);

/// Of the vectors of a map with an inner box: single elements.
codegen::AddressSpec elements_of(const codegen::AddressSpec& vectors);

/// Whether a map of vectors is faster by rows: where enough of its loads serve several operands, or elements, at a
/// time.
bool reads_by_rows(const Expr& expr);

}  // namespace eglantine::lower
