#include "lower/map/program.hpp"

#include "codegen/glsl_type.hpp"
#include "layout/collapse.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

codegen::AddressSpec spec_of(const Target& target, const MapSchedule& schedule, const char* name, const Shape& domain) {
  codegen::AddressSpec spec{name, domain, {{0, domain.rank()}}, schedule.width};
  if (schedule.lines) {
    spec.name += "_lines";
    spec.in_rows = true;
    return spec;
  }
  spec.whole = counts_on_whole_vectors(target, domain.elements());
  return spec;
}

/// Results count elements by their own axes, of which what is read may split some: longer rows have more whole vectors.
codegen::StoreStage store_of(const Target& target, const MapSchedule& schedule, const MapKernel& kernel, bool vectors) {
  Strided out = kernel.out;
  if (!schedule.lines) out.layout = layout::collapsed(out.layout);
  return {spec_of(target, schedule, "eg_store", out.layout.shape), out, vectors};
}

std::string tile_defines(const MapSchedule& schedule) {
  if (!schedule.tiles) return "";
  return codegen::define("EG_TILE_LINES", schedule.tiles->lines);
}

}  // namespace

MapProgram::MapProgram(const Target& target, const MapSchedule& schedule, const MapKernel& kernel, bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      schedule_(schedule),
      max_groups_(target.max_groups),
      load_(spec_of(target, schedule, "eg_load", kernel.value.domain), kernel.value, reads_,
            schedule.by_rows && reads_ == codegen::Vectors::anywhere),
      store_(store_of(target, schedule, kernel, vectors)) {
  const int64_t elements = kernel.value.domain.elements();
  const std::vector<Window> all{{0, elements}};
  load_.bind(bindings_, all);
  store_.bind(bindings_, all);
  const Shape& domain = kernel.value.domain;
  uniforms_.add(schedule.lines   ? LineVectors::count(domain, domain.rank() - 1)
                : schedule.tiles ? schedule.tiles->tiles(domain)
                                 : ceil_divide(elements, schedule.width));
  uniforms_.add(schedule.chunk(target));
  if (schedule.lines) lines_.emplace(domain, uniforms_);
  if (schedule.tiles) schedule.tiles->add_uniforms(domain, uniforms_);
  load_.add_uniforms(bindings_, all, uniforms_);
  store_.add_uniforms(bindings_, all, uniforms_);
}

Dispatch map_dispatch(std::string name, const MapSchedule& schedule, const std::string& types, const std::string& holes,
                      int64_t max_groups, const codegen::Bindings& bindings, const codegen::Uniforms& uniforms) {
  using codegen::define;
  Dispatch dispatch = dispatch_of(std::move(name),
                                  {"map.comp",
                                   define("EG_GROUP_SIZE", schedule.group_size) + loads_at_once(schedule.unroll) +
                                       (schedule.short_path ? define("EG_SHORT_PATH") : "") + tile_defines(schedule) +
                                       types + define("EG_VECTORS", "eg_u[0]") + define("EG_CHUNK", "eg_u[1]"),
                                   holes},
                                  bindings, uniforms);
  dispatch.groups = groups_in_rows(schedule.grid.groups, max_groups);
  return dispatch;
}

std::string MapProgram::holes() const {
  const std::string stages = load_.text(bindings_) + store_.text(bindings_);
  if (!lines_) return stages;
  const std::string type(codegen::value_type(load_.dtype(), schedule_.width));
  return lines_->text() + stages + type + " eg_load(uint number) { return eg_load_lines(eg_line_vector(number)); }\n" +
         "void eg_store(uint number, " + type + " value) { eg_store_lines(eg_line_vector(number), value); }\n";
}

Dispatch MapProgram::dispatch() const {
  using codegen::define;
  const DType dtype = load_.dtype();
  const int width = schedule_.width;
  return map_dispatch("map " + std::string(name_of(dtype)) + (lines_ ? " by lines" : ""), schedule_,
                      define("EG_VALUE", codegen::value_type(dtype, width)), holes(), max_groups_, bindings_,
                      uniforms_);
}

}  // namespace eglantine::lower
