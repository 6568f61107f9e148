#pragma once

#include <memory>
#include <optional>

#include "codegen/stage.hpp"
#include "lower/map/across_text.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// The operands of a map that lie across its output: their neighbours in memory are neighbours along axis `lines`.
struct Across {
  int lines;
  std::vector<int> operands;
};

/// Nothing where no operand does, or the domain is too small along either axis, or the device gains nothing by tiles.
std::optional<Across> across_of(const Target& target, const Expr& value);

/// A map by tiles through shared memory (glsl/map/map_across.comp), and the numbers that one dispatch gives it.
class AcrossProgram {
 public:
  AcrossProgram(const Target& target, const MapKernel& kernel, const Across& across);

  int bindings() const { return bindings_.size(); }
  /// Otherwise its output cannot be packed: units of neighbouring rows share words.
  bool writes_whole_words() const { return store_.by_vec4(); }
  Dispatch dispatch() const;

 private:
  void plan_tiles(const Target& target, const Expr& value);
  void place(const Shape& domain, int64_t wanted_band);

  int lines_axis_;
  codegen::AcrossText across_;
  codegen::LoadStage load_;
  codegen::StoreStage store_;
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
  int64_t tile_lines_ = 0, tile_columns_ = 0, group_size_ = 0;
  int64_t down_ = 0, wide_ = 0, tiles_ = 0, groups_ = 0;
};

}  // namespace eglantine::lower
