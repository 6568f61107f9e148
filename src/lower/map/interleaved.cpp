#include "lower/map/interleaved.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/value_text.hpp"
#include "layout/divide.hpp"
#include "lower/map/program.hpp"

namespace eglantine::lower {
namespace {

struct Result {
  int64_t offset;  ///< in memory
  int32_t value;   ///< its instruction
};

/// Takes the stores away, and their operands, which come last: before the kernel's own result, a copy. Nothing where
/// they stand elsewhere.
std::optional<std::vector<Result>> take_stores(Expr& expr) {
  const auto own = expr.code.end() - 1, first = own - static_cast<std::ptrdiff_t>(expr.stored.size());
  const auto is_store = [](const Instruction& step) { return step.op == Op::store; };
  const bool last = expr.stored.front() + expr.stored.size() == expr.operands.size();
  if (!last || own->op != Op::copy || !std::all_of(first, own, is_store)) return std::nullopt;
  std::vector<Result> results;
  for (auto step = first; step != own; ++step)
    results.push_back({expr.operands[static_cast<size_t>(step->args[1])].layout.offset, step->args[0]});
  expr.code.erase(first, own);
  expr.operands.resize(expr.operands.size() - expr.stored.size());
  expr.stored.clear();
  return results;
}

/// Whether x is one of `results` that alternate with `out`. Of words, whose operands are transposed by tiles where they
/// have several axes, along one.
bool alternates_with(const Strided& out, const Strided& x, int64_t results) {
  const bool same_memory = x.buffer == out.buffer && x.storage == out.storage;
  if (!same_memory || (x.layout.shape.rank() != 1 && !is_narrow(x.storage))) return false;
  int64_t stride = results;
  for (int axis = x.layout.shape.rank() - 1; axis >= 0; stride *= x.layout.shape[axis--])
    if (x.layout.strides[static_cast<size_t>(axis)] != stride) return false;
  return true;
}

/// Whether whole vectors end where the results do, or in padding.
bool ends_at_vector(const MapKernel& kernel, int64_t results) {
  const bool whole = std::ranges::any_of(kernel.value.stored, [&](size_t i) { return kernel.value.operands[i].whole; });
  return !is_narrow(kernel.out.storage) || kernel.out.whole || whole ||
         kernel.value.domain.elements() * results % vector_width == 0;
}

}  // namespace

std::optional<Interleaved> interleaved(const MapKernel& kernel) {
  const Expr& value = kernel.value;
  const auto results = static_cast<int64_t>(value.stored.size()) + 1;
  if (results == 1 || !alternates_with(kernel.out, kernel.out, results)) return std::nullopt;
  if (!ends_at_vector(kernel, results)) return std::nullopt;
  for (size_t operand : value.stored)
    if (!alternates_with(kernel.out, value.operands[operand], results)) return std::nullopt;
  Interleaved found{value, {}, kernel.out};
  std::optional<std::vector<Result>> places = take_stores(found.value);
  if (!places) return std::nullopt;
  places->push_back({kernel.out.layout.offset, static_cast<int32_t>(found.value.code.size()) - 1});
  std::ranges::sort(*places, {}, &Result::offset);
  const int64_t first = found.out.layout.offset = places->front().offset;
  for (const Result& result : *places) {
    if (result.offset != first + static_cast<int64_t>(found.results.size())) return std::nullopt;
    found.results.push_back(result.value);
  }
  return first % vector_width == 0 ? std::optional(found) : std::nullopt;
}

InterleavedProgram::InterleavedProgram(const Target& target, const MapSchedule& schedule, const Interleaved& map,
                                       bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      schedule_(schedule),
      max_groups_(target.max_groups),
      map_(map),
      load_({"eg_results", map.value.domain, {{0, map.value.domain.rank()}}, schedule.width}, map.value, reads_, {},
            map.results) {
  const int64_t elements = map.value.domain.elements(), first = map.out.layout.offset;
  const std::vector<Window> all{{0, elements}};
  load_.bind(bindings_, all);
  binding_ =
      bindings_.add_write(map.out.buffer.get(), map.out.storage, true, {first, first + elements * results() - 1});
  uniforms_.add(ceil_divide(elements, schedule.width));
  uniforms_.add(schedule.chunk(target));
  load_.add_uniforms(bindings_, all, uniforms_);
  last_slot_ = uniforms_.add(elements - 1);
  quad_slot_ = uniforms_.add((first - bindings_.first_element(binding_)) / vector_width);
}

/// GLSL: component c of vector m of what the results fill.
std::string InterleavedProgram::component(int64_t m, int64_t c) const {
  const int64_t flat = m * vector_width + c;
  const std::string result = "x.v" + std::to_string(flat % results());
  if (schedule_.width == 1) return result;
  return result + "." + codegen::components_of_vec4[static_cast<size_t>(flat / results())];
}

/// A statement that writes vector m whole.
std::string InterleavedProgram::store_vector(int64_t m) const {
  const DType dtype = map_.out.dtype(), stored = bindings_.at(binding_).dtype();
  std::string vector(codegen::value_type(dtype, vector_width));
  for (int64_t c = 0; c < vector_width; ++c) vector += (c > 0 ? ", " : "(") + component(m, c);
  const std::string value = codegen::to_stored(dtype, stored, vector_width, vector + ")");
  return place(m) + " = " + (is_narrow(map_.out.storage) ? bindings_.narrowed(binding_, value) : value) + ";\n";
}

std::string InterleavedProgram::place(int64_t m) const {
  return codegen::block_name(binding_) + "[first + " + std::to_string(m) + "u]";
}

/// Statements of eg_store: of single elements a vector; else whole vectors; of a partial last one of words the elements
/// that it has, and narrow vectors of which one element exists.
std::string InterleavedProgram::store() const {
  if (schedule_.width == 1) return "  " + store_vector(0);
  const DType dtype = map_.out.dtype(), stored = bindings_.at(binding_).dtype();
  const auto exists = [&](int64_t flat) {
    return "    if (element + " + std::to_string(flat / results()) + "u <= " + codegen::uniform_at(last_slot_) + ") ";
  };
  std::string whole, partial;
  for (int64_t m = 0; m < results(); ++m) {
    whole += "    " + store_vector(m);
    if (is_narrow(map_.out.storage)) {
      partial += exists(m * vector_width) + store_vector(m);
      continue;
    }
    for (int64_t c = 0; c < vector_width; ++c)
      partial += exists(m * vector_width + c) + place(m) + "." + codegen::components_of_vec4[static_cast<size_t>(c)] +
                 " = " + codegen::to_stored(dtype, stored, 1, component(m, c)) + ";\n";
  }
  return "  if (element + 3u <= " + codegen::uniform_at(last_slot_) + ") {\n" + whole + "  } else {\n" + partial +
         "  }\n";
}

std::string InterleavedProgram::holes() const {
  const std::string type(codegen::value_type(load_.dtype(), schedule_.width));
  std::string members, arguments;
  for (int64_t r = 0; r < results(); ++r) {
    members += type + " v" + std::to_string(r) + "; ";
    arguments += ", x.v" + std::to_string(r);
  }
  return load_.text(bindings_) + "struct EgResults { " + members + "};\nEgResults eg_load(uint number) {\n" +
         "  EgResults x;\n  eg_results(number" + arguments + ");\n  return x;\n}\n" +
         "void eg_store(uint number, EgResults x) {\n  uint element = number << 2, first = " +
         codegen::uniform_at(quad_slot_) + " + number * " + std::to_string(results() * schedule_.width / vector_width) +
         "u;\n" + store() + "}\n";
}

Dispatch InterleavedProgram::dispatch() const {
  return map_dispatch("map interleaved " + std::string(name_of(load_.dtype())), schedule_,
                      codegen::define("EG_VALUE", "EgResults"), holes(), max_groups_, bindings_, uniforms_);
}

}  // namespace eglantine::lower
