#include <cmath>
#include <map>

#include "support/op_rows.hpp"
#include "support/verb_table.hpp"
#include "trust/bad_input/row.hpp"

/// Element-wise verbs, from the operation table.
namespace eglantine::test::bad_input {
namespace {

const std::string advice = "; convert the tensor with astype";

std::string wanted_of(const OpRow& row) {
  static const std::map<std::string, std::string> texts = {
      {"real", "f32"}, {"numeric", "f32, i32 or u32"}, {"integer", "i32 or u32"}};
  const auto found = texts.find(row.types);
  return found == texts.end() ? "" : found->second;
}

void add_verb(Rows& rows, const OpRow& op, const Verb& verb) {
  const auto call = verb.call;
  const DType dtype = dtypes_of(op).front();
  const OfOne of_one = [=](const Tensor& x) { return call(std::vector<Tensor>(static_cast<size_t>(op.arity), x)); };
  const std::string wanted = wanted_of(op);
  if (!wanted.empty()) add_dtypes(rows, op.name, of_one, dtypes_of(op), wanted);
  add_moved_from(rows, op.name, of_one);
  if (op.arity != 2) return;
  const OfTwo of_two = [=](const Tensor& x, const Tensor& y) { return call({x, y}); };
  add_differing_dtypes(rows, op.name, of_two);
  add_broadcast(rows, op.name, of_two, dtype);
  add_two_devices(rows, op.name, of_two, dtype);
}

void add_numbers(Rows& rows) {
  const auto add_one = [&](const std::string& name, const std::string& number, DType dtype, const OfOne& call) {
    const std::string type(name_of(dtype));
    rows.push_back(row<DTypeError>(
        name, "the number " + number + " beside " + type, [=] { return call(of({3}, dtype)); },
        "[" + name + "] the number " + number + " does not fit " + type + advice));
  };
  add_one("add", "0.5", DType::i32, [](const Tensor& x) { return add(x, 0.5); });
  add_one("add", "nan", DType::i32, [](const Tensor& x) { return add(x, NAN); });
  add_one("add", "inf", DType::u32, [](const Tensor& x) { return add(x, INFINITY); });
  add_one("sub", "16777217", DType::f32, [](const Tensor& x) { return sub(x, 16777217); });
  add_one("mul", "-1", DType::u32, [](const Tensor& x) { return mul(-1, x); });
  add_one("div", "1e+39", DType::f32, [](const Tensor& x) { return div(x, 1e39); });
  add_one("pow", "9223372036854775809", DType::f32, [](const Tensor& x) { return pow(x, 9223372036854775809ULL); });
  add_one("remainder", "-2147483649", DType::i32, [](const Tensor& x) { return remainder(x, -2147483649LL); });
  add_one("maximum", "4294967296", DType::u32, [](const Tensor& x) { return maximum(x, 4294967296LL); });
  add_one("minimum", "1.5", DType::u32, [](const Tensor& x) { return minimum(x, 1.5); });
  add_one("atan2", "1e+300", DType::f32, [](const Tensor& x) { return atan2(1e300, x); });
  for (const auto& [name, call] : std::map<std::string, Tensor (*)(const Operand&, const Operand&)>{
           {"eq", eq}, {"ne", ne}, {"lt", lt}, {"le", le}, {"gt", gt}, {"ge", ge}})
    add_one(name, "2", DType::boolean, [call = call](const Tensor& x) { return call(x, 2); });
  for (const auto& [name, call] :
       std::map<std::string, Tensor (*)(const Operand&, const Operand&)>{{"bit_and", bit_and},
                                                                         {"bit_or", bit_or},
                                                                         {"bit_xor", bit_xor},
                                                                         {"shift_left", shift_left},
                                                                         {"shift_right", shift_right}})
    add_one(name, "0.25", DType::i32, [call = call](const Tensor& x) { return call(x, 0.25); });
  add_one("logical_and", "-1", DType::boolean, [](const Tensor& x) { return logical_and(x, -1); });
  add_one("logical_or", "3", DType::boolean, [](const Tensor& x) { return logical_or(x, 3); });
  add_one("logical_xor", "0.5", DType::boolean, [](const Tensor& x) { return logical_xor(0.5, x); });
  add_one("clip", "4294967296", DType::i32, [](const Tensor& x) { return clip(x, 0, 4294967296); });
  add_one("clip", "nan", DType::i32, [](const Tensor& x) { return clip(x, NAN, 1); });
  add_one("where", "0.5", DType::i32, [](const Tensor& x) { return where(of({3}, DType::boolean), x, 0.5); });
  rows.push_back(row<DTypeError>(
      "where", "two numbers", [] { return where(of({3}, DType::boolean), 1, 2); },
      "[where] two numbers leave the dtype open; make one of them a tensor, for example full({}, value, dtype)"));
  const std::string bits = "takes i32 or u32, got f32; convert with astype";
  rows.push_back(row<DTypeError>(
      "bit_and", "two numbers, which are f32", [] { return bit_and(1, 2); }, "[bit_and] " + bits));
}

void add_operators(Rows& rows) {
  const std::string fails = "does not fit u32" + advice;
  rows.push_back(row<DTypeError>(
      "operator+", "a number that does not fit", [] { return of({3}, DType::u32) + -1; },
      "[add] the number -1 " + fails));
  rows.push_back(row<DTypeError>(
      "operator-", "a number that does not fit", [] { return 0.5 - of({3}, DType::u32); },
      "[sub] the number 0.5 " + fails));
  rows.push_back(row<DTypeError>(
      "operator*", "a number that does not fit", [] { return of({3}, DType::u32) * 1e10; },
      "[mul] the number 1e+10 " + fails));
  rows.push_back(row<ShapeError>(
      "operator/", "shapes that do not broadcast", [] { return of({3}) / of({4}); },
      "[div] shapes do not broadcast: (3,) and (4,)"));
  rows.push_back(row<DTypeError>(
      "operator-", "of boolean", [] { return -of({3}, DType::boolean); },
      "[neg] takes f32, i32 or u32, got boolean; convert with astype"));
}

/// The condition of where(), and the bounds of clip().
void add_three(Rows& rows) {
  const OfOne condition = [](const Tensor& x) { return where(x, of({3}), 1); };
  add_dtypes(rows, "where", condition, {DType::boolean}, "boolean");
  add_differing_dtypes(rows, "where",
                       [](const Tensor& x, const Tensor& y) { return where(of({3}, DType::boolean), x, y); });
  add_broadcast(rows, "where", [](const Tensor& x, const Tensor& y) { return where(of({}, DType::boolean), x, y); });
  add_broadcast(
      rows, "where", [](const Tensor& x, const Tensor& y) { return where(x, y, 1); }, DType::boolean);
  add_two_devices(rows, "where", [](const Tensor& x, const Tensor& y) { return where(of({}, DType::boolean), x, y); });
  add_two_devices(
      rows, "where", [](const Tensor& x, const Tensor& y) { return where(x, y, 1); }, DType::boolean);
  add_moved_from(rows, "where", [](const Tensor& x) { return where(of({}, DType::boolean), 1, x); });
  for (bool low : {true, false}) {
    const OfTwo bound = [low](const Tensor& x, const Tensor& y) { return low ? clip(x, y, 1) : clip(x, 0, y); };
    add_differing_dtypes(rows, "clip", bound);
    add_broadcast(rows, "clip", bound);
    add_two_devices(rows, "clip", bound);
  }
}

}  // namespace

void add_elementwise(Rows& rows) {
  for (const OpRow& op : elementwise_rows())
    if (const Verb* verb = find_verb(op.name)) add_verb(rows, op, *verb);
  add_numbers(rows);
  add_operators(rows);
  add_three(rows);
  rows.push_back(row<DTypeError>(
      "astype", "no dtype", [] { return astype(of({3}), static_cast<DType>(9)); },
      "[astype] 9 is no dtype; there are f32, i32, u32 and boolean"));
  rows.push_back(row<DTypeError>(
      "Tensor::astype", "no dtype", [] { return of({3}).astype(static_cast<DType>(4)); },
      "[astype] 4 is no dtype; there are f32, i32, u32 and boolean"));
  add_moved_from(rows, "astype", [](const Tensor& x) { return astype(x, DType::i32); });
  add_moved_from(rows, "Tensor::astype", [](const Tensor& x) { return x.astype(DType::i32); });
}

}  // namespace eglantine::test::bad_input
