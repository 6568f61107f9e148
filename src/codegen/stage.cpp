#include "codegen/stage.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/value_text.hpp"

namespace eglantine::codegen {
namespace {

constexpr std::string_view components = "xyzw";

std::string component(int j) { return std::string(".") + components[static_cast<size_t>(j)]; }

int64_t last_of(const AddressSpec& spec, const std::vector<Numbers>& numbers) {
  const Numbers& range = numbers[static_cast<size_t>(spec.vector_part)];
  return range.first + range.count - 1;
}

/// Statements that write `value`, of an expression's dtype, to an item of the addresses, as far as its unit exists.
std::string store_text(const Bindings& bindings, int binding, const Addresses& addresses, int item, DType dtype,
                       const std::string& value) {
  const Access access = addresses.access(item);
  const int width = addresses.width();
  const std::string block = block_name(binding), name = "stored" + std::to_string(binding);
  const std::string text = "  " + std::string(stored_type(dtype, width)) + " " + name + " = " +
                           to_stored(dtype, bindings.at(binding).dtype, width, value) + ";\n";
  if (width == 1) return text + "  " + block + "[" + addresses.element(item, 0) + "] = " + name + ";\n";
  const bool packed = bindings.at(binding).packed;
  const std::string whole = block + "[" + addresses.element(item, 0) + " >> 2]",
                    all = "  " + whole + " = " + (packed ? "eg_pack(" + name + ")" : name) + ";\n";
  // What a unit has past the last element lands in the buffer's padding.
  if (packed) return text + all;
  if (access == Access::vec4 && !addresses.has_tail()) return text + all;
  std::string singly;
  for (int j = 0; j < 4; ++j) {
    const std::string place =
        access == Access::vec4 ? whole + component(j) : block + "[" + addresses.element(item, j) + "]";
    const std::string condition = addresses.has_tail() && j > 0 ? "if (" + addresses.exists(j) + ") " : "";
    singly += "  " + condition + place + " = " + name + component(j) + ";\n";
  }
  if (access != Access::vec4) return text + singly;
  return text + "  if (" + addresses.exists(3) + ") {\n  " + all + "  } else {\n" + singly + "  }\n";
}

}  // namespace

LoadStage::LoadStage(const AddressSpec& spec, Expr expr, bool vectors, std::vector<int> held)
    : spec_(spec), expr_(std::move(expr)), held_(std::move(held)), addresses_(spec) {
  for (const Strided& operand : expr_.operands) addresses_.add(operand.layout, vectors);
  for (const Layout& iota : expr_.iotas) addresses_.add(iota, false);
}

void LoadStage::bind(Bindings& bindings, const std::vector<Numbers>& numbers) {
  for (int i = 0; i < operands(); ++i) {
    const Strided& operand = expr_.operands[static_cast<size_t>(i)];
    const auto add = expr_.stores(static_cast<size_t>(i)) ? &Bindings::add_write : &Bindings::add_read;
    bindings_of_.push_back(holds(i)
                               ? -1
                               : (bindings.*add)(operand.buffer.get(), operand.dtype,
                                                 addresses_.access(i) == Access::vec4, addresses_.reached(i, numbers)));
  }
}

void LoadStage::place(const Bindings& bindings, const std::vector<Numbers>& numbers, Uniforms& uniforms) {
  std::vector<int64_t> bases;
  for (int binding : bindings_of_) bases.push_back(binding < 0 ? 0 : bindings.first_element(binding));
  bases.resize(bases.size() + expr_.iotas.size(), 0);
  addresses_.place(bases, last_of(spec_, numbers), uniforms);
  for (uint32_t parameter : expr_.parameters) parameter_slots_.push_back(uniforms.add_parameter(parameter));
}

bool LoadStage::holds(int operand) const { return std::find(held_.begin(), held_.end(), operand) != held_.end(); }

bool LoadStage::reads_accumulator() const { return codegen::reads_accumulator(expr_); }

/// Defines x<operand>: a scalar where one element serves the whole unit, else a vector. Of one that is stored, it is
/// what the scalar function fills.
std::string LoadStage::load(const Bindings& bindings, int operand) const {
  const DType dtype = expr_.operands[static_cast<size_t>(operand)].dtype;
  if (expr_.stores(static_cast<size_t>(operand)))
    return "  " + std::string(value_type(dtype, spec_.width)) + " x" + std::to_string(operand) + ";\n";
  const std::string declared = " x" + std::to_string(operand) + " = ";
  if (holds(operand)) {
    const DType stored = dtype == DType::boolean ? DType::u32 : dtype;
    return "  " + std::string(value_type(dtype, 4)) + declared +
           from_stored(stored, dtype, 4, "eg_tile" + std::to_string(operand) + "[eg_slot]") + ";\n";
  }
  const int binding = bindings_of_[static_cast<size_t>(operand)];
  const DType stored = bindings.at(binding).dtype;
  const auto element = [&](int j) { return bindings.read(binding, addresses_.element(operand, j)); };
  const Access access = addresses_.access(operand);
  const bool one = access == Access::splat || access == Access::single;
  std::string value = element(0);
  if (access == Access::vec4) value = bindings.read(binding, addresses_.quad(operand));
  if (access == Access::strided || access == Access::gather) {
    value = std::string(stored_type(stored, 4)) + "(" + element(0) + ", " + element(1) + ", " + element(2) + ", " +
            element(3) + ")";
  }
  const int width = one ? 1 : 4;
  return "  " + std::string(value_type(dtype, width)) + declared + from_stored(stored, dtype, width, value) + ";\n";
}

/// Component j of an operand or an index, as an argument of the scalar function.
std::string LoadStage::argument(int item, int j) const {
  if (item >= operands()) return addresses_.element(item, j);
  const Access access = addresses_.access(item);
  const std::string name = "x" + std::to_string(item);
  if (expr_.stores(static_cast<size_t>(item))) return spec_.width == 1 ? name : name + component(j);
  if (holds(item)) return name + component(j);
  return access == Access::splat || access == Access::single ? name : name + component(j);
}

std::string LoadStage::text(const Bindings& bindings) const {
  const int width = spec_.width, items = operands() + static_cast<int>(expr_.iotas.size());
  const bool accumulator = reads_accumulator();
  const std::string type(value_type(dtype(), width));
  std::string text = value_function(spec_.name + "_value", expr_, parameter_slots_) + addresses_.seek_function();
  text += type + " " + spec_.name + "(uint number";
  if (accumulator) text += ", " + std::string(value_type(accumulator_dtype(expr_), width)) + " accumulator";
  text += ") {\n" + addresses_.statements("number");
  for (int i = 0; i < operands(); ++i) text += load(bindings, i);
  std::string values;
  for (int j = 0; j < width; ++j) {
    std::string arguments;
    for (int i = 0; i < items; ++i) arguments += (i > 0 ? ", " : "") + argument(i, j);
    if (accumulator) arguments += std::string(items > 0 ? ", " : "") + "accumulator" + (width > 1 ? component(j) : "");
    values += (j > 0 ? ", " : "") + spec_.name + "_value(" + arguments + ")";
  }
  if (width > 1) values = type + "(" + values + ")";
  if (expr_.stored.empty()) return text + "  return " + values + ";\n}\n";
  text += "  " + type + " result = " + values + ";\n";
  for (size_t operand : expr_.stored) text += store(bindings, static_cast<int>(operand));
  return text + "  return result;\n}\n";
}

std::string LoadStage::store(const Bindings& bindings, int operand) const {
  return store_text(bindings, bindings_of_[static_cast<size_t>(operand)], addresses_, operand,
                    expr_.operands[static_cast<size_t>(operand)].dtype, "x" + std::to_string(operand));
}

StoreStage::StoreStage(const AddressSpec& spec, Strided out, bool vectors)
    : spec_(spec), out_(std::move(out)), addresses_(spec) {
  addresses_.add(out_.layout, vectors);
}

void StoreStage::bind(Bindings& bindings, const std::vector<Numbers>& numbers) {
  binding_ = bindings.add_write(out_.buffer.get(), out_.dtype, by_vec4(), addresses_.reached(0, numbers));
}

void StoreStage::place(const Bindings& bindings, const std::vector<Numbers>& numbers, Uniforms& uniforms) {
  addresses_.place({bindings.first_element(binding_)}, last_of(spec_, numbers), uniforms);
}

std::string StoreStage::text(const Bindings& bindings) const {
  return addresses_.seek_function() + "void " + spec_.name + "(uint number, " +
         std::string(value_type(out_.dtype, spec_.width)) + " value) {\n" + addresses_.statements("number") +
         store_text(bindings, binding_, addresses_, 0, out_.dtype, "value") + "}\n";
}

}  // namespace eglantine::codegen
