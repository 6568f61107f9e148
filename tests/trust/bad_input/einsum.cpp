#include "eglantine/verbs/products.hpp"
#include "trust/bad_input/row.hpp"

/// Products of tensors with any axes: einsum, tensordot, kron, cross.
namespace eglantine::test::bad_input {
namespace {

constexpr int64_t large_length = int64_t{1} << 40, half_length = int64_t{1} << 31;

void add_subscripts(Rows& rows) {
  const auto wrong = [&](const std::string& text, const std::string& said) {
    rows.push_back(row<Error>(
        "einsum", "subscripts \"" + text + "\"",
        [=] {
          return einsum(text, {of({2, 2}), of({2, 2})});
        },
        "[einsum] \"" + text + "\", at " + said));
  };
  wrong("ij,j$->i", "4: '$' is no label; labels are letters");
  wrong("i1,ij", "1: '1' is no label; labels are letters");
  wrong("ij,j\t", "4: the byte 9 is no label; labels are letters");
  wrong("ij,j\xC3\xA9", "4: the byte 195 is no label; labels are letters");
  wrong("i..,ij", "1: '.' is not part of an ellipsis, \"...\"");
  wrong(". . .,ij", "0: '.' is not part of an ellipsis, \"...\"");
  wrong("....,ij", "3: '.' is not part of an ellipsis, \"...\"");
  wrong("...i...,ij", "4: a second ellipsis of one subscript");
  wrong("i,j->......", "8: a second ellipsis of one subscript");
  wrong("ij,jk-", "5: '-' is not part of an arrow, \"->\"");
  wrong("ij,jk- >ik", "5: '-' is not part of an arrow, \"->\"");
  wrong("ij,jk>ik", "5: '>' is not part of an arrow, \"->\"");
  wrong("ij,jk->i->k", "8: a second arrow");
  wrong("ij,jk->i,k", "8: ',' stands in the output, which is one tensor");
  wrong("ij,jk->iki", "9: 'i' stands in the output already");
  wrong("ij,jk->il", "8: 'l' labels no operand's axis");
}

void add_einsum_of(Rows& rows) {
  const auto wrong = [&](const std::string& what, const std::string& text, const std::vector<Shape>& shapes,
                         const std::string& said) {
    const auto call = [=] {
      std::vector<Tensor> tensors;
      for (const Shape& shape : shapes) tensors.push_back(huge(shape));
      return einsum(text, tensors);
    };
    rows.push_back(row<ShapeError>("einsum", what, call, "[einsum] " + said));
  };
  wrong("a rank above its subscript", "ij,jk", {{2, 3, 4}, {3, 4}}, "\"ij\" is for 2 axes, operand 0 is (2, 3, 4)");
  wrong("a rank below its subscript", "ij,j", {{2, 3}, {}}, "\"j\" is for 1 axis, operand 1 is ()");
  wrong("an empty subscript of a vector", "", {{2}}, "\"\" is for 0 axes, operand 0 is (2,)");
  wrong("a rank below an ellipsis' letters", "i...j", {{2}}, "\"i...j\" is for at least 2 axes, operand 0 is (2,)");
  wrong("two lengths of a label", "ij,jk", {{2, 3}, {4, 5}},
        "label 'j' has length 3 along axis 1 of operand 0, (2, 3), and 4 along axis 0 of operand 1, (4, 5)");
  wrong("two lengths beside a length of 1", "i,i,i", {{1}, {3}, {2}},
        "label 'i' has length 3 along axis 0 of operand 1, (3,), and 2 along axis 0 of operand 2, (2,)");
  wrong("two lengths of a diagonal", "ii", {{3, 1}},
        "label 'i' has length 3 along axis 0 of operand 0, (3, 1), and 1 along axis 1 of operand 0, (3, 1)");
  wrong("two lengths under ellipses", "...i,...i", {{2, 5, 3}, {4, 3}},
        "an axis under \"...\" has length 5 along axis 1 of operand 0, (2, 5, 3), and 4 along axis 0 of operand 1, "
        "(4, 3)");
  wrong("an output without the ellipsis", "i,...ij->ij", {{3}, {4, 2, 3, 5}},
        "\"i,...ij->ij\": the output has no \"...\", which stands for 2 axes of operand 1, (4, 2, 3, 5)");
  wrong("an output of too many axes", "abcde,fghij", {{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}},
        "\"abcde,fghij\" gives 10 axes, a tensor has at most 8");
  const Shape largest{2, 2, 2, 2, 2, 2, 2, 2};
  wrong("products of too many axes", "abcghimn,abcjklop,defghiop,defjklmn", {largest, largest, largest, largest},
        "each product of two of the operands that are left has more than 8 axes");
  wrong("an overflowed product of sizes", "i,j", {{large_length}, {large_length}},
        "shape (1099511627776, 1099511627776)" + too_many);
}

void add_einsum(Rows& rows) {
  add_subscripts(rows);
  add_einsum_of(rows);
  for (const auto& [text, count, said] :
       std::vector<std::tuple<std::string, size_t, std::string>>{{"ij,jk", 1, "\"ij,jk\" is for 2 operands, got 1"},
                                                                 {"ij", 2, "\"ij\" is for 1 operand, got 2"},
                                                                 {"", 0, "\"\" is for 1 operand, got 0"}})
    rows.push_back(row<Error>(
        "einsum", std::to_string(count) + " operands",
        [text = text, count = count] {
          return einsum(text, std::vector<Tensor>(count, of({2, 2})));
        },
        "[einsum] " + said));
  const OfTwo of_two = [](const Tensor& x, const Tensor& y) { return einsum("i,i", {x, y}); };
  add_differing_dtypes(rows, "einsum", of_two);
  add_two_devices(rows, "einsum", of_two);
  add_dtypes(
      rows, "einsum", [](const Tensor& x) { return einsum("i->i", {x}); }, Types::numeric);
  add_moved_from(rows, "einsum", [](const Tensor& x) { return einsum("i", {x}); });
}

void add_tensordot(Rows& rows) {
  const OfTwo of_two = [](const Tensor& x, const Tensor& y) { return tensordot(x, y, 0, 0); };
  add_differing_dtypes(rows, "tensordot", of_two);
  add_two_devices(rows, "tensordot", of_two);
  add_dtypes(
      rows, "tensordot", [](const Tensor& x) { return tensordot(x, x, {}, {}); }, Types::numeric);
  add_moved_from(rows, "tensordot", [](const Tensor& x) { return tensordot(x, x, 0, 0); });
  add_axes(rows, "tensordot", [](const Tensor& x, const Axes& axes) { return tensordot(x, x, axes, {}); });
  add_axes(rows, "tensordot", [](const Tensor& x, const Axes& axes) { return tensordot(of({2}), x, {}, axes); });
  const auto wrong = [&](const std::string& what, const Shape& a, const Shape& b, const Axes& of_a, const Axes& of_b,
                         const std::string& said) {
    rows.push_back(row<ShapeError>(
        "tensordot", what, [=] { return tensordot(huge(a), huge(b), of_a, of_b); }, "[tensordot] " + said));
  };
  wrong("fewer axes of the one", {2, 3}, {3, 2}, {1}, {0, 1},
        "as many axes of the one as of the other: (1,) and (0, 1)");
  wrong("lengths that differ", {2, 3}, {3, 4}, {0, -1}, {1, 0}, "axis 0 of (2, 3) is 2 long, axis 1 of (3, 4) is 4");
  wrong("a length of 1, which does not broadcast", {2, 1}, {3, 4}, {1}, {0},
        "axis 1 of (2, 1) is 1 long, axis 0 of (3, 4) is 3");
  wrong("a rank of 9", {1, 1, 1, 1, 1, 3}, {3, 1, 1, 1, 1}, {5}, {0},
        "of (1, 1, 1, 1, 1, 3) and (3, 1, 1, 1, 1) has a rank above 8");
  wrong("an overflowed product of sizes", {large_length, 1}, {1, large_length}, {1}, {0},
        "shape (1099511627776, 1099511627776)" + too_many);
}

void add_kron(Rows& rows) {
  add_differing_dtypes(rows, "kron", kron);
  add_two_devices(rows, "kron", kron);
  add_moved_from(rows, "kron", [](const Tensor& x) { return kron(x, x); });
  rows.push_back(row<ShapeError>(
      "kron", "an axis that is too long",
      [] {
        return kron(huge({large_length}), huge({2, large_length}));
      },
      "[kron] axis 1 of (1, 1099511627776) x (2, 1099511627776) would be longer than 2^63 - 1"));
  rows.push_back(row<ShapeError>(
      "kron", "an overflowed product of sizes",
      [] {
        return kron(huge({half_length, 1}), huge({half_length}));
      },
      "[kron] shape (2147483648, 2147483648)" + too_many));
}

void add_cross(Rows& rows) {
  const OfTwo of_two = [](const Tensor& x, const Tensor& y) { return cross(x, y); };
  add_differing_dtypes(rows, "cross", of_two);
  add_two_devices(rows, "cross", of_two);
  add_broadcast(rows, "cross", of_two);
  add_moved_from(rows, "cross", [](const Tensor& x) { return cross(x, x); });
  add_dtypes(
      rows, "cross", [](const Tensor& x) { return cross(x, x); }, Types::numeric);
  add_axis(rows, "cross", [](const Tensor& x, int axis) { return cross(x, x, axis); });
  const auto wrong = [&](const std::string& what, const Shape& a, const Shape& b, int axis, const std::string& said) {
    rows.push_back(row<ShapeError>(
        "cross", what, [=] { return cross(of(a), of(b), axis); }, "[cross] takes vectors of 3 along " + said));
  };
  wrong("vectors of 2", {5, 2}, {2}, -1, "axis 1 of (5, 2), got (5, 2)");
  wrong("a vector of 1", {5, 3}, {1}, -1, "axis 1 of (5, 3), got (1,)");
  wrong("an axis that one lacks", {3, 5}, {5}, 0, "axis 0 of (3, 5), got (5,)");
}

}  // namespace

void add_tensor_products(Rows& rows) {
  add_einsum(rows);
  add_tensordot(rows);
  add_kron(rows);
  add_cross(rows);
}

}  // namespace eglantine::test::bad_input
