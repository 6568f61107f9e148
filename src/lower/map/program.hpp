#pragma once

#include "codegen/stage/stage.hpp"
#include "lower/map/line_vectors.hpp"
#include "lower/map/load.hpp"
#include "lower/map/schedule.hpp"

namespace eglantine::lower {

/// The dispatch of map.comp by a schedule. types: what a vector's value is.
Dispatch map_dispatch(std::string name, const MapSchedule& schedule, const std::string& types, const std::string& holes,
                      int64_t max_groups, const codegen::Bindings& bindings, const codegen::Uniforms& uniforms);

/// The program of a map, or of a window of one, by a schedule.
class MapProgram : public BoundProgram {
 public:
  /// Of a schedule in lines: the kernel that has them last.
  MapProgram(const Target& target, const MapSchedule& schedule, const MapKernel& kernel, bool vectors);

  Dispatch dispatch() const;

 private:
  std::string holes() const;

  MapSchedule schedule_;
  std::optional<LineVectors> lines_;
  int64_t max_groups_;
  MapLoad load_;
  codegen::StoreStage store_;
};

}  // namespace eglantine::lower
