#include "codegen/stage/stage.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/value_text.hpp"

namespace eglantine::codegen {
namespace {

std::string component(int j) { return std::string(".") + components_of_vec4[static_cast<size_t>(j)]; }

int64_t last_of(const AddressSpec& spec, const std::vector<Window>& windows) {
  const Window& window = windows[static_cast<size_t>(spec.vector_span)];
  return window.first + window.count - 1;
}

/// Whether all vectors of a layout begin at even elements, in loops, where joining them takes the time. Elsewhere one
/// text serves all starts.
bool begins_at_even(const AddressSpec& spec, const Layout& x) {
  const AxisSpan& span = spec.spans[static_cast<size_t>(spec.vector_span)];
  if (!spec.in_loop || spec.in_rows || spec.apart > 1 || access_pattern_of(x, span) != AccessPattern::contiguous ||
      x.offset % 2 != 0)
    return false;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const bool in_span = axis >= span.first && axis < span.first + span.rank;
    if (!in_span && x.shape[axis] > 1 && x.strides[static_cast<size_t>(axis)] % 2 != 0) return false;
  }
  return true;
}

/// A vector that begins anywhere. Of an even first element a bit is known, which leaves the compiler half of the
/// selections and no shifts. inner: of AddressSpec.
std::string joined_vector(const Bindings& bindings, int binding, const Addresses& addresses, int item, bool even,
                          const std::string& inner) {
  const std::string first = addresses.element(item, 0), last = addresses.last_element(item),
                    start = addresses.first_of_vectors(item), tail = "(" + last + ") >> 2";
  const auto joined = [&](const std::string& low, const std::string& high, const std::string& at) {
    return bindings.joined(binding, bindings.whole(binding, low), bindings.whole(binding, high), at);
  };
  if (!start.empty()) {
    const std::string high = "((" + start + " + 3u) >> 2) + number";
    return joined("(" + start + " >> 2) + number",
                  !addresses.has_tail() ? high
                  : inner.empty()       ? tail
                                        : inner + " ? " + high + " : " + tail,
                  start);
  }
  return even ? joined("(" + first + ") >> 2", tail, "(" + first + ") & 2u")
              : bindings.read_anywhere(binding, first, last);
}

/// Statements that read the vector `words` of memory, and a second one only where it does not begin at the element.
std::string read_mostly_whole(const Bindings& bindings, int binding, const Addresses& addresses, int item) {
  const std::string first = addresses.element(item, 0);
  const auto whole = [&](const std::string& element) { return bindings.whole(binding, "(" + element + ") >> 2"); };
  return "  " + bindings.vector_type(binding) + " words = " + whole(first) + ";\n  if (((" + first +
         ") & 3u) != 0u) words = eg_joined(words, " + whole(addresses.last_element(item)) + ", " + first + ");\n";
}

/// Components past the last element are 0, for write_words().
std::string existing_or_zero(const Addresses& addresses, const std::string& type, const std::string& name) {
  if (!addresses.has_tail()) return name;
  std::string text = type + "(" + name + ".x";
  for (int j = 1; j < 4; ++j) text += ", " + addresses.exists(j) + " ? " + name + component(j) + " : " + type + "(0).x";
  return text + ")";
}

/// Statements that write the vector `name`, of stored elements, to narrow storage: by words where it is contiguous,
/// else element by element.
std::string store_narrow_text(const Bindings& bindings, int binding, const Addresses& addresses, int item,
                              const std::string& name, bool exchanged) {
  const std::string first = addresses.element(item, 0);
  const Bindings::Block& to = bindings.at(binding);
  if (to.vectors)
    return "  " + block_name(binding) + "[" + first + " >> 2] = " + bindings.narrowed(binding, name) + ";\n";
  if (is_contiguous(addresses.access(item))) {
    const std::string type(stored_type(to.dtype(), 4));
    return bindings.write_words(binding, first, addresses.count(), existing_or_zero(addresses, type, name), exchanged);
  }
  std::string singly;
  for (int j = 0; j < 4; ++j) {
    const std::string write = bindings.write_one(binding, addresses.element(item, j), name + component(j));
    singly += addresses.has_tail() && j > 0 ? "  if (" + addresses.exists(j) + ") {\n  " + write + "  }\n" : write;
  }
  return singly;
}

/// Whether memory is written by whole vectors: of narrow storage, where none is partial or only padding lies behind it.
bool by_whole_vectors(const Addresses& addresses, int item, const Strided& out, int64_t last) {
  const bool none_partial = !addresses.has_tail() || (last + 1) % vector_width == 0;
  return addresses.access(item) == VectorAccess::vec4 &&
         (!is_narrow(out.storage) || none_partial || (out.whole && out.layout.is_contiguous()));
}

/// Statements that write the vector `name` of words from element `first` of a block of vectors on, all of which exist.
std::string words_anywhere_text(const std::string& block, const std::string& first, const std::string& name) {
  std::string text = "  uint quad = (" + first + ") >> 2, within = (" + first + ") & 3u;\n  if (within == 0u) {\n  " +
                     block + "[quad] = " + name + ";\n  }";
  for (int within = 1; within < 4; ++within) {
    text += within < 3 ? " else if (within == " + std::to_string(within) + "u) {\n" : " else {\n";
    for (int j = 0; j < 4; ++j)
      text += "  " + block + (within + j < 4 ? "[quad]" : "[quad + 1u]") + component((within + j) % 4) + " = " + name +
              component(j) + ";\n";
    text += "  }";
  }
  return text + "\n";
}

/// Statements that write `value`, of an expression's dtype, to the existing elements of an item's vector.
std::string store_text(const Bindings& bindings, int binding, const Addresses& addresses, int item, DType dtype,
                       const std::string& value, bool exchanged = false) {
  const VectorAccess access = addresses.access(item);
  const int width = addresses.width();
  const std::string block = block_name(binding), name = "stored" + std::to_string(binding);
  const std::string text = "  " + std::string(stored_type(dtype, width)) + " " + name + " = " +
                           to_stored(dtype, bindings.at(binding).dtype(), width, value) + ";\n";
  const bool packed = is_narrow(bindings.at(binding).storage);
  if (width == 1 && packed) return text + bindings.write_one(binding, addresses.element(item, 0), name);
  if (width == 1) return text + "  " + block + "[" + addresses.element(item, 0) + "] = " + name + ";\n";
  if (packed) return text + store_narrow_text(bindings, binding, addresses, item, name, exchanged);
  if (access == VectorAccess::anywhere) return text + words_anywhere_text(block, addresses.element(item, 0), name);
  const std::string whole = block + "[" + addresses.element(item, 0) + " >> 2]",
                    all = "  " + whole + " = " + name + ";\n";
  if (access == VectorAccess::vec4 && !addresses.has_tail()) return text + all;
  std::string singly;
  for (int j = 0; j < 4; ++j) {
    const std::string place =
        access == VectorAccess::vec4 ? whole + component(j) : block + "[" + addresses.element(item, j) + "]";
    const std::string condition = addresses.may_lack(j) ? "if (" + addresses.exists(j) + ") " : "";
    singly += "  " + condition + place + " = " + name + component(j) + ";\n";
  }
  if (access != VectorAccess::vec4) return text + singly;
  return text + "  if (" + addresses.exists(3) + ") {\n  " + all + "  } else {\n" + singly + "  }\n";
}

}  // namespace

LoadStage::LoadStage(const AddressSpec& spec, Expr expr, Vectors vectors, std::vector<int> staged,
                     std::vector<int32_t> results)
    : spec_(spec), expr_(std::move(expr)), staged_(std::move(staged)), results_(std::move(results)), addresses_(spec) {
  for (size_t i = 0; i < expr_.operands.size(); ++i) {
    const Strided& operand = expr_.operands[i];
    const bool may = vectors != Vectors::none && expr_.piecewise_of(i) == nullptr;
    const bool anywhere = is_narrow(operand.storage) || (vectors == Vectors::anywhere && !expr_.stores(i));
    addresses_.add(operand.layout, may, may && anywhere);
  }
  add_iotas(vectors);
  choose_windows(vectors);
  choose_views(vectors);
}

void LoadStage::bind(Bindings& bindings, const std::vector<Window>& windows) {
  for (int i = 0; i < operands(); ++i) {
    const Strided& operand = expr_.operands[static_cast<size_t>(i)];
    const bool is_written = expr_.stores(static_cast<size_t>(i));
    const auto add = is_written ? &Bindings::add_write : &Bindings::add_read;
    const bool vectors = is_written ? by_whole_vectors(addresses_, i, operand, last_of(spec_, windows))
                                    : is_contiguous(addresses_.access(i)) || reads_quads(i) || shares_view(i);
    const PiecewiseRead* read = expr_.piecewise_of(static_cast<size_t>(i));
    if (is_wide(i)) {
      bindings_of_.push_back(
          bindings.add_wide_read(operand.buffer.get(), operand.storage, addresses_.reached(i, windows)));
      continue;
    }
    bindings_of_.push_back(
        is_staged(i) ? -1
                     : (bindings.*add)(operand.buffer.get(), operand.storage, vectors,
                                       read != nullptr ? reach_of(expr_, *read) : addresses_.reached(i, windows)));
  }
  divide_windows();
  divide_views();
}

void LoadStage::add_uniforms(const Bindings& bindings, const std::vector<Window>& windows, Uniforms& uniforms,
                             const LoadStage* same) {
  std::vector<int64_t> bases;
  for (int binding : bindings_of_) bases.push_back(binding < 0 ? 0 : bindings.first_element(binding));
  bases.resize(static_cast<size_t>(addresses_.items()), 0);
  addresses_.add_uniforms(bases, last_of(spec_, windows), uniforms, same != nullptr ? &same->addresses_ : nullptr);
  for (PiecewiseText& read : piecewise_) read.add_uniforms(uniforms);
  last_slots_.assign(expr_.operands.size(), -1);
  for (const PiecewiseRead& read : expr_.piecewise)
    if (read.computed && (addresses_.has_tail() || spec_.in_rows))
      last_slots_[read.operand] = uniforms.add(reach_of(expr_, read).last - bases[read.operand]);
  for (const Parameter& x : expr_.parameters)
    parameter_slots_.push_back(x.constant == Parameter::of_lowering ? uniforms.add(x) : uniforms.add_parameter(x));
}

bool LoadStage::is_staged(int operand) const {
  return std::find(staged_.begin(), staged_.end(), operand) != staged_.end();
}

bool LoadStage::is_computed(int operand) const {
  const PiecewiseRead* read = expr_.piecewise_of(static_cast<size_t>(operand));
  return read != nullptr && read->computed.has_value();
}

/// Of a vector's elements past the last one the index may be anything.
std::string LoadStage::value_text(const Bindings& bindings) const {
  const auto element = [&](int operand, const std::string& address) {
    const int binding = bindings_of_[static_cast<size_t>(operand)], last = last_slots_[static_cast<size_t>(operand)];
    const std::string place = last < 0 ? address : "min(" + address + ", " + uniform_at(last) + ")";
    return from_stored(bindings.at(binding).dtype(), expr_.operands[static_cast<size_t>(operand)].dtype(), 1,
                       bindings.read(binding, place));
  };
  return value_function(spec_.name + "_value", expr_, parameter_slots_, element, results_, fours());
}

std::vector<std::string> LoadStage::state() const {
  std::vector<std::string> names;
  for (int i = 0; i < addresses_.items(); ++i)
    if (!spec_.steps || addresses_.changes_in(i, 0)) names.push_back(spec_.name + "_k" + std::to_string(i));
  return names;
}

bool LoadStage::reads_accumulator() const { return codegen::reads_accumulator(expr_); }

/// Defines x<operand>, a scalar where one element serves all four; only declares what the scalar function stores.
std::string LoadStage::load(const Bindings& bindings, int operand) const {
  const DType dtype = expr_.operands[static_cast<size_t>(operand)].dtype();
  if (expr_.stores(static_cast<size_t>(operand)))
    return "  " + std::string(value_type(dtype, spec_.width)) + " x" + std::to_string(operand) + ";\n";
  const std::string declared = " x" + std::to_string(operand) + " = ";
  if (is_staged(operand)) {
    const StorageType storage = expr_.operands[static_cast<size_t>(operand)].storage;
    const DType stored = dtype == DType::boolean ? DType::u32 : dtype;
    std::string slot = "EG_STAGED(eg_tile" + std::to_string(operand) + ")";
    if (spec_.width == 1)
      return "  " + std::string(value_type(dtype, 1)) + declared + from_stored(stored, dtype, 1, slot) + ";\n";
    if (is_narrow(storage)) slot = "eg_widen_" + std::string(name_of(dtype_of(storage))) + "(" + slot + ")";
    return "  " + std::string(value_type(dtype, 4)) + declared + from_stored(stored, dtype, 4, slot) + ";\n";
  }
  if (is_computed(operand)) return "";
  if (is_ahead(operand)) return "  " + type_of_vector(operand) + declared + "ahead.x" + std::to_string(operand) + ";\n";
  if (is_kept(operand))
    return "  " + std::string(value_type(dtype, 1)) + declared + spec_.name + "_x" + std::to_string(operand) + ";\n";
  if (std::string shared = load_from_window(operand) + load_from_views(operand); !shared.empty()) return shared;
  if (const PiecewiseRead* read = expr_.piecewise_of(static_cast<size_t>(operand)))
    return load_piecewise(bindings, operand, piecewise_[static_cast<size_t>(read - expr_.piecewise.data())]);
  return load_of_memory(bindings, operand);
}

/// The same of an operand that shares its loads with no other.
std::string LoadStage::load_of_memory(const Bindings& bindings, int operand) const {
  const DType dtype = expr_.operands[static_cast<size_t>(operand)].dtype();
  const std::string declared = " x" + std::to_string(operand) + " = ";
  const int binding = bindings_of_[static_cast<size_t>(operand)];
  const DType stored = bindings.at(binding).dtype();
  const auto element = [&](int j) { return bindings.read(binding, addresses_.element(operand, j)); };
  const VectorAccess access = addresses_.access(operand);
  const bool one = access == VectorAccess::splat || access == VectorAccess::single;
  std::string value = element(0);
  const bool in_memory = access == VectorAccess::anywhere && spec_.of_memory;
  if (access == VectorAccess::vec4) value = bindings.read(binding, addresses_.quad(operand));
  if (in_memory)
    value = bindings.widened(binding, bindings.whole(binding, "(" + addresses_.element(operand, 0) + ") >> 2"));
  const Layout& layout = expr_.operands[static_cast<size_t>(operand)].layout;
  if (access == VectorAccess::anywhere && spec_.beside && differ_by_fours(*spec_.beside, layout))
    return "  " + std::string(value_type(dtype, 4)) + " x" + std::to_string(operand) + ";\n  {\n" +
           read_mostly_whole(bindings, binding, addresses_, operand) + "  x" + std::to_string(operand) + " = " +
           from_stored(stored, dtype, 4, bindings.widened(binding, "words")) + ";\n  }\n";
  if (access == VectorAccess::anywhere && !in_memory)
    value = joined_vector(bindings, binding, addresses_, operand, begins_at_even(spec_, layout), spec_.inner);
  if (addresses_.repeats_along_rows(operand)) {
    const std::string x = "x" + std::to_string(operand), first = x + "_first", last = x + "_last";
    return "  " + std::string(value_type(dtype, 1)) + " " + first + " = " + from_stored(stored, dtype, 1, element(0)) +
           ", " + last + " = " + from_stored(stored, dtype, 1, element(3)) + ";\n  " +
           std::string(value_type(dtype, 4)) + declared + std::string(value_type(dtype, 4)) + "(" + first +
           ", past.y ? " + last + " : " + first + ", past.z ? " + last + " : " + first + ", " + last + ");\n";
  }
  if (access == VectorAccess::strided || access == VectorAccess::gather) {
    value = std::string(stored_type(stored, 4)) + "(" + element(0) + ", " + element(1) + ", " + element(2) + ", " +
            element(3) + ")";
  }
  const int width = one ? 1 : 4;
  return "  " + std::string(value_type(dtype, width)) + declared + from_stored(stored, dtype, width, value) + ";\n";
}

/// Elements of one vector may be read in several pieces, so that each has a condition of its own.
std::string LoadStage::load_piecewise(const Bindings& bindings, int operand, const PiecewiseText& read) const {
  const DType dtype = expr_.operands[static_cast<size_t>(operand)].dtype();
  const int binding = bindings_of_[static_cast<size_t>(operand)];
  const auto element = [&](const std::string& address) {
    return from_stored(bindings.at(binding).dtype(), dtype, 1, bindings.read(binding, "(" + address + ")"));
  };
  const std::string x = "x" + std::to_string(operand), type(value_type(dtype, spec_.width));
  std::string text, values;
  for (int j = 0; j < spec_.width; ++j) {
    const auto coordinate = [&](int iota) { return addresses_.element(operands() + iota, j); };
    const std::string name = spec_.width == 1 ? x : x + "_" + std::to_string(j);
    const std::string packed =
        read.has_packed_bounds() ? addresses_.element(packed_items_[static_cast<size_t>(&read - piecewise_.data())], j)
                                 : "";
    text += read.statements(name, dtype, 1, addresses_.element(operand, j), coordinate, element, packed);
    values += (j > 0 ? ", " : "") + name;
  }
  return spec_.width == 1 ? text : text + "  " + type + " " + x + " = " + type + "(" + values + ");\n";
}

/// Component j of an operand or iota, as an argument of the scalar function.
std::string LoadStage::argument(int item, int j) const {
  if (item >= operands() || is_computed(item)) return addresses_.element(item, j);
  const VectorAccess access = addresses_.access(item);
  const std::string name = "x" + std::to_string(item);
  if (expr_.stores(static_cast<size_t>(item))) return spec_.width == 1 ? name : name + component(j);
  if (is_staged(item)) return spec_.width == 1 ? name : name + component(j);
  if (expr_.piecewise_of(static_cast<size_t>(item)) != nullptr) return spec_.width == 1 ? name : name + component(j);
  return access == VectorAccess::splat || access == VectorAccess::single ? name : name + component(j);
}

std::string LoadStage::arguments(int j) const {
  std::string text;
  for (int i = 0; i < operands() + static_cast<int>(expr_.iotas.size()); ++i)
    text += (i > 0 ? ", " : "") + argument(i, j);
  for (const int32_t four : fours()) text += ", " + four_name(four) + component(j);
  return text;
}

std::string LoadStage::text(const Bindings& bindings) const {
  if (spec_.run > 1) return run_text(bindings);
  if (!results_.empty()) return results_text(bindings);
  const int width = spec_.width;
  const std::vector<Instruction> accumulators = accumulators_of(expr_);
  const auto is_one = [](const Instruction& step) { return step.args[1] == 1; };  // for the whole vector
  const std::string type(value_type(dtype(), width));
  std::string text = value_text(bindings) + addresses_.address_function();
  if (spec_.steps) text += addresses_.step_function();
  text += ahead_text(bindings) + type + " " + spec_.name + (spec_.steps ? "(" : "(uint number") +
          (loads_ahead() > 0 ? ", EgAhead ahead" : "");
  for (const Instruction& step : accumulators)
    text += ", " + std::string(value_type(step.dtype, is_one(step) ? 1 : width)) + " " + accumulator_name(step);
  text += ") {\n" + addresses_.statements("number") + load_windows(bindings) + load_views(bindings);
  for (int i = 0; i < operands(); ++i) text += load(bindings, i);
  text += compute_fours();
  std::string values;
  for (int j = 0; j < width; ++j) {
    std::string arguments = this->arguments(j);
    for (const Instruction& step : accumulators)
      arguments +=
          (arguments.empty() ? "" : ", ") + accumulator_name(step) + (width > 1 && !is_one(step) ? component(j) : "");
    values += (j > 0 ? ", " : "") + spec_.name + "_value(" + arguments + ")";
  }
  if (width > 1) values = type + "(" + values + ")";
  if (expr_.stored.empty()) return text + "  return " + values + ";\n}\n" + (defers() ? deferred_text(bindings) : "");
  text += "  " + type + " result = " + values + ";\n";
  for (size_t operand : expr_.stored) text += store(bindings, static_cast<int>(operand));
  return text + "  return result;\n}\n";
}

/// In a block of its own: what shares a binding has the same names.
std::string LoadStage::store(const Bindings& bindings, int operand) const {
  return "  {\n" +
         store_text(bindings, bindings_of_[static_cast<size_t>(operand)], addresses_, operand,
                    expr_.operands[static_cast<size_t>(operand)].dtype(), "x" + std::to_string(operand)) +
         "  }\n";
}

StoreStage::StoreStage(const AddressSpec& spec, Strided out, bool vectors, bool anywhere, int64_t exchanging)
    : spec_(spec), out_(std::move(out)), addresses_(spec), exchanging_(exchanging) {
  addresses_.add(out_.layout, vectors, vectors && (anywhere || exchanging > 0 || is_narrow(out_.storage)));
}

bool StoreStage::by_words() const { return is_contiguous(addresses_.access(0)); }

void StoreStage::bind(Bindings& bindings, const std::vector<Window>& windows) {
  const bool vectors = by_whole_vectors(addresses_, 0, out_, last_of(spec_, windows)) || exchanges() ||
                       (!is_narrow(out_.storage) && addresses_.access(0) == VectorAccess::anywhere);
  binding_ = bindings.add_write(out_.buffer.get(), out_.storage, vectors, addresses_.reached(0, windows));
}

void StoreStage::add_uniforms(const Bindings& bindings, const std::vector<Window>& windows, Uniforms& uniforms) {
  addresses_.add_uniforms({bindings.first_element(binding_)}, last_of(spec_, windows), uniforms);
}

bool StoreStage::writes_parts(const Bindings& bindings) const {
  return bytes_of(out_.storage) == 2 && spec_.width == 4 && !bindings.at(binding_).vectors &&
         is_contiguous(addresses_.access(0));
}

std::string StoreStage::text(const Bindings& bindings, bool exchanged) const {
  if (exchanges()) return addresses_.address_function() + exchanging_text(bindings);
  return addresses_.address_function() + (spec_.steps ? addresses_.step_function() : "") + "void " + spec_.name +
         "(uint number, " + std::string(value_type(out_.dtype(), spec_.width)) + " value" +
         (exchanged ? ", bool mine, bool follows, bool leads" : "") + ") {\n" + addresses_.statements("number") +
         store_text(bindings, binding_, addresses_, 0, out_.dtype(), "value", exchanged) + "}\n";
}

std::string StoreStage::part_text(const Bindings& bindings) const {
  const std::string stored = to_stored(out_.dtype(), bindings.at(binding_).dtype(), vector_width, "value");
  return "void " + spec_.name + "_part(uint number, " + std::string(value_type(out_.dtype(), vector_width)) +
         " value, uint count) {\n" + addresses_.statements("number") +
         bindings.write_words(binding_, addresses_.element(0, 0), "count", stored, false) + "}\n";
}

}  // namespace eglantine::codegen
