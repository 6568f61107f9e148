#include <algorithm>

#include "eglantine/ops.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_remap.hpp"

/// Verbs made of movement: axes moved, tensors cut, joined and broadcast.
namespace eglantine::test {
namespace {

/// Of all that swap two axes.
Tensor swapped(const Tensors& o) {
  switch (variant(o, 6)) {
    case 0:
      return permute(o.a, {1, 0});
    case 1:
      return moveaxis(o.a, 0, 1);
    case 2:
      return swapaxes(o.a, 0, -1);
    case 3:
      return squeeze(permute(unsqueeze(o.a, 1), {2, 1, 0}), 1);
    case 4:
      return squeeze(atleast_3d(transpose(o.a, 0, 1)), 2);
    default:
      return crop(pad(transpose(o.a, 0, 1), {{1, 0}, {0, 2}}, 3), {{1, 1 + o.a.shape()[1]}, {0, o.a.shape()[0]}});
  }
}

/// In one row and back, shifted by an element.
Tensor flat(const Tensors& o) {
  const Tensor x = full(o.a, o.n);
  const Tensor row = o.q % 2 == 0 ? flatten(x) : atleast_1d(ravel(x));
  return reshape(roll(row, 1), {o.n, o.n});
}

/// The slice along p at a place, from the end where negative.
Array part(const Arrays& o, int64_t from, int64_t to) { return naive::slice(full(o.a, o.n), o.p, from, to, 1); }

Array joined(const Arrays& o, int64_t axis, const Array& front) {
  return naive::slice(naive::concatenate({front, full(o.b, o.n)}, axis), axis, 0, o.n, 1);
}

const GraphVerb lines_of_arrangement[] = {
    {"swapped", 3, swapped, [](const Arrays& o) { return naive::transpose(o.a, 0, 1); }},
    {"flat", 2, flat,
     [](const Arrays& o) {
       const Array row = naive::reshape(full(o.a, o.n), {o.n * o.n});
       return naive::reshape(naive::roll(row, {1}), {o.n, o.n});
     }},
    {"split", 2,
     [](const Tensors& o) {
       const std::vector<Tensor> parts = split(full(o.a, o.n), o.n, axis(o));
       return parts.front() - parts.back();
     },
     [](const Arrays& o) {
       return naive::map(part(o, 0, 1), part(o, o.n - 1, o.n), DType::i32, [](double x, double y) { return x - y; });
     }},
    {"split_with_sizes", 2,
     [](const Tensors& o) {
       const std::vector<Tensor> parts = split_with_sizes(full(o.a, o.n), {1, o.n - 1}, axis(o));
       return concatenate({parts[1], parts[0]}, axis(o));
     },
     [](const Arrays& o) {
       return naive::concatenate({part(o, 1, o.n), part(o, 0, 1)}, o.p);
     }},
    {"unstack", 2,
     [](const Tensors& o) {
       const std::vector<Tensor> parts = unstack(full(o.a, o.n), axis(o));
       return maximum(parts[1], parts.back()).unsqueeze(axis(o));
     },
     [](const Arrays& o) {
       return naive::map(part(o, 1, 2), part(o, o.n - 1, o.n), DType::i32,
                         [](double x, double y) { return std::max(x, y); });
     }},
    {"hstack", 1,
     [](const Tensors& o) {
       return slice(hstack({full(o.a, o.n)(ellipsis, Slice{-2, {}}), full(o.b, o.n)}), 1, 0, o.n);
     },
     [](const Arrays& o) { return joined(o, 1, naive::slice(full(o.a, o.n), 1, -2, {}, 1)); }},
    {"vstack", 1,
     [](const Tensors& o) {
       return slice(vstack({full(o.a, o.n)(-1), full(o.b, o.n)}), 0, 0, o.n);
     },
     [](const Arrays& o) { return joined(o, 0, naive::slice(full(o.a, o.n), 0, -1, {}, 1)); }},
    {"broadcast", 2,
     [](const Tensors& o) {
       const std::vector<Tensor> both = broadcast_tensors({o.a, o.b});
       return o.p == 0 ? both[0] - both[1] * 2 : broadcast_to(o.b, {o.n, o.n});
     },
     [](const Arrays& o) {
       const Array both = naive::map(o.a, o.b, DType::i32, [](double x, double y) { return x - 2 * y; });
       return o.p == 0 ? both : full(o.b, o.n);
     }},
    {"first_row", 1, [](const Tensors& o) { return atleast_2d(o.a(0)); },
     [](const Arrays& o) { return naive::slice(o.a, 0, 0, 1, 1); }},
    {"meshgrid", 2,
     [](const Tensors& o) {
       return meshgrid({full(o.a, o.n)(-1), full(o.b, o.n)(-1)})[static_cast<size_t>(o.p)];
     },
     [](const Arrays& o) {
       const Array x = full(o.p == 0 ? o.a : o.b, o.n);
       return generate(x.dtype, x.shape, [&](const Dims& at) { return x.at({o.n - 1, at[static_cast<size_t>(o.p)]}); });
     }},
};

}  // namespace

std::span<const GraphVerb> arrangement_graph_verbs() { return lines_of_arrangement; }

}  // namespace eglantine::test
