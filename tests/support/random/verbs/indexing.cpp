#include <algorithm>
#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_indexing.hpp"
#include "support/reference/naive_segments.hpp"

namespace eglantine::test {
namespace {

/// The item for axis p, whole axes for the other.
std::vector<Index> along(const Tensors& o, const Index& item) {
  return o.p == 0 ? std::vector<Index>{item} : std::vector<Index>{ellipsis, item};
}
naive::Items along(const Arrays& o, const naive::Item& item) {
  return o.p == 0 ? naive::Items{item} : naive::Items{ellipsis, item};
}

Array read(const Array& x, const naive::Items& items) {
  return naive::map(*naive::positions(x.shape, items), x.dtype,
                    [&](double at) { return x.values[static_cast<size_t>(at)]; });
}

/// The value broadcasts.
Array put(Array x, const naive::Items& items, const Array& value, const naive::Combine& combine = naive::put) {
  const Array places = *naive::positions(x.shape, items), values = naive::expand(value, places.shape);
  for (size_t i = 0; i < places.values.size(); ++i) {
    double& element = x.values[static_cast<size_t>(places.values[i])];
    element = as_element(x.dtype, combine(element, values.values[i]));
  }
  return x;
}

double lowest(DType dtype) {
  if (dtype == DType::u8) return 0;
  return dtype == DType::i8 ? -128 : std::numeric_limits<int32_t>::lowest();
}

Array number(double value) { return {DType::i32, {}, {value}}; }

double multiplied(double x, double y) { return naive::product(DType::i32, x, y); }

/// Indices of rank 1: reversed pairs.
Tensor line(const Tensors& o) {
  return (static_cast<int32_t>(o.n - 1) - arange(0, o.n, 1, DType::i32, o.a.device())) / 2;
}
Array line(const Arrays& o) {
  return generate(DType::i32, {o.n}, [&](const Dims& at) { return static_cast<double>((o.n - 1 - at[0]) / 2); });
}

/// The same for each row or column.
Tensor places(const Tensors& o) { return line(o).unsqueeze(o.p == 0 ? 1 : 0).expand({o.n, o.n}); }
Array places(const Arrays& o) {
  return naive::expand(naive::reshape(line(o), o.p == 0 ? Dims{o.n, 1} : Dims{1, o.n}), {o.n, o.n});
}

/// Indices that follow from b's elements, for odd q counted from the end.
Tensor drawn(const Tensors& o) {
  const Tensor whole = full(is_float(o.b.dtype()) ? o.b : o.b.astype(DType::i32), o.n) * 7;
  return remainder(whole.astype(DType::i32), static_cast<int32_t>(o.n)) - static_cast<int32_t>(o.q % 2 * o.n);
}
Array drawn(const Arrays& o) {
  return naive::map(full(o.b, o.n), DType::i32, [&](double x) {
    const auto n = static_cast<double>(o.n), value = as_element(DType::i32, x * 7);
    return value - n * std::floor(value / n) - static_cast<double>(o.q % 2) * n;
  });
}

/// x's inner elements from those beside them, over and over.
Tensor stencil(const Tensors& o) {
  const Slice inner{1, -1};
  Tensor x = full(o.a, o.n);
  for (int step = 0; step < 3; ++step)
    x = x.index_put({inner, inner}, x(Slice{0, -2}, inner) + x(Slice{2, {}}, inner) - full(o.b, o.n)(inner, inner));
  return x;
}
Array stencil(const Arrays& o) {
  const Slice inner{1, -1};
  Array x = full(o.a, o.n);
  for (int step = 0; step < 3; ++step) {
    const Array b = read(full(o.b, o.n), {inner, inner});
    x = put(x, {inner, inner},
            naive::map(read(x, {Slice{0, -2}, inner}), read(x, {Slice{2, {}}, inner}), b, DType::i32,
                       [](double above, double below, double by) { return above + below - by; }));
  }
  return x;
}

/// Every third element in turn, from what was put before.
Tensor chain(const Tensors& o) {
  Tensor x = full(o.a, o.n);
  for (int64_t from = 0; from < 3; ++from) {
    const std::vector<Index> items = along(o, Slice{from, {}, 3});
    x = x.index_put(items, x.flip({o.p}).index(items) + full(o.b, o.n).index(items));
  }
  return x;
}
Array chain(const Arrays& o) {
  Array x = full(o.a, o.n);
  for (int64_t from = 0; from < 3; ++from) {
    const naive::Items items = along(o, Slice{from, {}, 3});
    x = put(x, items,
            naive::map(read(naive::flip(x, {o.p}), items), read(full(o.b, o.n), items), DType::i32,
                       [](double mirrored, double by) { return mirrored + by; }));
  }
  return x;
}

/// Elements at drawn places in turn, from what was put before.
Tensor put_in_turn(const Tensors& o) {
  Tensor x = full(o.a, o.n);
  for (int step = 0; step < 3; ++step) {
    const Tensor read = step == 1 ? x.flip({static_cast<int>(o.p)}) : full(o.b, o.n);
    x = step == 2 ? x.index_put_add({drawn(o), line(o)}, o.b) : x.index_put(along(o, line(o)), read);
  }
  return x;
}
Array put_in_turn(const Arrays& o) {
  Array x = full(o.a, o.n);
  for (int step = 0; step < 3; ++step) {
    const Array read = step == 1 ? naive::flip(x, {o.p}) : full(o.b, o.n);
    x = step == 2 ? put(x, {drawn(o), line(o)}, o.b, naive::added) : put(x, along(o, line(o)), read);
  }
  return x;
}

const GraphVerb lines_of_indexing[] = {
    {"gather", 2, [](const Tensors& o) { return gather(full(o.a, o.n), static_cast<int>(o.p), places(o)); },
     [](const Arrays& o) { return naive::gather(full(o.a, o.n), o.p, places(o)); }},
    {"scatter", 2,
     [](const Tensors& o) { return scatter(full(o.a, o.n), static_cast<int>(o.p), drawn(o), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::scatter_with(full(o.a, o.n), o.p, drawn(o), full(o.b, o.n), naive::put); }},
    {"scatter_add", 2,
     [](const Tensors& o) { return scatter_add(full(o.a, o.n), static_cast<int>(o.p), places(o), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::scatter_add(full(o.a, o.n), o.p, places(o), full(o.b, o.n)); }},
    {"scatter_mul", 1,
     [](const Tensors& o) { return scatter_mul(full(o.a, o.n), static_cast<int>(o.p), places(o), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::scatter_with(full(o.a, o.n), o.p, places(o), full(o.b, o.n), multiplied); }},
    {"scatter_max", 2,
     [](const Tensors& o) { return scatter_max(full(o.a, o.n), static_cast<int>(o.p), drawn(o), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::scatter_with(full(o.a, o.n), o.p, drawn(o), full(o.b, o.n), naive::larger); }},
    {"scatter_min", 2,
     [](const Tensors& o) { return scatter_min(full(o.a, o.n), static_cast<int>(o.p), places(o), full(o.b, o.n)); },
     [](const Arrays& o) {
       return naive::scatter_with(full(o.a, o.n), o.p, places(o), full(o.b, o.n), naive::smaller);
     }},
    {"take_along_axis", 2,
     [](const Tensors& o) { return take_along_axis(full(o.a, o.n), drawn(o), static_cast<int>(o.p)); },
     [](const Arrays& o) { return naive::take_along_axis(full(o.a, o.n), drawn(o), o.p); }},
    {"index_add", 2,
     [](const Tensors& o) { return index_add(full(o.a, o.n), static_cast<int>(o.p), line(o), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::index_add(full(o.a, o.n), o.p, line(o), full(o.b, o.n)); }},
    {"segment_sum", 2, [](const Tensors& o) { return segment_sum(full(o.a, o.n), line(o), o.n); },
     [](const Arrays& o) { return naive::segments(full(o.a, o.n), line(o), o.n, 0, naive::added); }},
    {"segment_max", 1, [](const Tensors& o) { return segment_max(full(o.a, o.n), line(o), o.n); },
     [](const Arrays& o) { return naive::segments(full(o.a, o.n), line(o), o.n, lowest(o.a.dtype), naive::larger); }},
    {"scatter_nd_add", 1,
     [](const Tensors& o) {
       return scatter_nd_add(full(o.a, o.n), stack({places(o), drawn(o)}, 2), full(o.b, o.n));
     },
     [](const Arrays& o) {
       const Array pairs = naive::stack({places(o), drawn(o)}, 2);
       return naive::scatter_nd(full(o.a, o.n), pairs, full(o.b, o.n), naive::added);
     }},
    {"two_tensors", 2, [](const Tensors& o) { return full(o.a, o.n)(drawn(o), line(o)); },
     [](const Arrays& o) {
       return read(full(o.a, o.n), {drawn(o), line(o)});
     }},
    {"backwards", 3,
     [](const Tensors& o) {
       const Tensor x = full(o.a, o.n);
       const Tensor odd = x.index(along(o, Slice{{}, {}, -2})), even = x.index(along(o, Slice{-2, {}, -2}));
       return concatenate({odd, even}, static_cast<int>(o.p));
     },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       const Array odd = read(x, along(o, Slice{{}, {}, -2})), even = read(x, along(o, Slice{-2, {}, -2}));
       return naive::concatenate({odd, even}, o.p);
     }},
    {"put_slice", 4,
     [](const Tensors& o) {
       const std::vector<Index> inner = along(o, Slice{1, -1});
       return full(o.a, o.n).index_put(inner, full(o.b, o.n).index(inner));
     },
     [](const Arrays& o) {
       const naive::Items inner = along(o, Slice{1, -1});
       return put(full(o.a, o.n), inner, read(full(o.b, o.n), inner));
     }},
    {"put_shifted", 4,
     [](const Tensors& o) {
       const Tensor x = full(o.a, o.n);
       return x.index_put(along(o, Slice{1, {}}), x.index(along(o, Slice{0, -1})));
     },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       return put(x, along(o, Slice{1, {}}), read(x, along(o, Slice{0, -1})));
     }},
    {"put_backwards", 2,
     [](const Tensors& o) {
       const std::vector<Index> from = along(o, Slice{0, {}, 2});
       return full(o.a, o.n).index_put(along(o, Slice{{}, {}, -2}), full(o.b, o.n).index(from));
     },
     [](const Arrays& o) {
       const naive::Items from = along(o, Slice{0, {}, 2});
       return put(full(o.a, o.n), along(o, Slice{{}, {}, -2}), read(full(o.b, o.n), from));
     }},
    {"put_row", 2,
     [](const Tensors& o) { return full(o.a, o.n).index_put(along(o, 1), full(o.b, o.n).index(along(o, -1))); },
     [](const Arrays& o) {
       const naive::Item last = int64_t{-1}, second = int64_t{1};
       return put(full(o.a, o.n), along(o, second), read(full(o.b, o.n), along(o, last)));
     }},
    {"put_number", 2,
     [](const Tensors& o) {
       return full(o.a, o.n).index_put(along(o, Slice{0, {}, 2}), 3);
     },
     [](const Arrays& o) {
       return put(full(o.a, o.n), along(o, Slice{0, {}, 2}), number(3));
     }},
    {"put_stencil", 3, stencil, stencil},
    {"put_chain", 3, chain, chain},
    {"put_in_turn", 3, put_in_turn, put_in_turn},
    {"put_places", 2, [](const Tensors& o) { return full(o.a, o.n).index_put(along(o, line(o)), full(o.b, o.n)); },
     [](const Arrays& o) { return put(full(o.a, o.n), along(o, line(o)), full(o.b, o.n)); }},
    {"put_mask", 1, [](const Tensors& o) { return full(o.a, o.n).index_put({lt(full(o.a, o.n), o.b)}, 3); },
     [](const Arrays& o) {
       return naive::map(full(o.a, o.n), o.b, DType::i32, [](double x, double y) { return x < y ? 3 : x; });
     }},
    {"add_places", 3, [](const Tensors& o) { return full(o.a, o.n).index_put_add(along(o, line(o)), full(o.b, o.n)); },
     [](const Arrays& o) { return put(full(o.a, o.n), along(o, line(o)), full(o.b, o.n), naive::added); }},
    {"add_drawn", 2,
     [](const Tensors& o) {
       return full(o.a, o.n).index_put_add({drawn(o), line(o)}, o.b);
     },
     [](const Arrays& o) {
       return put(full(o.a, o.n), {drawn(o), line(o)}, o.b, naive::added);
     }},
    {"add_slice", 2,
     [](const Tensors& o) {
       const std::vector<Index> front = along(o, Slice{0, -1}), back = along(o, Slice{1, {}});
       return full(o.a, o.n).index_put_add(front, full(o.b, o.n).index(back));
     },
     [](const Arrays& o) {
       const naive::Items front = along(o, Slice{0, -1}), back = along(o, Slice{1, {}});
       return put(full(o.a, o.n), front, read(full(o.b, o.n), back), naive::added);
     }},
};

}  // namespace

std::span<const GraphVerb> index_graph_verbs() { return lines_of_indexing; }

}  // namespace eglantine::test
