#include "lower/attention/operand.hpp"

#include <algorithm>

#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

using namespace codegen;

Layout leading_of(const Layout& x) {
  return {Shape(x.shape.begin(), x.shape.end() - 2), {x.strides.begin(), x.strides.end() - 2}, x.offset};
}

/// The last two axes, from address 0 on.
Layout matrix_of(const Layout& x) {
  return {Shape(x.shape.end() - 2, x.shape.end()), {x.strides.end() - 2, x.strides.end()}, 0};
}

AddressSpec spec_of(const std::string& name, const Shape& leading) { return {name, leading, {{0, leading.rank()}}, 1}; }

}  // namespace

bool reads_vectors(const Layout& x) {
  const auto divides = [](int64_t value) { return value % vector_width == 0; };
  if (x.strides.back() != 1 || !divides(x.shape[x.shape.rank() - 1]) || !divides(x.offset)) return false;
  for (int axis = 0; axis + 1 < x.shape.rank(); ++axis)
    if (x.shape[axis] > 1 && !divides(x.strides[static_cast<size_t>(axis)])) return false;
  return true;
}

AttentionOperand::AttentionOperand(const char* name, const Strided& x, int64_t share, bool vectors)
    : name_(std::string("eg_") + name),
      x_(x),
      share_(share),
      leading_(leading_of(x.layout)),
      addresses_(spec_of(name_ + "_heads", leading_.shape)),
      vectors_(vectors && reads_vectors(x.layout)) {
  addresses_.add(leading_, false);
}

void AttentionOperand::bind(Bindings& bindings, const Window& heads) {
  const int64_t first = heads.first / share_, last = (heads.first + heads.count - 1) / share_;
  layout::Reach reached = reach_of(leading_, {0, leading_.shape.rank()}, {first, last - first + 1});
  const layout::Reach matrix = layout::reach(matrix_of(x_.layout));
  reached.first += matrix.first + leading_.offset;
  reached.last += matrix.last + leading_.offset;
  block_ = bindings.add_read(x_.buffer.get(), x_.storage, vectors_, reached);
}

void AttentionOperand::add_uniforms(const Bindings& bindings, Uniforms& uniforms) {
  addresses_.add_uniforms({bindings.first_element(block_)}, 0, uniforms);
  const Layout& x = x_.layout;
  share_slot_ = uniforms.add(share_);
  line_slot_ = uniforms.add(*(x.strides.end() - 2));
  step_slot_ = uniforms.add(x.strides.back());
  length_slot_ = uniforms.add(x.shape[x.shape.rank() - 1]);
}

std::string AttentionOperand::head_function() const {
  const std::string head = share_ == 1 ? "head" : "head / " + uniform_at(share_slot_);
  return "uint " + name_ + "_base;\nvoid " + name_ + "_head(uint head) {\n" + addresses_.statements(head) + "  " +
         name_ + "_base = a0;\n}\n";
}

std::string AttentionOperand::address() const {
  return "  uint at = " + name_ + "_base + line * " + uniform_at(line_slot_) + " + element" +
         (vectors_ ? "" : " * " + uniform_at(step_slot_)) + ";\n";
}

/// Element j of four, or 0 past the last; read in any case, so that no load waits behind a branch.
std::string AttentionOperand::element(const Bindings& bindings, int j) const {
  const std::string offset = std::to_string(j) + "u", at = "at + " + offset + " * " + uniform_at(step_slot_);
  const bool exists = x_.layout.shape[x_.layout.shape.rank() - 1] % vector_width == 0;
  if (exists) return bindings.read(block_, at);
  const std::string there = "element + " + offset + " < " + uniform_at(length_slot_);
  return "mix(0.0, " + bindings.read(block_, "(" + there + " ? " + at + " : at)") + ", " + there + ")";
}

std::string AttentionOperand::text(const Bindings& bindings, bool guarded) const {
  std::string start = head_function() + "vec4 " + name_ + "(uint line, uint element) {\n", value;
  if (guarded)
    start += "  bool there = element < " + uniform_at(length_slot_) + ";\n  element = there ? element : 0u;\n";
  if (vectors_) {
    value = bindings.read(block_, "at >> 2");
  } else {
    value = "vec4(";
    for (int j = 0; j < 4; ++j) value += (j == 0 ? "" : ",\n              ") + element(bindings, j);
    value += ")";
  }
  return start + address() + "  vec4 x = " + value + ";\n  return " + (guarded ? "there ? x : vec4(0.0)" : "x") +
         ";\n}\n";
}

std::string AttentionOperand::text_of_one(const Bindings& bindings) const {
  const std::string type = x_.dtype() == DType::boolean ? "uint" : "float";
  return head_function() + type + " " + name_ + "_at(uint line, uint element) {\n" + address() + "  return " +
         bindings.read(block_, "at") + ";\n}\n";
}

}  // namespace eglantine::lower
