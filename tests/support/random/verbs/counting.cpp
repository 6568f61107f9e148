#include <cmath>

#include "eglantine/ops.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_counting.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_segments.hpp"

/// Verbs whose shapes depend on data, brought back to length n, and those that take coordinates or count.
namespace eglantine::test {
namespace {

Tensor last_row(const Tensor& x, int64_t n) { return full(x, n)(-1); }
Array last_row(const Array& x, int64_t n) { return naive::reshape(naive::slice(full(x, n), 0, -1, {}, 1), {n}); }

/// The first `length` elements, with 5 for those that are not there.
Tensor fitted(const Tensor& x, int64_t length) {
  const int64_t there = x.shape()[0];
  return there < length ? pad(x, {{0, length - there}}, 5) : x.slice(0, 0, length);
}
Array fitted(Array x, int64_t length) {
  x.values.resize(static_cast<size_t>(length), 5);
  x.shape = {length};
  return x;
}

/// A vector of any length as a row or a column.
Tensor placed(const Tensors& o, const Tensor& x) { return fitted(x.astype(o.a.dtype()), o.n).unsqueeze(axis(o)); }
Array placed(const Arrays& o, const Array& x) {
  return naive::reshape(fitted(naive::cast(x, o.a.dtype), o.n), o.p == 0 ? Dims{1, o.n} : Dims{o.n, 1});
}

/// In [0, n), from b's elements.
Tensor numbers(const Tensors& o) { return remainder(last_row(o.b, o.n).astype(DType::i32), static_cast<int32_t>(o.n)); }
Array numbers(const Arrays& o) {
  return naive::map(last_row(o.b, o.n), DType::i32, [&](double x) {
    const auto n = static_cast<double>(o.n);
    return x - n * std::floor(x / n);
  });
}

/// (n, 2): the numbers and 0, 1, ...
Tensor coordinates(const Tensors& o) {
  return stack({numbers(o), arange(0, static_cast<double>(o.n), 1, DType::i32, o.a.device())}, 1);
}
Array coordinates(const Arrays& o) { return naive::stack({numbers(o), iota(DType::i32, {o.n})}, 1); }

/// Each part of unique_all, by the verb that gives it alone or beside others.
Tensor any_of_unique(const Tensors& o) {
  const Tensor x = last_row(o.a, o.n);
  switch (variant(o, 5)) {
    case 0:
      return placed(o, unique_values(x));
    case 1:
      return placed(o, unique_counts(x).counts);
    case 2:
      return placed(o, unique_inverse(x).inverse_indices);
    case 3:
      return placed(o, unique_all(x).indices);
    default:
      return placed(o, unique(sort(x)));
  }
}
Array any_of_unique(const Arrays& o) {
  const naive::Unique all = naive::unique_all(last_row(o.a, o.n));
  const Array* parts[] = {&all.values, &all.counts, &all.inverse, &all.indices, &all.values};
  return placed(o, *parts[variant(o, std::size(parts))]);
}

Array less(const Arrays& o) {
  return naive::map(full(o.a, o.n), full(o.b, o.n), DType::boolean, [](double x, double y) { return x < y; });
}

const GraphVerb lines_of_counting[] = {
    {"compress", 2,
     [](const Tensors& o) {
       const Tensor x = full(o.a, o.n);
       return fitted(compress(x, lt(x, o.b.expand({o.n, o.n}))), o.n * o.n).reshape({o.n, o.n});
     },
     [](const Arrays& o) {
       return naive::reshape(fitted(naive::compress(full(o.a, o.n), less(o)), o.n * o.n), {o.n, o.n});
     }},
    {"nonzero", 1,
     [](const Tensors& o) { return placed(o, nonzero(lt(full(o.a, o.n), full(o.b, o.n)))(ellipsis, o.p)); },
     [](const Arrays& o) {
       const Array all = naive::nonzero(less(o));
       return placed(o, naive::reshape(naive::slice(all, 1, o.p, o.p + 1, 1), {all.shape[0]}));
     }},
    {"unique", 2, any_of_unique, any_of_unique},
    {"bincount", 1, [](const Tensors& o) { return placed(o, bincount(numbers(o), {}, o.q % o.n)); },
     [](const Arrays& o) { return placed(o, naive::bincount(numbers(o), o.q % o.n)); }},
    {"bincount_of_weights", 1, [](const Tensors& o) { return placed(o, bincount(numbers(o), last_row(o.a, o.n))); },
     nullptr},
    {"histogram", 1, [](const Tensors& o) { return placed(o, histogram(o.a, o.n, -1, 1).first); }, nullptr},
    {"one_hot", 1, [](const Tensors& o) { return one_hot(numbers(o), o.n).astype(o.a.dtype()); },
     [](const Arrays& o) { return naive::cast(naive::one_hot(numbers(o), o.n), DType::i32); }},
    {"gather_nd", 1, [](const Tensors& o) { return placed(o, gather_nd(full(o.a, o.n), coordinates(o))); },
     [](const Arrays& o) { return placed(o, naive::gather_nd(full(o.a, o.n), coordinates(o))); }},
    {"scatter_nd", 1, [](const Tensors& o) { return scatter_nd(full(o.a, o.n), coordinates(o), last_row(o.b, o.n)); },
     [](const Arrays& o) { return naive::scatter_nd(full(o.a, o.n), coordinates(o), last_row(o.b, o.n), naive::put); }},
};

}  // namespace

std::span<const GraphVerb> counting_graph_verbs() { return lines_of_counting; }

}  // namespace eglantine::test
