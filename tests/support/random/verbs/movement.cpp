#include "eglantine/ops.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_remap.hpp"

namespace eglantine::test {

Tensor full(const Tensor& x, int64_t n) { return x.expand({n, n}); }
Array full(const Array& x, int64_t n) { return naive::expand(x, {n, n}); }

namespace {

/// x where its place lies at or below the k-th diagonal, or above it; else 0.
Array part_of_matrix(const Arrays& o, int64_t k, bool below) {
  const Array x = full(o.a, o.n);
  return generate(x.dtype, x.shape, [&](const Dims& at) { return (at[1] - at[0] <= k) == below ? x.at(at) : 0; });
}

Array rotated(const Array& x) { return naive::flip(naive::transpose(x, 0, 1), {0}); }

const GraphVerb lines_of_movement[] = {
    {"flip", 9, [](const Tensors& o) { return o.a.flip({o.p}); },
     [](const Arrays& o) { return naive::flip(o.a, {o.p}); }},
    {"transpose", 9, [](const Tensors& o) { return o.a.transpose(0, 1); },
     [](const Arrays& o) { return naive::transpose(o.a, 0, 1); }},
    {"reshape", 3,
     [](const Tensors& o) {
       return full(o.a, o.n).reshape({-1}).flip({0}).reshape({o.n, o.n});
     },
     [](const Arrays& o) {
       return naive::reshape(naive::flip(naive::reshape(full(o.a, o.n), {o.n * o.n}), {0}), {o.n, o.n});
     }},
    {"slice", 3, [](const Tensors& o) { return o.a.slice(static_cast<int>(o.p), 0, 1); },
     [](const Arrays& o) { return naive::slice(o.a, o.p, 0, 1, 1); }},
    {"expand", 2, [](const Tensors& o) { return full(o.a, o.n); }, [](const Arrays& o) { return full(o.a, o.n); }},
    {"roll", 5, [](const Tensors& o) { return roll(o.a, 2, o.p); },
     [](const Arrays& o) {
       return naive::roll(o.a, o.p == 0 ? Dims{2, 0} : Dims{0, 2});
     }},
    {"roll_both", 3,
     [](const Tensors& o) {
       return roll(full(o.a, o.n), {1, -1}, {0, 1});
     },
     [](const Arrays& o) {
       return naive::roll(full(o.a, o.n), {1, -1});
     }},
    {"pad", 4,
     [](const Tensors& o) {
       return pad(full(o.a, o.n), {{1, 1}, {0, 2}}, 3).crop({{0, o.n}, {1, o.n + 1}});
     },
     [](const Arrays& o) {
       const Array padded = naive::pad(full(o.a, o.n), {{1, 1}, {0, 2}}, PadMode::constant, 3);
       return naive::crop(padded, {{0, o.n}, {1, o.n + 1}});
     }},
    {"edge", 3,
     [](const Tensors& o) {
       return pad(full(o.a, o.n), {{1, 0}, {0, 1}}, PadMode::edge).crop({{0, o.n}, {1, o.n + 1}});
     },
     [](const Arrays& o) {
       const Array padded = naive::pad(full(o.a, o.n), {{1, 0}, {0, 1}}, PadMode::edge);
       return naive::crop(padded, {{0, o.n}, {1, o.n + 1}});
     }},
    {"window_sum", 2,
     [](const Tensors& o) {
       const Tensor wrapped = pad(full(o.a, o.n), {{1, 1}, {0, 0}}, PadMode::wrap);
       return sum(windows(wrapped, 0, {3}), 2);
     },
     [](const Arrays& o) {
       const Array wrapped = naive::pad(full(o.a, o.n), {{1, 1}, {0, 0}}, PadMode::wrap);
       return naive::sum(naive::windows(wrapped, {0}, {3}, {1}, {1}), {2});
     }},
    {"window_max", 2,
     [](const Tensors& o) {
       const Tensor reflected = pad(full(o.a, o.n), {{1, 1}, {1, 1}}, PadMode::reflect);
       return max(windows(reflected, {0, 1}, {3, 3}), {2, 3});
     },
     [](const Arrays& o) {
       const Array reflected = naive::pad(full(o.a, o.n), {{1, 1}, {1, 1}}, PadMode::reflect);
       return naive::max(naive::windows(reflected, {0, 1}, {3, 3}, {1, 1}, {1, 1}), {2, 3});
     }},
    {"concatenate", 2,
     [](const Tensors& o) {
       return concatenate({full(o.a, o.n), full(o.b, o.n)}, static_cast<int>(o.p))
           .slice(static_cast<int>(o.p), 1, o.n + 1);
     },
     [](const Arrays& o) {
       return naive::slice(naive::concatenate({full(o.a, o.n), full(o.b, o.n)}, o.p), o.p, 1, o.n + 1, 1);
     }},
    {"stack", 2,
     [](const Tensors& o) {
       return max(stack({full(o.a, o.n), full(o.b, o.n)}, static_cast<int>(o.p)), {o.p});
     },
     [](const Arrays& o) {
       return naive::max(naive::stack({full(o.a, o.n), full(o.b, o.n)}, o.p), {o.p});
     }},
    {"repeat", 2,
     [](const Tensors& o) {
       return repeat(full(o.a, o.n), 2, static_cast<int>(o.p)).slice(static_cast<int>(o.p), 1, o.n + 1);
     },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       return generate(x.dtype, x.shape, [&](const Dims& at) {
         return o.p == 0 ? x.at({(at[0] + 1) / 2, at[1]}) : x.at({at[0], (at[1] + 1) / 2});
       });
     }},
    {"tile", 2,
     [](const Tensors& o) {
       return tile(full(o.a, o.n), {2, 3}).crop({{1, o.n + 1}, {o.n + 2, 2 * o.n + 2}});
     },
     [](const Arrays& o) {
       return naive::roll(full(o.a, o.n), {-1, -2});
     }},
    {"rot90", 2, [](const Tensors& o) { return rot90(o.a, 1 + o.p); },
     [](const Arrays& o) {
       const Array once = rotated(o.a);
       return o.p == 0 ? once : rotated(once);
     }},
    {"tril", 3, [](const Tensors& o) { return tril(full(o.a, o.n), o.p - 1); },
     [](const Arrays& o) { return part_of_matrix(o, o.p - 1, true); }},
    {"triu", 3, [](const Tensors& o) { return triu(full(o.a, o.n), o.p); },
     [](const Arrays& o) { return part_of_matrix(o, o.p - 1, false); }},
    {"diag", 3, [](const Tensors& o) { return diag(diagonal(full(o.a, o.n), o.p), o.p); },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       return generate(x.dtype, x.shape, [&](const Dims& at) { return at[1] - at[0] == o.p ? x.at(at) : 0; });
     }},
    {"diagonal", 3, [](const Tensors& o) { return diagonal(full(o.a, o.n)).unsqueeze(static_cast<int>(o.p)); },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       return generate(x.dtype, o.p == 0 ? Dims{1, o.n} : Dims{o.n, 1}, [&](const Dims& at) {
         const int64_t i = at[0] + at[1];
         return x.at({i, i});
       });
     }},
    {"diff", 3,
     [](const Tensors& o) {
       const Tensor differences = diff(full(o.a, o.n), 1, static_cast<int>(o.p));
       return o.p == 0 ? pad(differences, {{1, 0}, {0, 0}}) : pad(differences, {{0, 0}, {0, 1}}, 2);
     },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       return generate(x.dtype, x.shape, [&](const Dims& at) -> double {
         const int64_t i = at[0], j = at[1];
         if (o.p == 0) return i == 0 ? 0 : x.at({i, j}) - x.at({i - 1, j});
         return j + 1 == o.n ? 2 : x.at({i, j + 1}) - x.at({i, j});
       });
     }},
};

}  // namespace

std::span<const GraphVerb> movement_graph_verbs() { return lines_of_movement; }

}  // namespace eglantine::test
