#include "lower/lowering_cache.hpp"

#include <algorithm>

#include "graph/kernel/parts.hpp"
#include "lower/copies.hpp"

namespace eglantine::lower {
namespace {

/// Writes everything but buffers and parameters; of a fill whether it is 0. Lengths come before lists (a layout's are
/// its domain's), so that different kernels write different words. Buffers are numbered in order of first use.
class StructureWriter {
 public:
  StructureWriter(std::vector<int64_t>& words, std::vector<const Buffer*>& buffers) : words_(words), buffers_(buffers) {
    words_.clear();
    buffers_.clear();
  }

  void write(const MapKernel& map) {
    write(map.value);
    write(map.out);
  }
  void write(const ReduceKernel& reduce) {
    has_custom_ = reduce.custom != nullptr;
    for (int64_t word :
         {int64_t{reduce.kept_rank}, static_cast<int64_t>(reduce.reduction), static_cast<int64_t>(reduce.tree)})
      words_.push_back(word);
    write(reduce.prologue);
    write(reduce.epilogue);
    write(reduce.out);
  }
  void write(const MatmulKernel& matmul) {
    write(matmul.batch);
    for (int64_t length : {matmul.m, matmul.n, matmul.k}) words_.push_back(length);
    write(matmul.a);
    write(matmul.b);
    write(matmul.epilogue);
    write(matmul.out);
  }
  void write(const FewColumnsKernel& product) {
    words_.push_back(int64_t{product.batch_rank} << 5 | int64_t{product.kept_rank} << 1 |
                     int64_t{product.columns_first});
    write(product.prologue);
    write(product.vectors);
    write(product.columns.shape);
    write(product.columns);
    write(product.epilogue);
    write(product.out);
  }
  void write(const ContractionKernel& product) {
    for (int64_t word : {product.batches, product.rows, product.columns, product.length,
                         int64_t{product.left_kept} << 4 | int64_t{product.right_kept}})
      words_.push_back(word);
    write(product.left);
    write(product.right);
    write(product.epilogue);
    write(product.out);
  }
  void write(const AttentionKernel& attention) {
    const bool mask = attention.mask.buffer != nullptr, second = attention.second.buffer != nullptr;
    for (int64_t word : {attention.heads, attention.rows, attention.columns, attention.features, attention.results,
                         attention.key_share, attention.value_share,
                         int64_t{attention.causal} << 2 | int64_t{mask} << 1 | int64_t{second}})
      words_.push_back(word);
    for (const Strided* x : {&attention.q, &attention.k, &attention.v, &attention.mask}) {
      if (!x->buffer) continue;
      write(x->layout.shape);
      write(*x);
    }
    write(attention.epilogue);
    write(attention.out);
    if (second) write(attention.second);
  }
  void write(const AttentionGradientKernel& gradient) {
    const bool mask = gradient.mask.buffer != nullptr;
    for (int64_t word : {gradient.heads, gradient.rows, gradient.columns, gradient.features, gradient.results,
                         gradient.key_share, gradient.value_share, gradient.together,
                         int64_t{gradient.is_of_all()} << 2 | int64_t{gradient.causal} << 1 | int64_t{mask}})
      words_.push_back(word);
    for (const Strided* x : {&gradient.q, &gradient.k, &gradient.v, &gradient.mask, &gradient.cotangent,
                             &gradient.logsumexp, &gradient.delta}) {
      if (!x->buffer) continue;
      write(x->layout.shape);
      write(*x);
    }
    write(gradient.out.layout.shape);
    write(gradient.out);
    if (gradient.is_of_keys()) write(gradient.second);
    if (gradient.is_of_all()) write(gradient.third);
  }
  void write(const ScanKernel& scan) {
    has_custom_ = scan.custom != nullptr;
    for (int64_t word : {int64_t{scan.kept_rank}, static_cast<int64_t>(scan.reduction), int64_t{scan.exclusive}})
      words_.push_back(word);
    write(scan.prologue);
    write(scan.epilogue);
    write(scan.out);
  }
  void write(const SortKernel& sort) {
    const bool payload = sort.payload.has_value(), second = sort.second.buffer != nullptr;
    words_.push_back(int64_t{sort.kept_rank} << 4 | int64_t{sort.descending} << 3 | int64_t{sort.places} << 2 |
                     int64_t{payload} << 1 | int64_t{second});
    words_.push_back(sort.keep);
    words_.push_back(sort.read.rank());
    words_.insert(words_.end(), sort.read.begin(), sort.read.end());
    write(sort.keys);
    if (payload) write(*sort.payload);
    write(sort.epilogue);
    write(sort.out);
    if (second) write(sort.second);
  }
  void write(const TileKernel& tile) {
    has_custom_ = tile.custom != nullptr;
    words_.push_back(static_cast<int64_t>(tile.reduction));
    write(tile.tile);
    write(tile.prologue);
    write(tile.epilogue);
    write(tile.out);
  }
  void write(const GatherKernel& gather) {
    write(gather.index);
    write(gather.source);
    words_.insert(words_.end(), {gather.length, gather.stride, static_cast<int64_t>(gather.lookup)});
    write(gather.epilogue);
    write(gather.out);
    write(gather.place);
  }
  void write(const ScatterKernel& scatter) {
    const int64_t combine = scatter.combine ? static_cast<int64_t>(*scatter.combine) : -1;
    words_.push_back(combine << 3 | int64_t{scatter.is_compaction()} << 2 | int64_t{scatter.distinct} << 1 |
                     int64_t{scatter.partial});
    write(scatter.index);
    write(scatter.updates);
    write(scatter.target);
    words_.insert(words_.end(), {scatter.length, scatter.stride});
    write(scatter.out.layout.shape);
    write(scatter.out);
    write(scatter.place);
    if (!scatter.is_compaction()) return;
    write(scatter.ends.layout.shape);
    write(scatter.ends);
    write(scatter.coordinates);
  }
  void write(const RowKernel& row) {
    words_.push_back(int64_t{row.kept_rank} << 3 | int64_t{row.gathered.has_value()} << 2 | int64_t{row.across} << 1 |
                     int64_t{row.strided});
    write(row.value);
    write(row.out);
    if (row.gathered) write(*row.gathered);
  }

  /// Custom operations differ by their text, which is not written.
  bool has_custom() const { return has_custom_; }

 private:
  void write(const Shape& shape) {
    words_.push_back(shape.rank());
    words_.insert(words_.end(), shape.begin(), shape.end());
  }
  void write(const Layout& x) {
    words_.insert(words_.end(), x.strides.begin(), x.strides.end());
    words_.push_back(x.offset);
  }
  void write(const Strided& x) {
    words_.push_back(static_cast<int64_t>(x.whole) << 40 | static_cast<int64_t>(x.storage) << 32 |
                     number_of(x.buffer.get()));
    write(x.layout);
  }
  void write(const Expr& expr) {
    has_custom_ = has_custom_ || !expr.calls.empty();
    write(expr.domain);
    write(expr.operands.size(), expr.iotas.size());
    write(expr.parameters.size(), expr.code.size());
    for (const Strided& operand : expr.operands) write(operand);
    for (const Layout& iota : expr.iotas) write(iota);
    write(expr.piecewise.size(), 0);
    for (const PiecewiseRead& read : expr.piecewise) write(read);
    for (const Instruction& step : expr.code) {
      words_.push_back(static_cast<int64_t>(step.op) << 40 | static_cast<int64_t>(step.dtype) << 32 |
                       static_cast<uint32_t>(step.args[0]));
      words_.push_back(static_cast<int64_t>(step.args[1]) << 32 | static_cast<uint32_t>(step.args[2]));
    }
  }
  void write(const PiecewiseRead& read) {
    write(read.jumps.size(), read.bounds.size());
    for (const PiecewiseRead::Jump& jump : read.jumps)
      words_.insert(words_.end(), {int64_t{jump.iota}, jump.from, jump.add, jump.times});
    for (const PiecewiseRead::Bound& bound : read.bounds)
      words_.insert(words_.end(), {int64_t{bound.iota}, bound.count});
    words_.insert(words_.end(), {static_cast<int64_t>(read.operand), int64_t{read.otherwise != 0}, read.within.first,
                                 read.within.last, int64_t{read.computed.has_value()}});
    if (read.computed) words_.insert(words_.end(), {read.computed->first, read.computed->last});
  }
  void write(size_t count, size_t other_count) {
    words_.push_back(static_cast<int64_t>(count) << 32 | static_cast<int64_t>(other_count));
  }
  int64_t number_of(const Buffer* buffer) {
    const auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
    const int64_t number = found - buffers_.begin();
    if (found == buffers_.end()) buffers_.push_back(buffer);
    return number;
  }

  std::vector<int64_t>& words_;
  std::vector<const Buffer*>& buffers_;
  bool has_custom_ = false;
};

/// The kernel with its parameters numbered from 1 on, which marks them in the uniforms of its steps; lowering's own
/// parameters are 0, or no parameters of a step (Parameter::of_lowering).
Kernel numbered(const Kernel& kernel) {
  Kernel result = kernel;
  uint32_t next = 1;
  for_each_parameter(result, [&](uint32_t& parameter) { parameter = next++; });
  return result;
}

}  // namespace

bool LoweringCache::is_cacheable(const Kernel& kernel) {
  StructureWriter writer(key_, buffers_);
  key_.push_back(static_cast<int64_t>(kernel.index()));
  const auto* gather = std::get_if<GatherKernel>(&kernel);
  if (gather != nullptr && gathers_rows(target_, *gather)) return false;  // the step has the kernel
  std::visit([&](const auto& family) { writer.write(family); }, kernel);
  return !writer.has_custom();
}

const Lowered* LoweringCache::lower(const Kernel& kernel) {
  if (!is_cacheable(kernel)) return nullptr;
  Entry* entry = entries_.use(key_);
  if (entry == nullptr) {
    if (entries_.size() >= capacity) entries_.drop_oldest();
    entry = &entries_.add(key_, made(kernel));
  }
  rebind(*entry, kernel);
  return &entry->lowered;
}

LoweringCache::Entry LoweringCache::made(const Kernel& kernel) const {
  Entry entry{lower::lower(numbered(kernel), target_, make_buffer_), {}, {}};
  const auto note_buffer = [&](size_t step, size_t range, const Buffer* buffer) {
    const auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
    if (found != buffers_.end()) entry.buffers.push_back({step, range, static_cast<size_t>(found - buffers_.begin())});
  };
  for (size_t step = 0; step < entry.lowered.steps.size(); ++step) {
    if (const auto* copy = std::get_if<Copy>(&entry.lowered.steps[step])) {
      note_buffer(step, 0, copy->from);
      note_buffer(step, 1, copy->to);
    }
    const auto* dispatch = std::get_if<Dispatch>(&entry.lowered.steps[step]);
    if (dispatch == nullptr) continue;
    for (size_t i = 0; i < dispatch->ranges.size(); ++i) note_buffer(step, i, dispatch->ranges[i].storage.buffer());
    for (int slot : dispatch->parameters) {
      const uint32_t number = dispatch->uniforms[static_cast<size_t>(slot)];
      if (number > 0) entry.parameters.push_back({step, static_cast<size_t>(slot), number - 1});
    }
  }
  return entry;
}

void LoweringCache::rebind(Entry& entry, const Kernel& kernel) {
  for (const BufferSlot& slot : entry.buffers) {
    Step& step = entry.lowered.steps[slot.step];
    const Buffer* buffer = buffers_[slot.buffer];
    if (auto* copy = std::get_if<Copy>(&step))
      (slot.range == 0 ? copy->from : copy->to) = buffer;
    else
      std::get<Dispatch>(step).ranges[slot.range].storage = buffer;
  }
  if (entry.parameters.empty()) return;
  parameters_.clear();
  for_each_parameter(kernel, [&](uint32_t parameter) { parameters_.push_back(parameter); });
  for (const ParameterSlot& slot : entry.parameters)
    std::get<Dispatch>(entry.lowered.steps[slot.step]).uniforms[slot.uniform] = parameters_[slot.parameter];
}

}  // namespace eglantine::lower
