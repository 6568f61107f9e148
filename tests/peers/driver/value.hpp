#pragma once

#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "eglantine/index.hpp"
#include "eglantine/tensor.hpp"

/// What goes between the driver and a program in another language: arguments and results of verbs, as bytes.
///
/// A value is a letter and what it says of (integers little endian, `count` of 8 bytes):
///   N nothing   b boolean (1 byte)   i integer (8)   f number (8, binary64)   s text (count, bytes)
///   L list (count, values)   S slice (start, stop and step, each i or N)   A newaxis   E ellipsis
///   T tensor (dtype as s, view as s, count of axes, 8 bytes each, elements of 4 bytes, booleans of 1, row-major)
/// A tensor's view is one of tests/support/views.hpp, that it is held in; of a result it is empty.
namespace eglantine::peers {

struct None {};
struct Value;
using List = std::vector<Value>;

struct Value {
  using Any = std::variant<None, bool, int64_t, double, std::string, Slice, NewAxis, Ellipsis, Tensor, List>;
  Any is;
};

/// Throws std::runtime_error for what is no value, or ends too early.
Value read_value(std::istream& in);

/// Computes the tensors in it, and waits.
void write_value(std::ostream& out, const Value& value);

}  // namespace eglantine::peers
