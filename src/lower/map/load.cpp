#include "lower/map/load.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/glsl_type.hpp"

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

AddressSpec across_rows(AddressSpec vectors) {
  vectors.name += "_across";
  return vectors;
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

MapLoad::MapLoad(const AddressSpec& spec, const Expr& expr, Vectors vectors, bool by_rows)
    : domain_(spec.domain), load_(by_rows ? across_rows(spec) : spec, expr, vectors) {
  if (by_rows) in_row_.emplace(in_row(spec), expr, vectors);
}

void MapLoad::bind(codegen::Bindings& bindings, const std::vector<codegen::Window>& windows) {
  load_.bind(bindings, windows);
  if (in_row_) in_row_->bind(bindings, windows);
}

void MapLoad::add_uniforms(const codegen::Bindings& bindings, const std::vector<codegen::Window>& windows,
                           codegen::Uniforms& uniforms) {
  load_.add_uniforms(bindings, windows, uniforms);
  if (!in_row_) return;
  in_row_->add_uniforms(bindings, windows, uniforms, &load_);
  last_slot_ = uniforms.add(domain_.elements() - 1);
  if (domain_.rank() == 1) return;
  row_slot_ = load_.divisor_slot(domain_.rank() - 1);
  if (row_slot_ < 0) row_slot_ = uniforms.add_divisor(row_of(domain_));
}

std::string MapLoad::text(const codegen::Bindings& bindings) const {
  if (!in_row_) return load_.text(bindings);
  const std::string type(codegen::value_type(dtype(), vector_width));
  std::string text = load_.text(bindings) + in_row_->text(bindings) + type +
                     " eg_load(uint number) {\n  uint first = number << 2;\n  bool in_row = first + 3u <= " +
                     codegen::uniform_at(last_slot_) + ";\n";
  if (row_slot_ >= 0) {
    const std::string length = codegen::uniform_at(row_slot_);
    text += "  in_row = in_row && first - " + codegen::divided_by("first", row_slot_) + " * " + length + " + 3u < " +
            length + ";\n";
  }
  return text + "  if (in_row) return eg_load_in_row(first);\n  return eg_load_across(number);\n}\n";
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
                across = all * subgroup * vector_width;
  return 10 * (fewer * lines + across) <= 7 * all * lines;
}

}  // namespace eglantine::lower
