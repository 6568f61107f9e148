#include "lower/lowering_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "backend/gl/lowered.hpp"
#include "graph/kernel/parts.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/row/formulas.hpp"

/// A cached kernel is dispatched just as a newly lowered one.
namespace eglantine::test {
namespace {

lower::Target some_target() {
  lower::Target target;
  target.max_block_bytes = 1 << 20;
  target.resident_invocations = 4096;
  return target;
}

BufferPtr new_buffer() { return std::make_shared<Buffer>(nullptr, int64_t{1} << 20); }

Strided strided(const BufferPtr& buffer, Layout layout, StorageType storage = StorageType::f32) {
  return {buffer, storage, std::move(layout)};
}

/// a op b + parameter, over the layouts' shape; both operands in one buffer where `shared`.
MapKernel binary(const Layout& a, const Layout& b, bool shared = false, DType dtype = DType::f32, Op op = Op::mul) {
  const BufferPtr first = new_buffer(), second = shared ? first : new_buffer();
  MapKernel kernel;
  kernel.value.domain = a.shape;
  kernel.value.operands = {strided(first, a, word_storage(dtype)), strided(second, b, word_storage(dtype))};
  kernel.value.parameters = {{7}};
  kernel.value.code = {{Op::load, dtype, {0, -1, -1}},
                       {Op::load, dtype, {1, -1, -1}},
                       {op, dtype, {0, 1, -1}},
                       {Op::parameter, dtype, {0, -1, -1}},
                       {Op::add, dtype, {2, 3, -1}}};
  kernel.out = strided(new_buffer(), layout::contiguous(a.shape), word_storage(dtype));
  return kernel;
}

/// All of different structures.
std::vector<Kernel> maps() {
  std::vector<Kernel> made;
  for (const int64_t n : {1, 3, 4, 13, 127, 1025, 100'000}) {
    const Layout line = layout::contiguous(Shape{n});
    made.push_back(binary(line, line));
    made.push_back(binary(line, line, true));
    made.push_back(binary(line, {{n}, {0}, 0}));
    made.push_back(binary(line, {{n}, {0}, 5}));
    made.push_back(binary(line, {{n}, {2}, 0}));
    made.push_back(binary(line, {{n}, {-1}, n - 1}));
    made.push_back(binary(line, layout::contiguous(Shape{n}, 1)));
    made.push_back(binary(layout::contiguous(Shape{n}, 4), line));
    made.push_back(binary(line, layout::contiguous(Shape{n}, 4), true));
    made.push_back(binary(line, line, false, DType::i32));
    made.push_back(binary(line, line, false, DType::f32, Op::sub));
    made.push_back(binary(line, line, false, DType::boolean));
    MapKernel packed = binary(line, line, false, DType::boolean);
    packed.value.operands[1].storage = StorageType::boolean_byte;
    made.push_back(packed);
    made.push_back(binary(layout::contiguous(Shape{3, n}), {{3, n}, {1, 3}, 0}));
    made.push_back(binary(layout::contiguous(Shape{n, 3}), {{n, 3}, {0, 1}, 0}));
    MapKernel shifted = binary(line, line);
    shifted.out.layout.offset = 2;
    made.push_back(shifted);
    MapKernel indexed = binary(line, line);
    indexed.value.iotas = {line};
    indexed.value.code[3] = {Op::iota, DType::u32, {0, -1, -1}};
    made.push_back(indexed);
  }
  return made;
}

/// x * parameter.
Expr scaled(const Strided& x) {
  return {
      x.layout.shape,
      {x},
      {},
      {{7}},
      {{Op::load, x.dtype(), {0, -1, -1}}, {Op::parameter, x.dtype(), {0, -1, -1}}, {Op::mul, x.dtype(), {0, 1, -1}}}};
}

/// (accumulator + y) * parameter; accumulator + y is an extra output where there is a buffer for it.
Expr epilogue(const Strided& y, const BufferPtr& stored) {
  Expr expr{y.layout.shape,
            {y},
            {},
            {{8}},
            {{Op::accumulator, y.dtype(), {-1, -1, -1}},
             {Op::load, y.dtype(), {0, -1, -1}},
             {Op::add, y.dtype(), {0, 1, -1}}}};
  if (stored) {
    expr.operands.push_back({stored, y.storage, y.layout});
    expr.stored = {1};
    expr.code.push_back({Op::store, y.dtype(), {2, 1, -1}});
  }
  const auto parameter = static_cast<int32_t>(expr.code.size());
  expr.code.push_back({Op::parameter, y.dtype(), {0, -1, -1}});
  expr.code.push_back({Op::mul, y.dtype(), {2, parameter, -1}});
  return expr;
}

void add_reductions(std::vector<Kernel>& made, const BufferPtr& x, const BufferPtr& y, const BufferPtr& stored) {
  for (const int64_t n : {5, 64}) {
    const Shape kept{n};
    const Strided out = strided(new_buffer(), layout::contiguous(kept)), added = strided(y, layout::contiguous(kept));
    const Layout rows = layout::contiguous(Shape{n, 40}), columns{{n, 40}, {1, n}, 0};
    const Expr finish = epilogue(added, stored);
    made.push_back(ReduceKernel{scaled(strided(x, rows)), 1, Reduction::sum, layout::ReduceTree::row, finish, out});
    made.push_back(ReduceKernel{scaled(strided(x, rows)), 1, Reduction::max, layout::ReduceTree::row, finish, out});
    made.push_back(
        ReduceKernel{scaled(strided(x, columns)), 1, Reduction::sum, layout::ReduceTree::column, finish, out});
  }
}

void add_products(std::vector<Kernel>& made, const BufferPtr& x, const BufferPtr& y, const BufferPtr& stored) {
  for (const int64_t n : {12, 13}) {
    const Layout square = layout::contiguous(Shape{n, n}), turned{{n, n}, {1, n}, 0},
                 line = layout::contiguous(Shape{n * n});
    const Strided a = strided(x, square), b = strided(y, square), out = strided(new_buffer(), line);
    const Expr finish = epilogue(strided(y, line), stored);
    made.push_back(MatmulKernel{{}, n, n, n, a, b, finish, out});
    made.push_back(MatmulKernel{{}, n, n, n, strided(x, turned), b, finish, out});
    made.push_back(MatmulKernel{{}, n, n, n, b, strided(x, turned), finish, out});
  }
}

void add_attention(std::vector<Kernel>& made) {
  for (const int64_t n : {8, 9})
    for (const bool causal : {false, true})
      for (const bool masked : {false, true})
        for (const bool both : {false, true}) {
          const Layout square = layout::contiguous(Shape{1, n, n}), line = layout::contiguous(Shape{n * n});
          AttentionKernel kernel;
          kernel.rows = kernel.columns = kernel.features = kernel.results = n;
          for (Strided* x : {&kernel.q, &kernel.k, &kernel.v}) *x = strided(new_buffer(), square);
          if (masked) kernel.mask = strided(new_buffer(), square);
          kernel.causal = causal;
          kernel.scale = 9;
          kernel.epilogue = epilogue(strided(new_buffer(), line), nullptr);
          kernel.out = strided(new_buffer(), line);
          if (both) kernel.second = strided(new_buffer(), layout::contiguous(Shape{n}));
          made.push_back(kernel);
        }
}

void add_attention_gradients(std::vector<Kernel>& made) {
  for (const int64_t n : {8, 9})
    for (const bool causal : {false, true})
      for (const bool masked : {false, true})
        for (const int64_t together : {0, 1, 2}) {
          const Layout square = layout::contiguous(Shape{2, n, n}), of_rows = layout::contiguous(Shape{2, n, 1}),
                       line = layout::contiguous(Shape{2 * n * n});
          AttentionGradientKernel kernel;
          kernel.heads = kernel.key_share = kernel.value_share = 2;
          kernel.rows = kernel.columns = kernel.features = kernel.results = n;
          kernel.together = together;
          for (Strided* x : {&kernel.q, &kernel.k, &kernel.v, &kernel.cotangent}) *x = strided(new_buffer(), square);
          if (masked) kernel.mask = strided(new_buffer(), square);
          kernel.logsumexp = strided(new_buffer(), of_rows);
          kernel.delta = strided(new_buffer(), of_rows);
          kernel.causal = causal;
          kernel.scale = 9;
          kernel.out = strided(new_buffer(), line);
          if (together > 0) kernel.second = strided(new_buffer(), line);
          made.push_back(kernel);
        }
}

void add_rows(std::vector<Kernel>& made, const BufferPtr& x, const BufferPtr& y, const BufferPtr& stored) {
  const Layout rows = layout::contiguous(Shape{8, 40});
  for (const RowFormula formula :
       {RowFormula::softmax, RowFormula::log_softmax, RowFormula::standardize, RowFormula::rms}) {
    RowKernel row = row_kernel(formula, strided(x, rows), strided(new_buffer(), rows));
    const auto last = static_cast<int32_t>(row.value.code.size()) - 1;
    row.value.operands.push_back(strided(y, rows));
    row.value.code.push_back({Op::load, DType::f32, {static_cast<int32_t>(row.value.operands.size()) - 1, -1, -1}});
    row.value.code.push_back({Op::add, DType::f32, {last, last + 1, -1}});
    if (stored) {
      row.value.stored.push_back(row.value.operands.size());
      row.value.operands.push_back(strided(stored, rows));
      row.value.code.insert(row.value.code.end() - 1,
                            {Op::store, DType::f32, {last, static_cast<int32_t>(row.value.operands.size()) - 1, -1}});
    }
    made.push_back(std::move(row));
  }
}

void add_indexed(std::vector<Kernel>& made) {
  for (const int64_t n : {8, 64}) {
    const Layout rows = layout::contiguous(Shape{n, 40}), each{{n, 40}, {1, 0}, 0}, line = layout::contiguous(Shape{n});
    const Expr index = lower::load_of(strided(new_buffer(), each, StorageType::i32));
    made.push_back(GatherKernel{index, strided(new_buffer(), {{n, 40}, {0, 1}, 0}), 100, 40,
                                epilogue(strided(new_buffer(), rows), nullptr), strided(new_buffer(), rows), nullptr,
                                each});
    for (const Lookup lookup : {Lookup::lower_bound, Lookup::upper_bound})
      made.push_back(GatherKernel{lower::load_of(strided(new_buffer(), line, StorageType::i32)),
                                  strided(new_buffer(), {{n}, {0}, 0}, StorageType::i32), 100, 1,
                                  lower::accumulator_over({n}, DType::i32),
                                  strided(new_buffer(), line, StorageType::i32), nullptr, line, lookup});
    for (const std::optional<Reduction> combine :
         {std::optional<Reduction>(), std::optional(Reduction::sum), std::optional(Reduction::prod)}) {
      made.push_back(ScatterKernel{lower::load_of(strided(new_buffer(), line, StorageType::i32)),
                                   scaled(strided(new_buffer(), line)),
                                   {{n}, {0}, 0},
                                   50,
                                   1,
                                   combine,
                                   false,
                                   false,
                                   strided(new_buffer(), layout::contiguous({50})),
                                   nullptr,
                                   line});
    }
    for (const int64_t apart : {1, 2})
      made.push_back(ScatterKernel{lower::load_of(strided(new_buffer(), line, StorageType::boolean_byte)),
                                   scaled(strided(new_buffer(), line)),
                                   {{n}, {0}, 0},
                                   5,
                                   1,
                                   {},
                                   true,
                                   true,
                                   strided(new_buffer(), layout::contiguous({5})),
                                   nullptr,
                                   line,
                                   strided(new_buffer(), {{1}, {apart}, 0}, StorageType::i32)});
  }
}

/// All of different structures.
std::vector<Kernel> kernels() {
  std::vector<Kernel> made = maps();
  add_indexed(made);
  add_attention(made);
  add_attention_gradients(made);
  for (const bool stores : {false, true})
    for (const bool shared : {false, true}) {
      const BufferPtr x = new_buffer(), y = shared ? x : new_buffer(), stored = stores ? new_buffer() : nullptr;
      add_reductions(made, x, y, stored);
      add_products(made, x, y, stored);
      add_rows(made, x, y, stored);
    }
  return made;
}

/// The same structure, with other buffers and parameters.
Kernel with_other_buffers(Kernel kernel) {
  std::map<const Buffer*, BufferPtr> others;
  for_each_buffer(kernel, [&](BufferPtr& buffer) {
    BufferPtr& other = others[buffer.get()];
    if (!other) other = new_buffer();
    buffer = other;
  });
  uint32_t next = 4711;
  for_each_parameter(kernel, [&](uint32_t& parameter) { parameter = next++; });
  return kernel;
}

void expect_same(const gl::Dispatch& a, const gl::Dispatch& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.program->key(), b.program->key());
  EXPECT_EQ(a.uniforms, b.uniforms);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.written, b.written);
  EXPECT_EQ(a.groups, b.groups);
  ASSERT_EQ(a.ranges.size(), b.ranges.size());
  for (size_t i = 0; i < a.ranges.size(); ++i) {
    EXPECT_EQ(a.ranges[i].storage.buffer(), b.ranges[i].storage.buffer());
    EXPECT_EQ(a.ranges[i].offset, b.ranges[i].offset);
    EXPECT_EQ(a.ranges[i].size, b.ranges[i].size);
    EXPECT_EQ(a.ranges[i].texels.width, b.ranges[i].texels.width);
  }
}

void expect_same(const lower::Lowered& a, const lower::Lowered& b) {
  ASSERT_EQ(a.steps.size(), b.steps.size());
  std::map<const Buffer*, const Buffer*> temporaries;  // each has its own
  ASSERT_EQ(a.temporaries.size(), b.temporaries.size());
  for (size_t i = 0; i < a.temporaries.size(); ++i) {
    EXPECT_EQ(a.temporaries[i].first, b.temporaries[i].first);
    EXPECT_EQ(a.temporaries[i].last, b.temporaries[i].last);
    temporaries[a.temporaries[i].buffer.get()] = b.temporaries[i].buffer.get();
  }
  if (a.exchange) temporaries[a.exchange.get()] = b.exchange.get();
  if (a.index_flag) temporaries[a.index_flag.get()] = b.index_flag.get();
  if (a.stall_error) temporaries[a.stall_error->flag.get()] = b.stall_error->flag.get();
  for (size_t i = 0; i < a.steps.size(); ++i) {
    ASSERT_EQ(a.steps[i].index(), b.steps[i].index());
    const auto* dispatch = std::get_if<gl::Dispatch>(&a.steps[i]);
    if (dispatch == nullptr) continue;
    gl::Dispatch mine = *dispatch;
    for (gl::Range& range : mine.ranges)
      if (const auto found = temporaries.find(range.storage.buffer()); found != temporaries.end())
        range.storage = found->second;
    expect_same(mine, std::get<gl::Dispatch>(b.steps[i]));
  }
}

TEST(LoweringCache, a_remembered_kernel_is_lowered_as_a_new_one) {
  const lower::Target target = some_target();
  lower::LoweringCache cache(target, &gl::unstored);
  const std::vector<Kernel> all = kernels();
  for (const Kernel& kernel : all) {
    const size_t before = cache.size();
    cache.lower(kernel);
    EXPECT_EQ(cache.size(), before + 1) << describe(kernel);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE("kernel " + std::to_string(i) + ": " + describe(all[i]));
    const Kernel again = with_other_buffers(all[i]);
    expect_same(*cache.lower(again), lower::lower(again, target, &gl::unstored));
  }
  EXPECT_EQ(cache.size(), all.size());
}

TEST(LoweringCache, attention_in_parts_is_remembered_with_its_own_parameters) {
  lower::Target target = some_target();
  target.max_block_bytes = 4096;
  std::vector<Kernel> all;
  add_attention(all);
  add_attention_gradients(all);
  for (Kernel& kernel : all) {
    const auto lengthen = [](auto& family) {
      if constexpr (requires { family.q; }) {
        family.columns = 400;
        for (Strided* x : {&family.k, &family.v}) x->layout = layout::contiguous({family.heads, 400, family.features});
        if (family.mask.buffer) family.mask.layout = layout::contiguous({family.heads, family.rows, 400});
      }
      if constexpr (requires { family.cotangent; })
        if (family.is_of_keys()) family.out.layout = family.second.layout = layout::contiguous({800 * family.features});
    };
    std::visit(lengthen, kernel);
    SCOPED_TRACE(describe(kernel));
    lower::LoweringCache cache(target, &gl::unstored);
    cache.lower(kernel);
    const Kernel again = with_other_buffers(kernel);
    EXPECT_GT(cache.lower(again)->steps.size(), 1U);
    expect_same(*cache.lower(again), lower::lower(again, target, &gl::unstored));
  }
}

TEST(LoweringCache, maps_of_one_structure_take_one_place) {
  const lower::Target target = some_target();
  lower::LoweringCache cache(target, &gl::unstored);
  const Layout line = layout::contiguous(Shape{64});
  const MapKernel kernel = binary(line, line);
  const auto program = [&](const Kernel& x) { return std::get<gl::Dispatch>(cache.lower(x)->steps.at(0)).program; };
  const lower::ProgramPtr first = program(kernel);
  EXPECT_EQ(program(with_other_buffers(kernel)), first) << "lowered again";
  EXPECT_EQ(cache.size(), 1U);
}

/// A row of `fill`, x, `fill`.
MapKernel padded(uint32_t fill) {
  const Layout at{{66}, {1}, -1}, out = layout::contiguous(Shape{66});
  MapKernel kernel{lower::load_of(strided(new_buffer(), at)), strided(new_buffer(), out)};
  kernel.value.iotas = {at};
  kernel.value.piecewise = {{0, {}, {{0, 64}}, fill, {0, 63}}};
  return kernel;
}

TEST(LoweringCache, pads_of_any_fill_but_zero_take_one_place) {
  const lower::Target target = some_target();
  lower::LoweringCache cache(target, &gl::unstored);
  for (const uint32_t fill : {7U, 1U, 0x80000000U, 0xffffffffU}) {
    const Kernel kernel = padded(fill);
    expect_same(*cache.lower(kernel), lower::lower(kernel, target, &gl::unstored));
    EXPECT_EQ(cache.size(), 1U);
  }
  for (int i = 0; i < 2; ++i) {
    const Kernel zeros = padded(0);
    expect_same(*cache.lower(zeros), lower::lower(zeros, target, &gl::unstored));
    EXPECT_EQ(cache.size(), 2U) << "lowering may choose by a fill of 0";
  }
}

TEST(LoweringCache, keeps_no_buffer_alive) {
  const lower::Target target = some_target();
  lower::LoweringCache cache(target, &gl::unstored);
  std::weak_ptr<Buffer> operand;
  {
    const Layout line = layout::contiguous(Shape{64});
    const MapKernel kernel = binary(line, line);
    operand = kernel.value.operands[0].buffer;
    EXPECT_NE(cache.lower(kernel), nullptr);
  }
  EXPECT_TRUE(operand.expired());
}

TEST(LoweringCache, is_bounded) {
  const lower::Target target = some_target();
  lower::LoweringCache cache(target, &gl::unstored);
  for (size_t n = 1; n <= lower::LoweringCache::capacity + 10; ++n) {
    const Layout line = layout::contiguous(Shape{static_cast<int64_t>(n)});
    cache.lower(binary(line, line));
    ASSERT_EQ(cache.size(), std::min(n, lower::LoweringCache::capacity));
  }
}

TEST(LoweringCache, keeps_what_is_used_though_more_structures_pass_than_it_holds) {
  const lower::Target target = some_target();
  lower::LoweringCache cache(target, &gl::unstored);
  const Layout used = layout::contiguous(Shape{3, 5});
  const auto program = [&] {
    return std::get<lower::Dispatch>(cache.lower(binary(used, used))->steps.front()).program;
  };
  const lower::ProgramPtr first = program();
  for (size_t n = 1; n <= 2 * lower::LoweringCache::capacity; ++n) {
    const Layout passing = layout::contiguous(Shape{static_cast<int64_t>(n)});
    cache.lower(binary(passing, passing));
    if (n % 1000 == 0) {
      EXPECT_EQ(program(), first);
    }
  }
}

TEST(LoweringCache, remembers_what_took_several_dispatches) {
  const lower::Target target = some_target();
  lower::LoweringCache cache(target, &gl::unstored);
  const Layout line = layout::contiguous(Shape{int64_t{1} << 20});  // 4 MiB, by windows of 1 MiB
  EXPECT_GT(cache.lower(binary(line, line))->steps.size(), 1U);
  EXPECT_EQ(cache.size(), 1U);
}

}  // namespace
}  // namespace eglantine::test
