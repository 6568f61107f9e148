#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "backend/gl/glsl_header.hpp"
#include "backend/gl/matmul_plan.hpp"
#include "backend/gl/runtime.hpp"
#include "codegen/matmul.hpp"
#include "layout/collapse.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"

namespace eglantine::gl {

namespace {

using codegen::MatmulRead;
using codegen::MatmulShader;

int64_t stride(const Layout& x, int axis) { return x.strides[static_cast<size_t>(axis)]; }

bool is_value_of_core(const Expr& consumer) {
  return consumer.code.size() == 1 && consumer.code.front().op == Op::core;
}

/// The part of a buffer that a layout reaches, as a binding; and the address of the layout's first element in it.
struct Window {
  Range range;
  int64_t base = 0;
};

Window window(const Target& target, const Strided& x, const Layout& layout) {
  const layout::Reach reach = layout::reach(layout);
  const int64_t bytes = size_of(x.dtype), alignment = target.binding_alignment;
  const int64_t start = reach.first * bytes / alignment * alignment;
  // Up to the end of the last vec4: allocations are padded to 16 bytes.
  const int64_t end = ((reach.last + 1) * bytes + 15) / 16 * 16;
  return {{x.buffer.get(), start, end - start}, layout.offset - start / bytes};
}

/// One product over batches, m, n and k as a domain, so that windows cut all of them alike.
struct Product {
  Shape domain;  ///< batch axes, m, n, k
  int batch_rank;
  Strided a, b, out;  ///< layouts over the domain: a has stride 0 along n, b along m, out along k
};

Layout over_domain(const Layout& x, int batch_rank, int64_t row, int64_t column, int64_t depth, const Shape& domain) {
  Layout result{domain, {}, x.offset};
  for (int i = 0; i < batch_rank; ++i) result.strides.push_back(stride(x, i));
  result.strides.insert(result.strides.end(), {row, column, depth});
  return result;
}

Product product_of(const MatmulKernel& kernel, const Strided& out) {
  const int rank = kernel.batch.rank();
  Shape batch = kernel.batch;
  Layout a{batch, {kernel.a.layout.strides.begin(), kernel.a.layout.strides.begin() + rank}, kernel.a.layout.offset};
  Layout b{batch, {kernel.b.layout.strides.begin(), kernel.b.layout.strides.begin() + rank}, kernel.b.layout.offset};
  Layout c = layout::contiguous(batch);
  for (int64_t& step : c.strides) step *= kernel.m * kernel.n;
  std::vector<Layout> batches{a, b, c};
  if (rank > 0) layout::collapse(batches);
  Product product;
  product.domain = rank > 0 ? batches[0].shape : Shape{};
  product.batch_rank = product.domain.rank();
  for (int64_t length : {kernel.m, kernel.n, kernel.k}) product.domain.push_back(length);
  const auto fill = [&](const Layout& x, int64_t row, int64_t column, int64_t depth) {
    return over_domain(x, product.batch_rank, row, column, depth, product.domain);
  };
  product.a = {kernel.a.buffer, kernel.a.dtype,
               fill(batches[0], stride(kernel.a.layout, rank), 0, stride(kernel.a.layout, rank + 1))};
  product.b = {kernel.b.buffer, kernel.b.dtype,
               fill(batches[1], 0, stride(kernel.b.layout, rank + 1), stride(kernel.b.layout, rank))};
  product.out = {out.buffer, kernel.a.dtype, fill(batches[2], kernel.n, 1, 0)};
  product.out.layout.offset = out.layout.offset;
  return product;
}

/// Whether vec4s can be read along `axis`: its stride is 1, and everything else keeps addresses at multiples of four.
bool vectors_along(const Layout& x, int axis) {
  if (stride(x, axis) != 1 || x.shape[axis] % 4 != 0 || x.offset % 4 != 0) return false;
  for (int i = 0; i < x.shape.rank(); ++i)
    if (i != axis && x.shape[i] > 1 && stride(x, i) % 4 != 0) return false;
  return true;
}

MatmulShader shader_for(const Target& target, const Product& product, bool vectors) {
  const int m = product.batch_rank, n = m + 1, k = m + 2;
  const auto read = [&](const Layout& x, int other) {
    if (!vectors) return MatmulRead::single;
    return vectors_along(x, k)       ? MatmulRead::along_k
           : vectors_along(x, other) ? MatmulRead::across
                                     : MatmulRead::single;
  };
  MatmulShader shader{.dtype = product.out.dtype,
                      .a = read(product.a.layout, m),
                      .b = read(product.b.layout, n),
                      .vector_store = vectors && vectors_along(product.out.layout, n)};
  shader.batch_rank = product.batch_rank;
  choose_tile(target, product.domain[m], product.domain[n], shader);
  return shader;
}

std::vector<uint32_t> uniforms_of(const Product& product, const layout::Box& box, const Window& a, const Window& b,
                                  const Window& out, int64_t first_batch) {
  const int m = product.batch_rank, n = m + 1, k = m + 2;
  std::vector<int64_t> words{box.length[m],
                             box.length[n],
                             box.length[k],
                             a.base,
                             stride(product.a.layout, m),
                             stride(product.a.layout, k),
                             b.base,
                             stride(product.b.layout, k),
                             stride(product.b.layout, n),
                             out.base,
                             stride(product.out.layout, m),
                             box.start[k] > 0 ? 1 : 0,
                             first_batch};
  for (int axis = 0; axis < product.batch_rank; ++axis)
    for (int64_t word : {box.length[axis], stride(product.a.layout, axis), stride(product.b.layout, axis),
                         stride(product.out.layout, axis)})
      words.push_back(word);
  std::vector<uint32_t> result;
  for (int64_t word : words) result.push_back(static_cast<uint32_t>(word));
  return result;
}

int64_t divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

/// Dispatches one box of the domain; its batches in as many dispatches as the group limit asks for.
void run_box(Runtime& runtime, const Product& product, const MatmulShader& shader, const layout::Box& box) {
  const Target& target = runtime.target();
  const auto part = [&](const Strided& x) { return window(target, x, layout::restrict_to(x.layout, box)); };
  const Window a = part(product.a), b = part(product.b), out = part(product.out);
  int64_t batches = 1;
  for (int i = 0; i < product.batch_rank; ++i) batches *= box.length[i];
  Dispatch dispatch;
  dispatch.name = "matmul " + std::string(name_of(shader.dtype));
  dispatch.key = codegen::matmul_key(shader);
  dispatch.source = [shader, target] { return glsl_header(target) + codegen::matmul_source(shader); };
  dispatch.ranges = {a.range, b.range, out.range};
  dispatch.written = 1U << 2;
  const int64_t across = divide_up(box.length[product.batch_rank + 1], int64_t{shader.columns} * shader.local_x);
  const int64_t down = divide_up(box.length[product.batch_rank], int64_t{shader.rows} * shader.local_y);
  const int64_t at_once = std::min<int64_t>(65535, target.max_groups);
  for (int64_t first = 0; first < batches; first += at_once) {
    dispatch.uniforms = uniforms_of(product, box, a, b, out, first);
    dispatch.groups = {static_cast<uint32_t>(across), static_cast<uint32_t>(down),
                       static_cast<uint32_t>(std::min(at_once, batches - first))};
    runtime.dispatch(dispatch);
  }
}

/// The longest k of one dispatch: an invocation's loops, four steps a trip and three more, stay within what the driver
/// runs.
int64_t longest_depth(const Target& target) {
  return target.max_loop_trips > 0 ? (target.max_loop_trips - 64) * 4 : int64_t{1} << 30;
}

/// Where cuts may fall: axes along which vec4s are read or written are cut at multiples of four.
Shape multiples_of(const Product& product, const MatmulShader& shader) {
  const int m = product.batch_rank, n = m + 1, k = m + 2;
  Shape multiples = product.domain;
  std::fill(multiples.begin(), multiples.end(), 1);
  if (shader.a == MatmulRead::along_k || shader.b == MatmulRead::along_k) multiples[k] = 4;
  if (shader.a == MatmulRead::across) multiples[m] = 4;
  if (shader.b == MatmulRead::across || shader.vector_store) multiples[n] = 4;
  return multiples;
}

/// Whether what a box of those multiples reaches of x fits one binding.
bool smallest_box_fits(const Target& target, const Layout& x, const Shape& multiples) {
  int64_t reach = 1;
  for (int i = 0; i < multiples.rank(); ++i) reach += (std::min(multiples[i], x.shape[i]) - 1) * std::abs(stride(x, i));
  return reach <= (target.max_block_bytes - target.binding_alignment) / 4;
}

void contract(Runtime& runtime, const MatmulKernel& kernel, const Strided& out) {
  const Product product = product_of(kernel, out);
  const std::vector<Layout> layouts{product.a.layout, product.b.layout, product.out.layout};
  MatmulShader shader = shader_for(runtime.target(), product, true);
  Shape multiples = multiples_of(product, shader);
  if (!std::all_of(layouts.begin(), layouts.end(),
                   [&](const Layout& x) { return smallest_box_fits(runtime.target(), x, multiples); })) {
    shader = shader_for(runtime.target(), product, false);
    multiples = multiples_of(product, shader);
  }
  const int m = product.batch_rank, k = m + 2;
  const layout::SplitLimits limits{runtime.target().max_block_bytes, int64_t{1} << 62,
                                   runtime.target().binding_alignment};
  const int64_t depth = longest_depth(runtime.target()), tallest = 65535 * int64_t{shader.rows} * shader.local_y;
  for (const layout::Box& box : layout::split(product.domain, layouts, multiples, size_of(out.dtype), limits))
    for (int64_t row = 0; row < box.length[m]; row += tallest)
      for (int64_t first = 0; first < box.length[k]; first += depth) {
        layout::Box piece = box;
        piece.start[m] += row;
        piece.length[m] = std::min(tallest, box.length[m] - row);
        piece.start[k] += first;
        piece.length[k] = std::min(depth, box.length[k] - first);
        run_box(runtime, product, shader, piece);
      }
}

/// consumer as a map whose core is read from `core`, contiguous.
MapKernel consuming(const MatmulKernel& kernel, const Strided& core) {
  MapKernel map{kernel.consumer, kernel.out};
  map.value.operands.push_back({core.buffer, core.dtype, layout::contiguous(map.value.domain)});
  for (Instruction& step : map.value.code)
    if (step.op == Op::core)
      step = {Op::load, core.dtype, {static_cast<int32_t>(map.value.operands.size()) - 1, -1, -1}};
  return map;
}

}  // namespace

void run(Runtime& runtime, const MatmulKernel& kernel) {
  if (const std::optional<ReduceKernel> reduce = as_reduction(kernel)) return run(runtime, *reduce);
  if (is_value_of_core(kernel.consumer)) return contract(runtime, kernel, kernel.out);
  const int64_t bytes = kernel.consumer.domain.elements() * size_of(kernel.a.dtype);
  const auto buffer = std::make_shared<Buffer>(nullptr, bytes);
  buffer->set_storage(runtime.allocate(bytes));
  const Strided core{buffer, kernel.a.dtype, layout::contiguous(kernel.consumer.domain)};
  contract(runtime, kernel, core);
  run(runtime, consuming(kernel, core));
}

}  // namespace eglantine::gl
