#pragma once

#include <memory>
#include <optional>

#include "codegen/stage/stage.hpp"
#include "lower/map/transpose/transpose_text.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// The operands of a map that are transposed relative to its output: contiguous along axis `lines`, not along the last
/// one.
struct Transposed {
  int lines;
  std::vector<int> operands;
  int joint = -1;  ///< an axis along which lines follow one another in memory, all of them one; or none
};

/// Nothing without such operands, for a domain too short along either axis, and on devices that gain nothing by tiles.
std::optional<Transposed> transposed_operands(const Target& target, const Expr& value);

/// Of a map of one narrow operand whose lines are too short for tiles, those that follow one another joined.
std::optional<Transposed> joint_lines(const Target& target, const MapKernel& kernel);

/// A map by a tiled transpose in shared memory (glsl/map/map_transpose.comp), with its bindings and uniforms.
class TransposeProgram : public BoundProgram {
 public:
  TransposeProgram(const Target& target, const MapKernel& kernel, const Transposed& transposed);

  bool writes_words() const { return store_.by_words(); }  ///< else narrow elements one by one
  Dispatch dispatch() const;

 private:
  int64_t tiles_across(int64_t columns, int64_t in_tile) const;
  int64_t slots_of(const Shape& domain, int64_t tile_lines, int64_t tile_columns) const;
  std::string line_functions() const;
  void plan_tiles(const Target& target, const MapKernel& kernel);
  void add_uniforms(const Shape& domain, int64_t wanted_band);
  void add_joint_uniforms(const Shape& domain);
  std::string joint_functions() const;

  int lines_axis_, joint_axis_;
  int64_t lines_;
  struct JointAxis {
    int divisor, weight;  ///< slots: its length, and how many results apart neighbours along it are
  };
  std::vector<JointAxis> planes_;  ///< of joint lines: the other axes, the innermost first
  JointAxis short_line_{}, joint_{};
  TransposeText transpose_;
  codegen::LoadStage load_;
  bool by_fours_;  ///< results are made of random numbers, which are made by vectors of memory
  codegen::StoreStage store_;
  int64_t tile_lines_ = 0, tile_columns_ = 0, group_size_ = 0;
  bool across_;  ///< results are written from where vectors of memory begin in their lines: narrow ones, and by fours
  codegen::Addresses place_;  ///< then of the results, one by one
  int64_t tiles_down_ = 0, tiles_across_ = 0, tiles_ = 0, groups_ = 0;
};

}  // namespace eglantine::lower
