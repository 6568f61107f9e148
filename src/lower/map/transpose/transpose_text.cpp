#include "lower/map/transpose/transpose_text.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"

namespace eglantine::lower {
namespace {

using namespace codegen;

constexpr std::string_view components = "xyzw";

AddressSpec single_elements(const Shape& domain) { return {"eg_transpose", domain, {{0, domain.rank()}}, 1, 0}; }

/// Booleans are staged as they are stored.
DType tile_dtype(DType dtype) { return dtype == DType::boolean ? DType::u32 : dtype; }

/// Of a slot: four elements, narrow ones in the words that they take in memory.
std::string slot_type(const Strided& operand) {
  const auto bytes = static_cast<int>(bytes_of(operand.storage));
  return std::string(bytes < 4 ? value_type(DType::u32, bytes) : stored_type(tile_dtype(operand.dtype()), 4));
}

/// Whether the words of four lines are turned as they lie in memory, neither widened nor rounded on their way.
bool moves_words(const Strided& operand, VectorAccess access) {
  return is_narrow(operand.storage) && access != VectorAccess::strided;
}

std::string joined(const Strided& operand, const std::string& value) {
  if (!is_narrow(operand.storage)) return value;
  return "eg_join_" + std::string(name_of(dtype_of(operand.storage))) + "(" + value + ")";
}

/// Of every four lines from a multiple of four on.
VectorAccess access_of(const Layout& x, int lines) {
  if (x.strides[static_cast<size_t>(lines)] != 1) return VectorAccess::strided;
  bool aligned = x.offset % vector_width == 0;
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    aligned = aligned && (axis == lines || x.strides[static_cast<size_t>(axis)] % vector_width == 0);
  return aligned ? VectorAccess::vec4 : VectorAccess::anywhere;
}

std::string numbered(const char* prefix, size_t number) { return prefix + std::to_string(number); }

/// Line k of the block whose columns are `name`0 to `name`3.
std::string line_of(const std::string& name, const std::string& type, int k) {
  std::string line = type + "(";
  for (int j = 0; j < 4; ++j)
    line += (j > 0 ? ", " : "") + name + std::to_string(j) + "." + components[static_cast<size_t>(k)];
  return line + ")";
}

/// The vector at hand: a slot's elements from number eg_left on, and the first of the next slot's.
constexpr const char* staged_across = R"(uint eg_slot, eg_next, eg_left, eg_right;
uint eg_across(uint a, uint b, uint left) { return left == 0u ? a : a >> 8u * left | b << (32u - 8u * left); }
uvec2 eg_across(uvec2 a, uvec2 b, uint left) {
  uvec3 words = left < 2u ? uvec3(a, b.x) : uvec3(a.y, b);
  return left % 2u == 0u ? words.xy : words.xy >> 16u | words.yz << 16u;
}
#define EG_ACROSS_OF(T) T eg_across(T a, T b, uint left) { \
  return left < 2u ? (left == 0u ? a : T(a.yzw, b.x)) : left == 2u ? T(a.zw, b.xy) : T(a.w, b.xyz); }
EG_ACROSS_OF(vec4) EG_ACROSS_OF(ivec4) EG_ACROSS_OF(uvec4)
#define EG_STAGED(tile) eg_across(tile[eg_slot], tile[eg_next], eg_left)
)";
constexpr const char* staged_slot = "uint eg_slot;\n#define EG_STAGED(tile) tile[eg_slot]\n";

}  // namespace

TransposeText::TransposeText(const Expr& expr, std::vector<int> operands, int lines)
    : operands_(std::move(operands)),
      lines_(lines),
      columns_(expr.domain.rank() - 1),
      addresses_(single_elements(expr.domain)) {
  for (int number : operands_) {
    const Strided& operand = expr.operands[static_cast<size_t>(number)];
    staged_.push_back({operand, access_of(operand.layout, lines)});
    addresses_.add(operand.layout, false);
  }
}

int64_t TransposeText::element_bytes() const {
  int64_t bytes = 0;
  for (const StagedOperand& staged : staged_) bytes = std::max(bytes, bytes_of(staged.operand.storage));
  return bytes;
}

int64_t TransposeText::elements() const { return staged_.front().operand.layout.shape.elements(); }

void TransposeText::bind(Bindings& bindings) {
  for (size_t i = 0; i < staged_.size(); ++i) {
    const Strided& operand = staged_[i].operand;
    staged_[i].binding =
        bindings.add_read(operand.buffer.get(), operand.storage, staged_[i].access != VectorAccess::strided,
                          addresses_.reached(static_cast<int>(i), {{0, elements()}}));
  }
}

void TransposeText::add_uniforms(const Bindings& bindings, Uniforms& uniforms) {
  std::vector<int64_t> bases;
  for (const StagedOperand& staged : staged_) bases.push_back(bindings.first_element(staged.binding));
  addresses_.add_uniforms(bases, elements() - 1, uniforms);
  for (StagedOperand& staged : staged_) {
    staged.line_slot = uniforms.add(staged.operand.layout.strides[static_cast<size_t>(lines_)]);
    staged.column_slot = uniforms.add(staged.operand.layout.strides[static_cast<size_t>(columns_)]);
  }
}

/// Four lines in column j of a block, in the tile's type.
std::string TransposeText::column(const Bindings& bindings, size_t i, int j, bool across) const {
  const StagedOperand& staged = staged_[i];
  const DType stored = bindings.at(staged.binding).dtype();
  const std::string columns = literal(static_cast<uint64_t>(j)),
                    place = numbered("a", i) + " + " + (across && j > 0 ? "min(" + columns + ", eg_right)" : columns) +
                            " * " + uniform_at(staged.column_slot);
  if (moves_words(staged.operand, staged.access))
    return staged.access == VectorAccess::vec4
               ? bindings.whole(staged.binding, "(" + place + ") >> 2")
               : bindings.words_anywhere(staged.binding, place, place + " + min(left, 3u)");
  std::string value;
  if (staged.access == VectorAccess::vec4) value = bindings.read(staged.binding, "(" + place + ") >> 2");
  if (staged.access == VectorAccess::anywhere)
    value = bindings.read_anywhere(staged.binding, place, place + " + min(left, 3u)");
  if (staged.access == VectorAccess::strided) {
    value = std::string(stored_type(stored, 4)) + "(";
    for (int k = 0; k < 4; ++k) {
      const std::string line =
          k == 0 ? "" : " + min(left, " + literal(static_cast<uint64_t>(k)) + ") * " + uniform_at(staged.line_slot);
      value += (k > 0 ? ", " : "") + bindings.read(staged.binding, place + line);
    }
    value += ")";
  }
  return from_stored(stored, tile_dtype(staged.operand.dtype()), 4, value);
}

std::string TransposeText::text(const Bindings& bindings, int64_t slots, int64_t pitch, bool across) const {
  std::string tiles = across ? staged_across : staged_slot, loads, stores;
  for (size_t i = 0; i < staged_.size(); ++i) {
    const bool words = moves_words(staged_[i].operand, staged_[i].access);
    const std::string slot = slot_type(staged_[i].operand),
                      type = words ? slot : std::string(stored_type(tile_dtype(staged_[i].operand.dtype()), 4));
    const std::string tile = "eg_tile" + std::to_string(operands_[i]), name = numbered("b", i);
    tiles += "shared " + slot + " " + tile + "[" + std::to_string(slots) + "];\n";
    for (int j = 0; j < 4; ++j)
      loads += "  " + type + " " + name + std::to_string(j) + " = " + column(bindings, i, j, across) + ";\n";
    if (words) stores += "  eg_transpose_block(" + name + "0, " + name + "1, " + name + "2, " + name + "3);\n";
    for (int k = 0; k < 4; ++k) {
      const std::string line = words ? name + std::to_string(k) : joined(staged_[i].operand, line_of(name, type, k));
      stores += "  " + tile + "[slot + " + literal(static_cast<uint64_t>(k * pitch)) + "] = " + line + ";\n";
    }
  }
  return tiles + "void eg_fetch(uint number, uint left, uint slot) {\n" + addresses_.statements("number") + loads +
         stores + "}\n";
}

}  // namespace eglantine::lower
