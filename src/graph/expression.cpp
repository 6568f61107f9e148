#include "graph/expression.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "graph/op_info.hpp"
#include "layout/collapse.hpp"
#include "layout/layout.hpp"

namespace eglantine {

int ExpressionBuilder::add(Op op, DType dtype, const std::array<int32_t, 3>& args) {
  for (size_t i = 0; i < expr_.code.size(); ++i) {
    const Instruction& same = expr_.code[i];
    if (same.op == op && same.dtype == dtype && same.args == args) return static_cast<int>(i);
  }
  expr_.code.push_back({op, dtype, args});
  return static_cast<int>(expr_.code.size()) - 1;
}

int ExpressionBuilder::load(Strided operand) { return load(std::move(operand), PiecewiseRead{}); }

int ExpressionBuilder::load(Strided operand, PiecewiseRead read) {
  const DType dtype = operand.dtype();
  return add(Op::load, dtype, {static_cast<int32_t>(place_of(std::move(operand), std::move(read))), -1, -1});
}

int ExpressionBuilder::load_at(Strided operand, const layout::Reach& computed, int index) {
  const DType dtype = operand.dtype();
  const layout::Reach start = layout::reach(operand.layout);
  PiecewiseRead read;
  read.within = {start.first + computed.first, start.last + computed.last};
  read.computed = computed;
  return add(Op::load_at, dtype, {static_cast<int32_t>(place_of(std::move(operand), std::move(read))), index, -1});
}

size_t ExpressionBuilder::place_of(Strided operand, PiecewiseRead read) {
  const bool plain = read.jumps.empty() && read.bounds.empty() && !read.computed;
  size_t place = 0;
  const auto same = [&](const Strided& known) {
    const PiecewiseRead* other = expr_.piecewise_of(place);
    const bool as_is = other == nullptr ? plain
                                        : other->jumps == read.jumps && other->bounds == read.bounds &&
                                              other->otherwise == read.otherwise && other->computed == read.computed;
    return as_is && known.buffer == operand.buffer && known.storage == operand.storage &&
           layout::same(known.layout, operand.layout);
  };
  while (place < expr_.operands.size() && !same(expr_.operands[place])) ++place;
  if (place == expr_.operands.size()) {
    expr_.operands.push_back(std::move(operand));
    read.operand = place;
    if (!plain) expr_.piecewise.push_back(std::move(read));
  }
  return place;
}

int ExpressionBuilder::parameter(DType dtype, Parameter parameter) {
  // Equal values stay apart: whether two scalars happen to be equal must not make another program.
  expr_.parameters.push_back(parameter);
  return add(Op::parameter, dtype, {static_cast<int32_t>(expr_.parameters.size()) - 1, -1, -1});
}

int ExpressionBuilder::iota(const Layout& at) { return coordinate_value(coordinate(at)); }

int32_t ExpressionBuilder::coordinate(const Layout& at) {
  const auto known =
      std::find_if(expr_.iotas.begin(), expr_.iotas.end(), [&](const Layout& iota) { return layout::same(iota, at); });
  const auto number = static_cast<int32_t>(known - expr_.iotas.begin());
  if (known == expr_.iotas.end()) expr_.iotas.push_back(at);
  return number;
}

int ExpressionBuilder::coordinate_value(int32_t coordinate) { return add(Op::iota, DType::u32, {coordinate, -1, -1}); }

int ExpressionBuilder::accumulator(DType dtype) { return add(Op::accumulator, dtype, {-1, -1, -1}); }

int ExpressionBuilder::operation(Op op, DType dtype, const std::array<int32_t, 3>& args) {
  return add(op, dtype, args);
}

namespace {

/// Whether op of narrow numbers gives a narrow number that needs no rounding.
bool stays_narrow(Op op, DType dtype) {
  constexpr std::array of_any{Op::copy, Op::where, Op::maximum, Op::minimum, Op::fmax,
                              Op::fmin, Op::relu,  Op::sign,    Op::clip};
  constexpr std::array of_floats{Op::neg, Op::abs, Op::copysign, Op::floor, Op::ceil, Op::round, Op::trunc};
  constexpr std::array of_integers{Op::bit_and, Op::bit_or, Op::bit_xor, Op::shift_right};
  const auto has = [op](const auto& ops) { return std::find(ops.begin(), ops.end(), op) != ops.end(); };
  return has(of_any) || (is_float(dtype) ? has(of_floats) : has(of_integers));
}

/// What an operation's result goes through to be a narrow number.
Op narrowing_of(DType dtype) {
  if (dtype == DType::f16) return Op::round_f16;
  if (dtype == DType::bf16) return Op::round_bf16;
  return dtype == DType::i8 ? Op::wrap_i8 : Op::wrap_u8;
}

/// The form of a function that is near enough for results of 16 bits.
Op near_form(Op op) {
  constexpr std::array<std::pair<Op, Op>, 11> forms{{{Op::exp, Op::exp_near},
                                                     {Op::expm1, Op::expm1_near},
                                                     {Op::log, Op::log_near},
                                                     {Op::log2, Op::log2_near},
                                                     {Op::log10, Op::log10_near},
                                                     {Op::log1p, Op::log1p_near},
                                                     {Op::tanh, Op::tanh_near},
                                                     {Op::sigmoid, Op::sigmoid_near},
                                                     {Op::softplus, Op::softplus_near},
                                                     {Op::sin, Op::sin_near},
                                                     {Op::cos, Op::cos_near}}};
  const auto* form = std::ranges::find(forms, op, &std::pair<Op, Op>::first);
  return form == forms.end() ? op : form->second;
}

}  // namespace

int ExpressionBuilder::elementwise(Op op, DType from, DType to, const std::array<int32_t, 3>& args) {
  if (op == Op::cast) return cast(from, to, args[0]);
  if (op == Op::copy && is_narrow(to)) return args[0];
  const int value = add(is_narrow(to) ? near_form(op) : op, computed_type(to), args);
  return is_narrow(to) && !stays_narrow(op, to) ? add(narrowing_of(to), computed_type(to), {value, -1, -1}) : value;
}

int ExpressionBuilder::cast(DType from, DType to, int value) {
  const DType computed = computed_type(to);
  if (computed_type(from) != computed) value = add(Op::cast, computed, {value, -1, -1});
  const bool is_exact = from == DType::boolean || (is_float(to) && (from == DType::i8 || from == DType::u8));
  if (!is_narrow(to) || is_exact) return value;
  const Op saturating = to == DType::i8 ? Op::saturate_i8 : Op::saturate_u8;
  return add(is_float(from) && is_integer(to) ? saturating : narrowing_of(to), computed, {value, -1, -1});
}

bool takes_many_steps(const Expr& expr, const Instruction& step) {
  if (step.op == Op::custom) return true;
  if (step.op >= Op::cast) return false;
  int32_t argument = 0;
  for_each_argument(expr, step, [&](int32_t x) { argument = x; });
  return has_many_steps(step.op, expr.code[static_cast<size_t>(argument)].dtype);
}

void drop_last_rounding(Expr& expr, StorageType stored) {
  if (!is_narrow(stored) || stored == StorageType::boolean_byte) return;
  const auto last = static_cast<int32_t>(expr.code.size()) - 1;
  if (expr.code.back().op == narrowing_of(dtype_of(stored)) && expr.code.back().args[0] == last - 1)
    expr.code.pop_back();
}

int ExpressionBuilder::fold(Reduction reduction, DType dtype, int value) {
  return add(Op::fold, dtype, {value, static_cast<int32_t>(reduction), -1});
}

int ExpressionBuilder::custom(const ElementwiseOpPtr& op, std::vector<int32_t> args) {
  for (size_t i = 0; i < expr_.calls.size(); ++i)
    if (expr_.calls[i].op == op && expr_.calls[i].args == args)
      return add(Op::custom, DType::f32, {static_cast<int32_t>(i), -1, -1});
  expr_.calls.push_back({op, std::move(args)});
  return add(Op::custom, DType::f32, {static_cast<int32_t>(expr_.calls.size()) - 1, -1, -1});
}

void ExpressionBuilder::end_with(int value) {
  if (value + 1 == static_cast<int>(expr_.code.size())) return;
  expr_.code.push_back({Op::copy, expr_.code[static_cast<size_t>(value)].dtype, {value, -1, -1}});
}

void ExpressionBuilder::store(int value, const Strided& out) {
  const size_t operand = expr_.operands.size();
  expr_.operands.push_back(out);
  expr_.stored.push_back(operand);
  expr_.code.push_back({Op::store, out.dtype(), {value, static_cast<int32_t>(operand), -1}});
}

namespace {

/// The layouts of several expressions and outputs over one domain, collapsed together.
class Joint {
 public:
  Joint& add(Layout& x) {
    places_.push_back(&x);
    return *this;
  }
  Joint& add(Expr& expr) {
    for (Strided& operand : expr.operands) add(operand.layout);
    for (Layout& iota : expr.iotas) add(iota);
    domains_.push_back(&expr.domain);
    return *this;
  }

  std::vector<int> collapse(const std::vector<int>& barriers = {}) {
    std::vector<Layout> layouts;
    for (const Layout* place : places_) layouts.push_back(*place);
    layouts.push_back(layout::contiguous(*domains_.front()));
    std::vector<int> starts = layout::collapse(layouts, barriers);
    for (size_t i = 0; i < places_.size(); ++i) *places_[i] = layouts[i];
    for (Shape* domain : domains_) *domain = layouts.back().shape;
    return starts;
  }

 private:
  std::vector<Layout*> places_;
  std::vector<Shape*> domains_;
};

struct Collapsed {
  Layout last;
  std::vector<int> starts;
};

/// Collapses an expression together with one more layout over its domain: an output's, or row-major order.
Collapsed collapse_with(Expr& expr, const Layout& last, const std::vector<int>& barriers = {}) {
  std::vector<Layout> layouts;
  for (const Strided& operand : expr.operands) layouts.push_back(operand.layout);
  layouts.insert(layouts.end(), expr.iotas.begin(), expr.iotas.end());
  layouts.push_back(last);
  std::vector<int> starts = layout::collapse(layouts, barriers);
  size_t next = 0;
  for (Strided& operand : expr.operands) operand.layout = layouts[next++];
  for (Layout& iota : expr.iotas) iota = layouts[next++];
  expr.domain = layouts.back().shape;
  return {layouts.back(), std::move(starts)};
}

}  // namespace

void collapse(MapKernel& kernel) { kernel.out.layout = collapse_with(kernel.value, kernel.out.layout).last; }

void collapse(ReduceKernel& kernel) {
  kernel.kept_rank =
      collapse_with(kernel.prologue, layout::contiguous(kernel.prologue.domain), {kernel.kept_rank}).starts.front();
  kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last;
}

void collapse(MatmulKernel& kernel) { kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last; }

void collapse(FewColumnsKernel& kernel) {
  Joint all;
  all.add(kernel.prologue).add(kernel.vectors.layout);
  const std::vector<int> starts = all.collapse({kernel.batch_rank, kernel.kept_rank});
  kernel.batch_rank = starts[0];
  kernel.kept_rank = starts[1];
  kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last;
}

void collapse(ContractionKernel& kernel) {
  const auto collapse_side = [](Expr& side, int& kept) {
    Joint all;
    all.add(side);
    kept = all.collapse({kept}).front();
  };
  collapse_side(kernel.left, kernel.left_kept);
  collapse_side(kernel.right, kernel.right_kept);
  kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last;
}

void collapse(ScanKernel& kernel) {
  Joint all;
  all.add(kernel.prologue).add(kernel.epilogue).add(kernel.out.layout);
  kernel.kept_rank = all.collapse({kernel.kept_rank}).front();
}

void collapse(RowKernel& kernel) {
  Joint all;
  all.add(kernel.value).add(kernel.out.layout);
  kernel.kept_rank = all.collapse({kernel.kept_rank}).front();
}

void collapse(SortKernel& kernel) {
  Joint all;
  all.add(kernel.keys);
  if (kernel.payload) all.add(*kernel.payload);
  kernel.kept_rank = all.collapse({kernel.kept_rank}).front();
  Joint results;
  results.add(kernel.epilogue).add(kernel.out.layout);
  if (kernel.second.buffer) results.add(kernel.second.layout);
  results.collapse();
}

void collapse(GatherKernel& kernel) {
  Joint all;
  all.add(kernel.index).add(kernel.source.layout).add(kernel.epilogue).add(kernel.out.layout).add(kernel.place);
  all.collapse();
}

void collapse(ScatterKernel& kernel) {
  Joint all;
  all.add(kernel.index).add(kernel.updates).add(kernel.target).add(kernel.place);
  all.collapse();
}

namespace {

/// Merges an operand's axes before its last two.
void collapse_leading(Strided& x) {
  Layout& at = x.layout;
  const size_t leading = at.strides.size() - 2;
  std::vector<Layout> joint{{Shape(at.shape.begin(), at.shape.end() - 2), {at.strides.begin(), at.strides.end() - 2}}};
  layout::collapse(joint);
  for (size_t i = leading; i < leading + 2; ++i) {
    joint[0].shape.push_back(at.shape[static_cast<int>(i)]);
    joint[0].strides.push_back(at.strides[i]);
  }
  joint[0].offset += at.offset;
  at = joint[0];
}

}  // namespace

void collapse(AttentionKernel& kernel) {
  for (Strided* x : {&kernel.q, &kernel.k, &kernel.v, &kernel.mask})
    if (x->buffer) collapse_leading(*x);
  kernel.out.layout = collapse_with(kernel.epilogue, kernel.out.layout).last;
}

void collapse(AttentionGradientKernel& kernel) {
  for (Strided* x :
       {&kernel.q, &kernel.k, &kernel.v, &kernel.mask, &kernel.cotangent, &kernel.logsumexp, &kernel.delta})
    if (x->buffer) collapse_leading(*x);
}

namespace {

/// Counts what kernels bind: an operand each, but reads of a buffer that one binding covers share one, or two where
/// some of them are by vectors.
class BindingCount {
 public:
  explicit BindingCount(int64_t covered_bytes) : covered_bytes_(covered_bytes) {}

  int64_t count(const Expr& expr) const {
    std::map<const Buffer*, layout::Reach> reached;
    for (size_t i = 0; i < expr.operands.size(); ++i) include(reached, expr, i);
    std::map<const Buffer*, int64_t> readers;
    int64_t count = 0;
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      const Strided& operand = expr.operands[i];
      const Buffer* buffer = operand.buffer.get();
      const bool shares = !expr.stores(i) && reached.at(buffer).count() * bytes_of(operand.storage) <= covered_bytes_;
      if (!shares || ++readers[buffer] <= 2) ++count;
    }
    return count;
  }

  // Buffers of a kernel's own beside its operands and output: partial results, packed keys, winners, error flags.
  int64_t bindings(const MapKernel& map) const { return count(map.value) + 1; }
  int64_t bindings(const MatmulKernel& matmul) const { return count(matmul.epilogue) + 3; }
  int64_t bindings(const AttentionKernel& attention) const {
    return count(attention.epilogue) + 4 + (attention.mask.buffer ? 1 : 0) + (attention.second.buffer ? 1 : 0);
  }
  int64_t bindings(const AttentionGradientKernel& gradient) const {
    return 7 + (gradient.mask.buffer ? 1 : 0) + (gradient.second.buffer ? 1 : 0);
  }
  int64_t bindings(const FewColumnsKernel& product) const {
    return count(product.prologue) + count(product.epilogue) + 2;
  }
  int64_t bindings(const ContractionKernel& product) const {
    return count(product.left) + count(product.right) + count(product.epilogue) + 1;
  }
  int64_t bindings(const ReduceKernel& reduce) const {
    const int64_t partials = is_arg(reduce.reduction) ? 2 : 1;
    // A single pass over several levels binds both expressions, and the partials between them.
    return count(reduce.prologue) + count(reduce.epilogue) + partials + 1;
  }
  int64_t bindings(const ScanKernel& scan) const { return count(scan.prologue) + count(scan.epilogue) + 2; }
  int64_t bindings(const SortKernel& sort) const {
    const int64_t outputs = sort.second.buffer ? 2 : 1, payload = sort.payload ? count(*sort.payload) : 0;
    // The first pass reads the expressions, the last one has the results; both have counts and records beside them.
    return std::max(count(sort.keys) + payload, count(sort.epilogue) + outputs) + 2;
  }
  int64_t bindings(const GatherKernel& gather) const { return count(gather.index) + count(gather.epilogue) + 3; }
  int64_t bindings(const ScatterKernel& scatter) const {
    // The flag of a check, or a compaction's ends.
    return count(scatter.index) + count(scatter.updates) + 2;
  }
  int64_t bindings(const RowKernel& row) const { return count(row.value) + 1; }
  int64_t bindings(const TileKernel& tile) const { return count(tile.prologue) + count(tile.epilogue) + 1; }

 private:
  static void include(std::map<const Buffer*, layout::Reach>& reached, const Expr& expr, size_t operand) {
    const Strided& x = expr.operands[operand];
    const PiecewiseRead* read = expr.piecewise_of(operand);
    const layout::Reach here = read != nullptr ? read->within : layout::reach(x.layout);
    const auto [known, fresh] = reached.emplace(x.buffer.get(), here);
    layout::Reach& all = known->second;
    if (!fresh) all = {std::min(all.first, here.first), std::max(all.last, here.last)};
  }

  int64_t covered_bytes_;
};

}  // namespace

int64_t bindings_of(const Kernel& kernel, int64_t covered_bytes) {
  const BindingCount counted(covered_bytes);
  return std::visit([&](const auto& family) { return counted.bindings(family); }, kernel);
}

}  // namespace eglantine
