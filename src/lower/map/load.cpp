#include "lower/map/load.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/glsl_type.hpp"
#include "lower/map/inner_box.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;
using codegen::LoadStage;
using codegen::vector_width;
using codegen::Vectors;

constexpr int64_t subgroup = 32, line_bytes = 128;

int64_t row_of(const Shape& domain) { return domain[domain.rank() - 1]; }

/// Lines of memory that the vectors of a subgroup fill, of the narrowest operand.
int64_t lines_of(const Expr& expr) {
  int64_t bytes = line_bytes / subgroup;
  for (const Strided& operand : expr.operands) bytes = std::min(bytes, bytes_of(operand.storage));
  return subgroup * vector_width * bytes / line_bytes;
}

AddressSpec in_row(const AddressSpec& vectors) {
  AddressSpec spec{vectors.name + "_in_row", vectors.domain, vectors.spans};
  spec.in_rows = spec.whole = true;
  return spec;
}

/// Whether a vector of some operand that is contiguous along the rows takes several loads. Told at less cost than loads
/// are counted, for most maps have none.
bool has_split_vectors(const Expr& expr, const AddressSpec& spec) {
  codegen::Addresses addresses(spec);
  return std::any_of(expr.operands.begin(), expr.operands.end(), [&](const Strided& operand) {
    return std::abs(operand.layout.strides.back()) == 1 &&
           addresses.access(addresses.add(operand.layout, true, true)) != codegen::VectorAccess::vec4;
  });
}

}  // namespace

AddressSpec elements_of(const AddressSpec& vectors) {
  return {vectors.name + "_one", vectors.domain, vectors.spans, 1};
}

MapLoad::MapLoad(const AddressSpec& spec, const Expr& expr, Vectors vectors, bool by_rows,
                 const std::optional<layout::Box>& inner)
    : domain_(spec.domain), inner_(inner), load_(by_rows || inner ? elements_of(spec) : spec, expr, vectors) {
  if (inner_) conditions_ = expr;
  if (by_rows || inner_) in_row_.emplace(in_row(spec), inner_ ? linear_in(expr, *inner_) : expr, vectors);
}

void MapLoad::bind(codegen::Bindings& bindings, const std::vector<codegen::Window>& windows) {
  load_.bind(bindings, windows);
  if (in_row_) in_row_->bind(bindings, windows, conditions_ ? &*conditions_ : nullptr);
}

void MapLoad::add_uniforms(const codegen::Bindings& bindings, const std::vector<codegen::Window>& windows,
                           codegen::Uniforms& uniforms) {
  load_.add_uniforms(bindings, windows, uniforms);
  if (!in_row_) return;
  in_row_->add_uniforms(bindings, windows, uniforms);
  if (inner_) return add_inner_uniforms(uniforms);
  last_slot_ = uniforms.add(domain_.elements() - 1);
  if (domain_.rank() > 1) row_slot_ = uniforms.add_divisor(row_of(domain_));
}

/// Where an axis of the inner box starts, and of how many places in it a vector may start.
void MapLoad::add_inner_uniforms(codegen::Uniforms& uniforms) {
  const int last = domain_.rank() - 1;
  for (int axis = 0; axis <= last; ++axis) {
    const int64_t less = axis == last ? vector_width - 1 : 0;
    divisor_slots_.push_back(axis > 0 ? uniforms.add_divisor(domain_[axis]) : -1);
    inner_slots_.push_back(uniforms.add(inner_->start[axis]));
    uniforms.add(inner_->length[axis] - less);
  }
}

std::string MapLoad::inner_text(const codegen::Bindings& bindings) const {
  const std::string type(codegen::value_type(dtype(), vector_width));
  std::string text = "bool eg_inside(uint number) {\n  uint at = number << 2, above;\n  bool inside = true;\n";
  const int last = domain_.rank() - 1;
  for (int axis = last, cut_axes = 0; axis >= 0; --axis) {
    for (int outer = cut_axes = 0; outer <= axis; ++outer) cut_axes += outer == last || is_cut(outer) ? 1 : 0;
    if (cut_axes == 0) break;
    const auto place = static_cast<size_t>(axis);
    const std::string above = axis > 0 ? codegen::divided_by("at", divisor_slots_[place]) : "0u",
                      times = axis > 0 ? " - above * " + codegen::uniform_at(divisor_slots_[place]) : "";
    text += "  above = " + above + ";\n";
    if (axis == last || is_cut(axis))
      text += "  inside = inside && at" + times + " - " + codegen::uniform_at(inner_slots_[place]) + " < " +
              codegen::uniform_at(inner_slots_[place] + 1) + ";\n";
    text += "  at = above;\n";
  }
  return load_.text(bindings) + in_row_->text(bindings) + text + "  return inside;\n}\n" + type +
         " eg_load(uint number) { return eg_load_in_row(number << 2); }\n";
}

std::string MapLoad::text(const codegen::Bindings& bindings) const {
  if (inner_) return inner_text(bindings);
  if (!in_row_) return load_.text(bindings);
  const std::string type(codegen::value_type(dtype(), vector_width)), last = codegen::uniform_at(last_slot_);
  std::string text = load_.text(bindings) + in_row_->text(bindings) + type +
                     " eg_load(uint number) {\n  uint first = number << 2;\n  bool in_row = first + 3u <= " + last +
                     ";\n";
  if (row_slot_ >= 0) {
    const std::string length = codegen::uniform_at(row_slot_);
    text += "  in_row = in_row && first - " + codegen::divided_by("first", row_slot_) + " * " + length + " + 3u < " +
            length + ";\n";
  }
  text += "  if (in_row) return eg_load_in_row(first);\n  return " + type + "(eg_load_one(first)";
  for (int j = 1; j < vector_width; ++j)
    text += ", eg_load_one(min(first + " + codegen::literal(static_cast<uint64_t>(j)) + ", " + last + "))";
  return text + ");\n}\n";
}

bool reads_vectors_in(const Expr& expr, const layout::Box& inner) {
  constexpr Vectors vectors = Vectors::anywhere;
  const AddressSpec spec{"eg_load", expr.domain, {{0, expr.domain.rank()}}};
  const int64_t singly = LoadStage(elements_of(spec), expr, vectors).loads() * vector_width;
  return 10 * LoadStage(in_row(spec), linear_in(expr, inner), vectors).loads() <= 7 * singly;
}

/// What a load takes is the lines of memory that a subgroup touches: lines_of() with all its vectors, one for each
/// vector where few of them lie in two rows. By rows, where that is seven tenths or less.
bool reads_by_rows(const Expr& expr) {
  constexpr Vectors vectors = Vectors::anywhere;
  const AddressSpec spec{"eg_load", expr.domain, {{0, expr.domain.rank()}}};
  if (!expr.stored.empty() || expr.operands.size() < 2) return false;
  if (codegen::rows_of_whole_vectors(spec.domain, spec.spans.front()) || !has_split_vectors(expr, spec)) return false;
  const int64_t row = row_of(expr.domain), lines = lines_of(expr) * row;
  const int64_t all = LoadStage(spec, expr, vectors).loads(), fewer = LoadStage(in_row(spec), expr, vectors).loads(),
                singly = LoadStage(elements_of(spec), expr, vectors).loads() * vector_width;
  return 10 * (fewer * lines + singly * subgroup * vector_width) <= 7 * all * lines;
}

}  // namespace eglantine::lower
