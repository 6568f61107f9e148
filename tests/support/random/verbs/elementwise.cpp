#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "support/op_rows.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"
#include "support/verb_table.hpp"

namespace eglantine::test {
namespace {

Array each(const Array& x, double (*f)(double)) { return naive::map(x, DType::i32, f); }
Array each(const Array& a, const Array& b, double (*f)(double, double)) { return naive::map(a, b, DType::i32, f); }

double wrapped(double x, double y) { return naive::product(DType::i32, x, y); }

struct TableVerb {
  const OpRow* row;
  const Verb* verb;
};

/// The verbs of the table; of integers those that stay integers. `where` has a line of its own.
std::vector<TableVerb> table_of(DType dtype) {
  std::vector<TableVerb> result;
  for (const OpRow& row : elementwise_rows()) {
    const Verb* verb = find_verb(row.name);
    if (verb == nullptr || row.name == "where") continue;
    const std::vector<DType> dtypes = dtypes_of(row);
    const bool takes = std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
    if (dtype == DType::f32 || takes || row.types == "logical") result.push_back({&row, verb});
  }
  return result;
}

const TableVerb& drawn_verb(DType dtype, size_t which) {
  static const std::vector<TableVerb> reals = table_of(DType::f32), integers = table_of(DType::i32);
  const std::vector<TableVerb>& table = is_float(dtype) ? reals : integers;
  return table[which % table.size()];
}

Tensor any_of_table(const Tensors& o) {
  const DType dtype = o.a.dtype();
  const auto& [row, verb] = drawn_verb(dtype, static_cast<size_t>(o.q));
  std::vector<Tensor> arguments{o.a, o.b, o.b.transpose(0, 1)};
  arguments.resize(verb->arity);
  if (row->types == "integer")
    for (Tensor& x : arguments) x = is_float(x.dtype()) ? x.astype(DType::i32) : x;
  return verb->call(arguments).astype(dtype);
}

Array any_of_table(const Arrays& o) {
  const auto& [row, verb] = drawn_verb(DType::i32, static_cast<size_t>(o.q));
  const size_t arity = verb->arity;
  const bool logical = row->types == "logical";
  const auto value = [&, row = row](double x, double y, double z) {
    std::vector<double> arguments{x, y, z};
    arguments.resize(arity);
    if (logical)
      for (double& argument : arguments) argument = argument != 0;
    return reference_of(*row, logical ? DType::boolean : DType::i32, arguments);
  };
  // Only what the verb takes decides the shape.
  const Array none{DType::i32, {1, 1}, {0}};
  return naive::map(o.a, arity < 2 ? none : o.b, arity < 3 ? none : naive::transpose(o.b, 0, 1), DType::i32, value);
}

/// Verbs with parameters, made of others.
Tensor any_activation(const Tensors& o) {
  switch (variant(o, 8)) {
    case 0:
      return elu(o.a, 0.5);
    case 1:
      return celu(o.a, 2);
    case 2:
      return leaky_relu(o.a);
    case 3:
      return hardtanh(o.a, -0.5, 0.5);
    case 4:
      return softshrink(o.a, 0.25);
    case 5:
      return hardshrink(o.a, 0.25);
    case 6:
      return threshold(o.a, 0.1F, 0.5F);
    default:
      return nan_to_num(o.a / o.b, 2);
  }
}

/// a, with its sign changed unless all elements lie within `gap` of b's.
Array signed_by(const Arrays& o, double gap) {
  const Array gaps = naive::map(o.a, o.b, DType::f32, [](double x, double y) { return std::abs(x - y); });
  const bool close = std::all_of(gaps.values.begin(), gaps.values.end(), [&](double v) { return v <= gap; });
  return close ? o.a : each(o.a, [](double x) { return -x; });
}

const GraphVerb lines_of_elementwise[] = {
    {"add", 9, [](const Tensors& o) { return o.a + o.b; },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return x + y; }); }},
    {"sub", 5, [](const Tensors& o) { return o.a - o.b; },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return x - y; }); }},
    {"mul", 7, [](const Tensors& o) { return o.a * o.b; },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return wrapped(x, y); }); }},
    {"maximum", 3, [](const Tensors& o) { return maximum(o.a, o.b); },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return std::max(x, y); }); }},
    {"where", 2, [](const Tensors& o) { return where(lt(o.a, o.b), o.a, 3); },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return x < y ? x : 3; }); }},
    {"neg", 4, [](const Tensors& o) { return neg(o.a); },
     [](const Arrays& o) { return each(o.a, [](double x) { return 0 - x; }); }},
    {"scaled", 6, [](const Tensors& o) { return o.a * 3 + 1; },
     [](const Arrays& o) { return each(o.a, [](double x) { return x * 3 + 1; }); }},
    {"decayed", 6, [](const Tensors& o) { return o.a * 0.9F; }, nullptr},
    {"exp", 5, [](const Tensors& o) { return exp(neg(abs(o.a))); }, nullptr},
    {"tanh", 3, [](const Tensors& o) { return tanh(o.a) * o.b; }, nullptr},
    {"any_of_table", 12, any_of_table, any_of_table},
    {"any_activation", 3, any_activation, nullptr},
    {"lerp", 2, [](const Tensors& o) { return lerp(o.a, o.b, 0.25F); }, nullptr},
    {"clip", 2, [](const Tensors& o) { return clip(o.a, 1, o.b); },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return std::min(std::max(x, 1.0), y); }); }},
    {"isclose", 2, [](const Tensors& o) { return where(isclose(o.a, o.b, 0, 3), o.a, o.b); },
     [](const Arrays& o) { return each(o.a, o.b, [](double x, double y) { return std::abs(x - y) <= 3 ? x : y; }); }},
    {"allclose", 1, [](const Tensors& o) { return allclose(o.a, o.b, 0, 100) ? o.a : neg(o.a); },
     [](const Arrays& o) { return signed_by(o, 100); }},
    {"array_equal", 1, [](const Tensors& o) { return array_equal(full(o.a, o.n), full(o.b, o.n)) ? o.a : neg(o.a); },
     [](const Arrays& o) { return signed_by(o, 0); }},
};

}  // namespace

std::span<const GraphVerb> elementwise_graph_verbs() { return lines_of_elementwise; }

}  // namespace eglantine::test
