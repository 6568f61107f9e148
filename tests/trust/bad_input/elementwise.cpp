#include <cmath>
#include <map>
#include <set>

#include "support/op_rows.hpp"
#include "support/verb_table.hpp"
#include "trust/bad_input/row.hpp"

/// Element-wise verbs, from the operation table.
namespace eglantine::test::bad_input {
namespace {

const std::string advice_to_convert = "; convert the tensor with astype";

/// Booleans have sums, products, maxima and minima; and bits, where what does not take integers are floats.
void add_dtypes_of(Rows& rows, const OpRow& op, const OfOne& call) {
  static const std::set<std::string> of_booleans = {"add", "mul", "maximum", "minimum", "fmax", "fmin"};
  static const std::set<std::string> of_bits = {"bit_and", "bit_or", "bit_xor", "bit_not"};
  if (op.types == "numeric" && !of_booleans.contains(op.name)) add_dtypes(rows, op.name, call, Types::numeric);
  if (op.types != "integer") return;
  if (!of_bits.contains(op.name)) return add_dtypes(rows, op.name, call, Types::integer);
  for (DType dtype : {DType::f32, DType::f16, DType::bf16})
    rows.push_back(row<DTypeError>(
        op.name, "of " + std::string(name_of(dtype)), [=] { return call(of({3}, dtype)); },
        "[" + op.name + "] takes i32, u32, i8 or u8, got " + std::string(name_of(dtype)) + "; convert with astype"));
}

void add_verb(Rows& rows, const OpRow& op, const Verb& verb) {
  const auto call = verb.call;
  const DType dtype = dtypes_of(op).front();
  const OfOne of_one = [=](const Tensor& x) { return call(std::vector<Tensor>(static_cast<size_t>(op.arity), x)); };
  add_dtypes_of(rows, op, of_one);
  add_moved_from(rows, op.name, of_one);
  if (op.arity != 2) return;
  const OfTwo of_two = [=](const Tensor& x, const Tensor& y) { return call({x, y}); };
  if (op.types != std::string("logical")) add_differing_dtypes(rows, op.name, of_two);
  add_broadcast(rows, op.name, of_two, dtype);
  add_two_devices(rows, op.name, of_two, dtype);
}

void add_elementwise_numbers(Rows& rows) {
  const auto add_one = [&](const std::string& name, const std::string& number, DType dtype, const OfOne& call) {
    const std::string type(name_of(dtype));
    const bool whole = dtype == DType::f32 && number.find('e') == std::string::npos;
    const std::set<std::string> held_by_none = {"1e+39", "1e+300", "-2147483649"};
    rows.push_back(row<DTypeError>(
        name, "the number " + number + " beside " + type, [=] { return call(of({3}, dtype)); },
        "[" + name + "] the number " + number + " does not fit " + type +
            (whole                           ? "; as a double, " + number + ".0, it is rounded"
             : held_by_none.contains(number) ? ", nor any other dtype"
                                             : advice_to_convert)));
  };
  rows.push_back(row<DTypeError>(
      "pow", "a truth value beside boolean", [] { return pow(of({3}, DType::boolean), true); },
      "[pow] takes any dtype but boolean, got boolean; convert with astype"));
  add_one("add", "4294967296", DType::u32, [](const Tensor& x) { return add(x, 4294967296); });
  add_one("sub", "16777217", DType::f32, [](const Tensor& x) { return sub(x, 16777217); });
  add_one("mul", "-1", DType::u32, [](const Tensor& x) { return mul(-1, x); });
  add_one("div", "1e+39", DType::f32, [](const Tensor& x) { return div(x, 1e39); });
  add_one("pow", "9223372036854775809", DType::f32, [](const Tensor& x) { return pow(x, 9223372036854775809ULL); });
  add_one("remainder", "-2147483649", DType::i32, [](const Tensor& x) { return remainder(x, -2147483649LL); });
  add_one("maximum", "4294967296", DType::u32, [](const Tensor& x) { return maximum(x, 4294967296LL); });
  add_one("minimum", "-3", DType::u32, [](const Tensor& x) { return minimum(x, -3); });
  add_one("floor_divide", "-2147483649", DType::i32, [](const Tensor& x) { return floor_divide(x, -2147483649LL); });
  add_one("fmod", "-1", DType::u32, [](const Tensor& x) { return fmod(x, -1); });
  add_one("hypot", "16777217", DType::f32, [](const Tensor& x) { return hypot(x, 16777217); });
  add_one("lerp", "1e+39", DType::f32, [](const Tensor& x) { return lerp(x, 1, 1e39); });
  add_one("atan2", "1e+300", DType::f32, [](const Tensor& x) { return atan2(1e300, x); });
  for (const auto& [name, call] : std::map<std::string, Tensor (*)(const Operand&, const Operand&)>{
           {"eq", eq}, {"ne", ne}, {"lt", lt}, {"le", le}, {"gt", gt}, {"ge", ge}})
    add_one(name, "-2", DType::u32, [call = call](const Tensor& x) { return call(x, -2); });
  for (const auto& [name, call] :
       std::map<std::string, Tensor (*)(const Operand&, const Operand&)>{{"bit_and", bit_and},
                                                                         {"bit_or", bit_or},
                                                                         {"bit_xor", bit_xor},
                                                                         {"shift_left", shift_left},
                                                                         {"shift_right", shift_right}})
    rows.push_back(row<DTypeError>(
        name, "a floating number", [call = call] { return call(of({3}, DType::i32), 0.25); },
        "[" + name + "] takes i32, u32, i8 or u8, got f32; convert with astype"));
  add_one("logical_and", "-1", DType::u32, [](const Tensor& x) { return logical_and(x, -1); });
  add_one("logical_or", "4294967296", DType::i32, [](const Tensor& x) { return logical_or(x, 4294967296); });
  add_one("logical_xor", "1e+39", DType::f32, [](const Tensor& x) { return logical_xor(1e39, x); });
  add_one("clip", "4294967296", DType::i32, [](const Tensor& x) { return clip(x, 0, 4294967296); });
  add_one("clip", "-1", DType::u32, [](const Tensor& x) { return clip(x, -1, 1); });
  add_one("where", "-1", DType::u32, [](const Tensor& x) { return where(of({3}, DType::boolean), x, -1); });
  add_one("where", "2147483648", DType::i32,
          [](const Tensor&) { return where(of({3}, DType::boolean), 1, 2147483648); });
  add_one("isclose", "-1", DType::u32, [](const Tensor& x) { return isclose(x, -1); });
  add_one("add", "256", DType::u8, [](const Tensor& x) { return add(x, 256); });
  add_one("sub", "-129", DType::i8, [](const Tensor& x) { return sub(x, -129); });
  add_one("clip", "-1", DType::u8, [](const Tensor& x) { return clip(x, -1, 1); });
  add_one("sub", "70000", DType::f16, [](const Tensor& x) { return sub(x, 70000); });  // 70000.0 is too large, too
  add_one("mul", "65520", DType::f16, [](const Tensor& x) { return mul(x, 65520.0); });
  add_one("where", "1e+39", DType::bf16, [](const Tensor& x) { return where(of({3}, DType::boolean), x, 1e39); });
}

void add_operators(Rows& rows) {
  const std::string fails = "does not fit u32" + advice_to_convert;
  rows.push_back(row<DTypeError>(
      "operator+", "a number that does not fit", [] { return of({3}, DType::u32) + -1; },
      "[add] the number -1 " + fails));
  rows.push_back(row<DTypeError>(
      "operator-", "a number that does not fit", [] { return -1 - of({3}, DType::u32); },
      "[sub] the number -1 " + fails));
  rows.push_back(row<DTypeError>(
      "operator*", "a number that does not fit", [] { return of({3}, DType::u32) * 10000000000; },
      "[mul] the number 10000000000 " + fails));
  rows.push_back(row<ShapeError>(
      "operator/", "shapes that do not broadcast", [] { return of({3}) / of({4}); },
      "[div] shapes do not broadcast: (3,) and (4,)"));
  rows.push_back(row<DTypeError>(
      "operator-", "of boolean", [] { return -of({3}, DType::boolean); },
      "[neg] takes any dtype but boolean, got boolean; convert with astype"));
}

void add_compound(Rows& rows) {
  const auto add_one = [&](const std::string& symbol, Tensor& (*call)(Tensor&, const Operand&)) {
    const std::string function = "operator" + symbol, start = "[" + symbol + "] the result would be ";
    rows.push_back(row<ShapeError>(
        function, "a longer operand",
        [=] {
          Tensor x = of({3}, DType::u32);
          call(x, of({2, 3}, DType::u32));
        },
        start + "(2, 3), and (3,) keeps its shape; assign the verb's result instead"));
    rows.push_back(row<DTypeError>(
        function, "an operand of a wider dtype",
        [=] {
          Tensor x = of({3}, DType::boolean);
          call(x, of({3}, DType::i32));
        },
        start + "i32, and a tensor of boolean keeps its dtype; convert with astype"));
  };
  add_one("+=", operator+=);
  add_one("-=", operator-=);
  add_one("*=", operator*=);
  add_one("/=", operator/=);
  add_one("%=", operator%=);
  add_one("&=", operator&=);
  add_one("|=", operator|=);
  add_one("^=", operator^=);
  add_one("<<=", operator<<=);
  add_one(">>=", operator>>=);
}

/// isclose, allclose, array_equal, and what dtypes meet in.
void add_comparisons(Rows& rows) {
  const OfTwo close = [](const Tensor& x, const Tensor& y) { return isclose(x, y); };
  const OfTwo all_close = [](const Tensor& x, const Tensor& y) { return Tensor(allclose(x, y) ? 1.0F : 0.0F); };
  for (const auto& [name, call] : std::map<std::string, OfTwo>{{"isclose", close}, {"allclose", all_close}}) {
    add_differing_dtypes(rows, name, call);
    add_broadcast(rows, name, call, DType::f32);
    add_two_devices(rows, name, call, DType::f32);
    add_moved_from(rows, name, [call = call](const Tensor& x) { return call(x, of({3})); });
  }
  const std::string wrong = " is finite as f32 and not negative, got ";
  rows.push_back(row<Error>(
      "isclose", "a negative tolerance", [] { return isclose(of({3}), 1, -1.0); }, "[isclose] rtol" + wrong + "-1"));
  rows.push_back(row<Error>(
      "isclose", "a tolerance beyond f32", [] { return isclose(of({3}), 1, 0, 1e39); },
      "[isclose] atol" + wrong + "1e+39"));
  rows.push_back(row<Error>(
      "allclose", "a tolerance that is infinite", [] { return allclose(of({3}), 1, 0, INFINITY); },
      "[allclose] atol" + wrong + "inf"));
  const OfTwo equal = [](const Tensor& x, const Tensor& y) { return Tensor(array_equal(x, y) ? 1.0F : 0.0F); };
  add_differing_dtypes(rows, "array_equal", equal);
  add_two_devices(rows, "array_equal", equal, DType::f32);
  add_moved_from(rows, "array_equal", [](const Tensor& x) { return Tensor(array_equal(x, of({3})) ? 1.0F : 0.0F); });
  rows.push_back(row<DTypeError>(
      "result_type", "no dtype", [] { return result_type(static_cast<DType>(9), DType::f32); },
      "[result_type] 9 is no dtype; there are f32, i32, u32, boolean, f16, bf16, i8 and u8"));
}

/// The condition of where(), and the bounds of clip().
void add_three(Rows& rows) {
  const OfOne condition = [](const Tensor& x) { return where(x, of({3}), 1); };
  add_dtypes(rows, "where", condition, Types::logical);
  add_differing_dtypes(rows, "where",
                       [](const Tensor& x, const Tensor& y) { return where(of({3}, DType::boolean), x, y); });
  add_broadcast(rows, "where", [](const Tensor& x, const Tensor& y) { return where(of({}, DType::boolean), x, y); });
  add_broadcast(
      rows, "where", [](const Tensor& x, const Tensor& y) { return where(x, y, 1); }, DType::boolean);
  add_two_devices(rows, "where", [](const Tensor& x, const Tensor& y) { return where(of({}, DType::boolean), x, y); });
  add_two_devices(
      rows, "where", [](const Tensor& x, const Tensor& y) { return where(x, y, 1); }, DType::boolean);
  add_moved_from(rows, "where", [](const Tensor& x) { return where(of({}, DType::boolean), 1, x); });
  const std::vector<OfTwo> lerps = {[](const Tensor& x, const Tensor& y) { return lerp(x, y, 0.5); },
                                    [](const Tensor& x, const Tensor& y) { return lerp(x, 1, y); },
                                    [](const Tensor& x, const Tensor& y) { return lerp(0, x, y); }};
  add_differing_dtypes(rows, "lerp", lerps[0]);
  for (const OfTwo& call : lerps) {
    add_broadcast(rows, "lerp", call);
    add_two_devices(rows, "lerp", call);
  }
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
  add_elementwise_numbers(rows);
  add_operators(rows);
  add_compound(rows);
  add_comparisons(rows);
  add_three(rows);
  rows.push_back(row<DTypeError>(
      "astype", "no dtype", [] { return astype(of({3}), static_cast<DType>(9)); },
      "[astype] 9 is no dtype; there are f32, i32, u32, boolean, f16, bf16, i8 and u8"));
  rows.push_back(row<DTypeError>(
      "Tensor::astype", "no dtype", [] { return of({3}).astype(static_cast<DType>(8)); },
      "[astype] 8 is no dtype; there are f32, i32, u32, boolean, f16, bf16, i8 and u8"));
  add_moved_from(rows, "astype", [](const Tensor& x) { return astype(x, DType::i32); });
  add_moved_from(rows, "Tensor::astype", [](const Tensor& x) { return x.astype(DType::i32); });
}

}  // namespace eglantine::test::bad_input
