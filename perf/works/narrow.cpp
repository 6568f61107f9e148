#include <cmath>

#include "perf/works/works.hpp"

/// Works that only narrow types have: conversions, and products of weights kept as bytes.
namespace eglantine::perf {

namespace {

double bytes_in(DType dtype, int64_t elements) { return static_cast<double>(size_of(dtype)) * real(elements); }

Work converting(const std::string& name, int64_t n, DType from, DType to, Verb verb) {
  Work work =
      work_of(name + "/" + size_text(n), {in_dtype(from, {n}, Fill::signed_uniform)}, std::move(verb), {{0}, 0, 0, 0});
  work.bytes = bytes_in(from, n) + bytes_in(to, n);
  return work;
}

}  // namespace

Work cast_work(int64_t n, DType from, DType to) {
  const std::string name = std::string(name_of(from)) + "_to_" + std::string(name_of(to));
  return converting(name, n, from, to, [to](const Tensors& x) { return Tensors{x[0].astype(to)}; });
}

Work scaled_work(int64_t n) {
  return converting("u8_scaled", n, DType::u8, DType::f32,
                    [](const Tensors& x) { return Tensors{x[0].astype(DType::f32) * (1.0F / 255.0F)}; });
}

Work scaled_product_work(int64_t m, int64_t k) {
  constexpr int64_t block = 32;
  const int64_t blocks = k / block;
  Work work = work_of(
      "i8_scaled_matmul/" + size_text(Shape{m, k, 1}),
      {in_dtype(DType::i8, {m, blocks, block}), in_dtype(DType::f16, {m, blocks, 1}), {{k}, Fill::signed_uniform}},
      [k](const Tensors& x) {
        const Tensor weights = x[0].astype(DType::f32) * x[1].astype(DType::f32);
        return Tensors{matmul(weights.reshape({x[0].shape()[0], k}), x[2])};
      },
      {{0, 0, -1}, 0, 0, 128 * std::sqrt(real(k)) * 0x1p-18});
  work.bytes = bytes_in(DType::i8, m * k) + bytes_in(DType::f16, m * blocks) + bytes_in(DType::f32, k + m);
  work.operations = 2 * real(m) * real(k);
  return work;
}

}  // namespace eglantine::perf
