#include "eglantine/ops.hpp"
#include "support/random/verbs/verbs.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_counting.hpp"
#include "support/reference/naive_einsum.hpp"

namespace eglantine::test {
namespace {

/// Row 0 in order.
Array ordered_row(const Arrays& o) {
  return naive::sort(naive::reshape(naive::slice(full(o.a, o.n), 0, 0, 1, 1), {o.n}), 0).keys;
}

const GraphVerb lines_of_reductions[] = {
    {"sum", 9, [](const Tensors& o) { return sum(o.a, {o.p}, true); },
     [](const Arrays& o) { return naive::sum(o.a, {o.p}, true); }},
    {"sum_all", 3, [](const Tensors& o) { return sum(o.a, {}, true); },
     [](const Arrays& o) { return naive::sum(o.a, {}, true); }},
    {"prod", 2, [](const Tensors& o) { return prod(o.a, {o.p}, true); },
     [](const Arrays& o) { return naive::prod(o.a, {o.p}, true); }},
    {"max", 4, [](const Tensors& o) { return max(o.a, {o.p}, true); },
     [](const Arrays& o) { return naive::max(o.a, {o.p}, true); }},
    {"min", 3, [](const Tensors& o) { return min(o.a, {o.p}, true); },
     [](const Arrays& o) { return naive::min(o.a, {o.p}, true); }},
    {"all_any", 2,
     [](const Tensors& o) {
       const Tensor truth = lt(o.a, o.b);
       return (o.q % 2 == 0 ? all(truth, {o.p}, true) : any(truth, {o.p}, true)).astype(o.a.dtype());
     },
     [](const Arrays& o) {
       const Array truth = naive::map(o.a, o.b, DType::i32, [](double x, double y) { return x < y ? 1 : 0; });
       return o.q % 2 == 0 ? naive::min(truth, {o.p}, true) : naive::max(truth, {o.p}, true);
     }},
    {"argmax", 3, [](const Tensors& o) { return argmax(o.a, axis(o), true).astype(o.a.dtype()); },
     [](const Arrays& o) { return naive::argmax(o.a, o.p, true); }},
    {"argmin_all", 1,
     [](const Tensors& o) {
       return argmin(o.a).astype(o.a.dtype()).reshape({1, 1});
     },
     [](const Arrays& o) {
       return naive::reshape(naive::argmin(naive::reshape(o.a, {o.a.size()}), 0), {1, 1});
     }},
    {"ptp", 2, [](const Tensors& o) { return ptp(o.a, {o.p}, true); },
     [](const Arrays& o) {
       const Array most = naive::max(o.a, {o.p}, true), least = naive::min(o.a, {o.p}, true);
       return naive::map(most, least, DType::i32, [](double x, double y) { return x - y; });
     }},
    {"count_nonzero", 2, [](const Tensors& o) { return count_nonzero(lt(o.a, o.b), {o.p}, true).astype(o.a.dtype()); },
     [](const Arrays& o) {
       const Array less = naive::map(o.a, o.b, DType::i32, [](double x, double y) { return x < y ? 1 : 0; });
       return naive::sum(less, {o.p}, true);
     }},
    {"trace", 1,
     [](const Tensors& o) {
       return trace(full(o.a, o.n)).reshape({1, 1});
     },
     [](const Arrays& o) {
       double total = 0;
       for (int64_t i = 0; i < o.n; ++i) total += full(o.a, o.n).at({i, i});
       return Array{o.a.dtype, {1, 1}, {total}};
     }},
    {"matmul", 8, [](const Tensors& o) { return matmul(full(o.a, o.n), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::matmul(full(o.a, o.n), full(o.b, o.n)); }},
    {"inner", 2, [](const Tensors& o) { return inner(full(o.a, o.n), full(o.b, o.n)); },
     [](const Arrays& o) { return naive::matmul(full(o.a, o.n), naive::transpose(full(o.b, o.n), 0, 1)); }},
    {"tensordot", 2, [](const Tensors& o) { return tensordot(full(o.a, o.n), full(o.b, o.n), 0, o.p); },
     [](const Arrays& o) {
       const Array b = full(o.b, o.n);
       return naive::matmul(naive::transpose(full(o.a, o.n), 0, 1), o.p == 0 ? b : naive::transpose(b, 0, 1));
     }},
    {"einsum", 3,
     [](const Tensors& o) {
       const char* const subscripts[] = {"ij,kj->ki", "ij,ij->ji", "...i,ki,ki->...k", "ij,jk,kl->il"};
       const Tensor a = full(o.a, o.n), b = full(o.b, o.n);
       const size_t which = variant(o, std::size(subscripts));
       return einsum(subscripts[which], which < 2 ? std::vector<Tensor>{a, b} : std::vector<Tensor>{a, b, a});
     },
     [](const Arrays& o) {
       const Array a = full(o.a, o.n), b = full(o.b, o.n);
       switch (variant(o, 4)) {
         case 0:
           return naive::einsum({"ij", "kj"}, "ki", {a, b});
         case 1:
           return naive::einsum({"ij", "ij"}, "ji", {a, b});
         case 2:
           return naive::einsum({"xi", "ki", "ki"}, "xk", {a, b, a});
         default:
           return naive::einsum({"ij", "jk", "kl"}, "il", {a, b, a});
       }
     }},
    {"kron", 2, [](const Tensors& o) { return kron(full(o.a, o.n).slice(1, 0, 1), full(o.b, o.n).slice(0, 0, 1)); },
     [](const Arrays& o) {
       return naive::einsum({"ix", "yj"}, "ij",
                            {naive::slice(full(o.a, o.n), 1, 0, 1, 1), naive::slice(full(o.b, o.n), 0, 0, 1, 1)});
     }},
    {"cross", 2,
     [](const Tensors& o) {
       const Tensor a = full(o.a, o.n), b = full(o.b, o.n);
       return cross(stack({a, b, a + b}, 0), stack({b, a, b}, 0), 0)(0);
     },
     [](const Arrays& o) {
       const Array a = full(o.a, o.n), b = full(o.b, o.n);
       const auto times = [](double x, double y) { return naive::product(DType::i32, x, y); };
       const Array third = naive::map(a, b, DType::i32, [](double x, double y) { return x + y; });
       return naive::map(naive::map(b, b, DType::i32, times), naive::map(third, a, DType::i32, times), DType::i32,
                         [](double x, double y) { return x - y; });
     }},
    {"dot", 1,
     [](const Tensors& o) {
       return dot(full(o.a, o.n)(-1), full(o.b, o.n)(0)).reshape({1, 1});
     },
     [](const Arrays& o) {
       return naive::matmul(naive::slice(full(o.a, o.n), 0, -1, {}, 1),
                            naive::transpose(naive::slice(full(o.b, o.n), 0, 0, 1, 1), 0, 1));
     }},
    {"multiply_sum", 3, [](const Tensors& o) { return multiply_sum(o.a, o.b, {o.p}, true); },
     [](const Arrays& o) {
       const auto times = [](double x, double y) { return naive::product(DType::i32, x, y); };
       return naive::sum(naive::map(o.a, o.b, DType::i32, times), {o.p}, true);
     }},
    {"cumsum", 3, [](const Tensors& o) { return cumsum(o.a, axis(o)); },
     [](const Arrays& o) { return naive::cumsum(o.a, o.p); }},
    {"cumsum_before", 2, [](const Tensors& o) { return cumsum(o.a, axis(o), true, true); },
     [](const Arrays& o) {
       return naive::cumsum(o.a, o.p, {true, true});
     }},
    {"cummax", 2, [](const Tensors& o) { return cummax(o.a, axis(o), false, true); },
     [](const Arrays& o) {
       return naive::cummax(o.a, o.p, {false, true});
     }},
    {"cummin", 2, [](const Tensors& o) { return cummin(o.a, axis(o)); },
     [](const Arrays& o) { return naive::cummin(o.a, o.p); }},
    {"cumprod", 2, [](const Tensors& o) { return cumprod(o.a, axis(o), false, o.q % 2 == 1); },
     [](const Arrays& o) {
       return naive::cumprod(o.a, o.p, {false, o.q % 2 == 1});
     }},
    {"sort_by_key", 2, [](const Tensors& o) { return sort_by_key(full(o.a, o.n), full(o.b, o.n), o.p == 1).second; },
     [](const Arrays& o) {
       return naive::at_places(full(o.b, o.n), naive::sort(full(o.a, o.n), -1, o.p == 1).places);
     }},
    {"sort", 2, [](const Tensors& o) { return sort(o.a, axis(o)); },
     [](const Arrays& o) { return naive::sort(o.a, o.p).keys; }},
    {"argsort", 2, [](const Tensors& o) { return argsort(o.a, axis(o), true).astype(o.a.dtype()); },
     [](const Arrays& o) { return naive::sort(o.a, o.p, true).places; }},
    {"topk", 2,
     [](const Tensors& o) {
       const Tensor x = full(o.a, o.n);
       const Tensor places = topk(x, o.n - 2, axis(o), false).second;
       return concatenate({topk(x, 2, axis(o)).first, places.astype(x.dtype())}, axis(o));
     },
     [](const Arrays& o) {
       const Array x = full(o.a, o.n);
       const Array places = naive::topk(x, o.n - 2, o.p, false).places;
       return naive::concatenate({naive::topk(x, 2, o.p).keys, places}, o.p);
     }},
    {"searchsorted", 2,
     [](const Tensors& o) { return searchsorted(sort(full(o.a, o.n)(0)), o.b, o.p == 1).astype(o.a.dtype()); },
     [](const Arrays& o) { return naive::searchsorted(ordered_row(o), o.b, o.p == 1); }},
    {"searchsorted_rows", 1,
     [](const Tensors& o) { return searchsorted(sort(full(o.a, o.n)), full(o.b, o.n), o.p == 1).astype(o.a.dtype()); },
     [](const Arrays& o) { return naive::searchsorted(naive::sort(full(o.a, o.n)).keys, full(o.b, o.n), o.p == 1); }},
};

}  // namespace

std::span<const GraphVerb> reduction_graph_verbs() { return lines_of_reductions; }

}  // namespace eglantine::test
