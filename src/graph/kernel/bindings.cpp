#include <algorithm>
#include <map>
#include <utility>

#include "graph/kernel/expression.hpp"
#include "graph/op/op_info.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// Counts what kernels bind: an operand each, but those that read a buffer that one binding covers share one, or two
/// where some of them are by vectors, and so do those that write it.
class BindingCount {
  /// A buffer, and whether it is written.
  using Use = std::pair<const Buffer*, bool>;

 public:
  explicit BindingCount(int64_t covered_bytes) : covered_bytes_(covered_bytes) {}

  /// out: what the expression's value is written to, where what it stores may share its binding.
  int64_t count(const Expr& expr, const Strided* out = nullptr) const {
    std::map<Use, layout::Reach> reached;
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      const PiecewiseRead* read = expr.piecewise_of(i);
      const Strided& x = expr.operands[i];
      include(reached[{x.buffer.get(), expr.stores(i)}], read != nullptr ? read->within : layout::reach(x.layout));
    }
    if (out != nullptr) include(reached[{out->buffer.get(), true}], layout::reach(out->layout));
    std::map<Use, int64_t> users;
    int64_t count = 0;
    const auto bind = [&](const Strided& x, bool written) {
      const Use use{x.buffer.get(), written};
      const bool shares = reached.at(use).count() * bytes_of(x.storage) <= covered_bytes_;
      if (!shares || ++users[use] <= 2) ++count;
    };
    for (size_t i = 0; i < expr.operands.size(); ++i) bind(expr.operands[i], expr.stores(i));
    if (out != nullptr) bind(*out, true);
    return count;
  }

  // Buffers of a kernel's own beside its operands and output: partial results, packed keys, winners, error flags.
  int64_t bindings(const MapKernel& map) const { return count(map.value, &map.out); }
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
  int64_t bindings(const RowKernel& row) const { return count(row.value) + (row.gathered ? 2 : 1); }
  int64_t bindings(const TileKernel& tile) const { return count(tile.prologue) + count(tile.epilogue) + 1; }

 private:
  static void include(layout::Reach& all, const layout::Reach& here) {
    all = all.count() == 0 ? here : layout::Reach{std::min(all.first, here.first), std::max(all.last, here.last)};
  }

  int64_t covered_bytes_;
};

}  // namespace

int64_t bindings_of(const Kernel& kernel, int64_t covered_bytes) {
  const BindingCount counted(covered_bytes);
  return std::visit([&](const auto& family) { return counted.bindings(family); }, kernel);
}

}  // namespace eglantine
