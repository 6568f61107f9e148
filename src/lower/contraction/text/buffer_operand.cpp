#include "lower/contraction/text/buffer_operand.hpp"

namespace eglantine::lower {

std::string BufferOperand::declare_shared() const {
  const std::string type(codegen::value_type(x_.shader.dtype, has_vectors() ? 4 : 1));
  return "shared " + type + " " + tile() + "[" + number(pitch() * x_.shader.depth / (has_vectors() ? 4 : 1)) + "]; ";
}

/// Of element i of fetch v. Lines past the last repeat it, or the last four, which may pass it.
std::string BufferOperand::address(int v, int i) const {
  const std::string last = x_.read == MatmulRead::mn_major ? "((" + x_.length + " - 1u) & ~3u)" : x_.length + " - 1u";
  const std::string line = "line_" + id(v) + (is_single() && turned_ ? " + " + number(i * apart()) + "u" : "");
  return "eg_" + x_.name + "_base + min(" + x_.tile_start + " + " + line + ", " + last + ") * " + x_.line_stride +
         " + k_" + id(v) + " * " + x_.k_stride;
}

/// Where a fetch's first element is stored, which the loop need not compute.
std::string BufferOperand::declare_slot(int v) const {
  const std::string k = "k_" + id(v), line = "line_" + id(v);
  return "uint place_" + id(v) + " = " +
         (has_vectors() ? k + " * " + number(pitch() / 4) + "u + " + line + " / 4u"
                        : k + " * " + number(pitch()) + "u + " + line) +
         "; ";
}

std::string BufferOperand::declare_fetches() const {
  const std::string depth = number(x_.shader.depth) + "u", lines = number(x_.tile_lines()) + "u";
  const auto block_address = [&](const std::string& elements) {
    return is_single() ? elements : "uint(int(" + elements + ") >> 2)";
  };
  std::string text = "uint step_" + x_.name + " = " + block_address(depth + " * " + x_.k_stride) + "; ";
  for (int v = 0; v < x_.fetches(); ++v) {
    std::string line, k;
    if (is_single()) {
      const std::string first = number(4 * v * apart()) + "u";
      line = turned_ ? "thread / " + depth + " + " + first : "thread % " + lines;
      k = turned_ ? "thread % " + depth : "thread / " + lines + " + " + first;
    } else {
      const std::string e = "(thread + " + number(v * group()) + "u)",
                        across = number(turned_ ? x_.quads() : x_.tile_lines() / 4) + "u";
      line = turned_ ? e + " / " + across : "4u * (thread % " + across + ")";
      k = turned_ ? "4u * (" + e + " % " + across + ")" : e + " / " + across;
    }
    text += x_.vector() + " " + next(v) + "; uint line_" + id(v) + " = " + line + ", k_" + id(v) + " = " + k + "; " +
            declare_slot(v);
    for (int i = 0; i < (is_single() && turned_ ? 4 : 1); ++i)
      text += "uint " + x_.from(id(v), i) + " = " + block_address(address(v, i)) + "; ";
  }
  return text;
}

std::string BufferOperand::fetch(const std::string& head) const {
  const auto guard = [&](const std::string& k) { return head.empty() ? "" : "if (" + k + " < " + head + ") "; };
  const std::string k_stride = " * " + x_.k_stride;
  std::string text;
  for (int v = 0; v < x_.fetches(); ++v) {
    if (!head.empty()) text += next(v) + " = " + x_.vector() + "(0); ";
    if (!is_single()) text += guard("k_" + id(v)) + next(v) + " = " + x_.bindings.read(x_.block, from(v, 0)) + "; ";
    for (int i = 0; is_single() && i < 4; ++i) {
      const std::string more = turned_ ? "" : " + " + number(i * apart()) + "u";
      text += guard("k_" + id(v) + more) + next(v) + "." + matmul_components[i] + " = " +
              x_.bindings.read(x_.block, from(v, i) + (turned_ ? "" : more + k_stride)) + "; ";
    }
    const std::string step = head.empty()  ? "step_" + x_.name
                             : is_single() ? head + k_stride
                                           : "uint(int(" + head + k_stride + ") >> 2)";
    for (int i = 0; i < (is_single() && turned_ ? 4 : 1); ++i) text += x_.from(id(v), i) + " += " + step + "; ";
  }
  return text;
}

std::string BufferOperand::store_tile() const {
  std::string text;
  for (int v = 0; v < x_.fetches(); ++v) {
    const std::string at = tile() + "[place_" + id(v);
    if (has_vectors()) text += at + "] = " + next(v) + "; ";
    for (int i = 0; !has_vectors() && i < 4; ++i)
      text += at + " + " + number(i * store_step()) + "u] = " + next(v) + "." + matmul_components[i] + "; ";
  }
  return text;
}

/// Elements of shared memory between the four of a fetch.
int BufferOperand::store_step() const { return is_single() ? apart() * (turned_ ? 1 : pitch()) : pitch(); }

std::string BufferOperand::declare_place() const {
  return "uint place_" + x_.name + " = " + (has_vectors() ? "" : "4u * ") + "first_" + x_.name + "; ";
}

std::string BufferOperand::load(int k) const {
  std::string text;
  for (int four = 0; four < x_.lines / 4; ++four) {
    const auto element = [&](int more) { return tile() + "[place_" + x_.name + " + " + number(more) + "u]"; };
    const int at = k * pitch() + 4 * four * x_.patch;
    text += x_.vector() + " " + x_.name + number(four) + " = " +
            (has_vectors() ? element(at / 4)
                           : x_.vector() + "(" + element(at) + ", " + element(at + 1) + ", " + element(at + 2) + ", " +
                                 element(at + 3) + ")") +
            "; ";
  }
  return text;
}

}  // namespace eglantine::lower
