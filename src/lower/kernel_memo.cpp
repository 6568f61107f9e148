#include "lower/kernel_memo.hpp"

#include <algorithm>

#include "graph/kernel_cost.hpp"
#include "graph/kernel_parts.hpp"
#include "lower/only_dispatch.hpp"

namespace eglantine::gl {
namespace {

/// Writes everything but buffers and parameters. Lists come after their lengths, so different kernels never read the
/// same; the lengths of a layout are those of a domain. Buffers go by number, in the order in which they are met.
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
    has_own_ = reduce.own != nullptr;
    for (int64_t word :
         {int64_t{reduce.kept_rank}, static_cast<int64_t>(reduce.reduction), static_cast<int64_t>(reduce.tree)})
      words_.push_back(word);
    write(reduce.producer);
    write(reduce.consumer);
    write(reduce.out);
  }
  void write(const MatmulKernel& matmul) {
    write(matmul.batch);
    for (int64_t length : {matmul.m, matmul.n, matmul.k}) words_.push_back(length);
    write(matmul.a);
    write(matmul.b);
    write(matmul.consumer);
    write(matmul.out);
  }
  void write(const RowKernel& row) {
    words_.push_back(int64_t{row.kept_rank} << 1 | int64_t{row.across});
    words_.push_back(static_cast<int64_t>(row.op));
    write(row.producer);
    write(row.consumer);
    write(row.out);
  }

  /// Users' operations are told apart by their text, which is not written.
  bool has_own() const { return has_own_; }

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
    words_.push_back(element_bytes(x) << 40 | static_cast<int64_t>(x.dtype) << 32 | number_of(x.buffer.get()));
    write(x.layout);
  }
  void write(const Expr& expr) {
    has_own_ = has_own_ || !expr.calls.empty();
    write(expr.domain);
    write(expr.operands.size(), expr.indices.size());
    write(expr.parameters.size(), expr.code.size());
    for (const Strided& operand : expr.operands) write(operand);
    for (const Layout& index : expr.indices) write(index);
    for (const Instruction& step : expr.code) {
      words_.push_back(static_cast<int64_t>(step.op) << 40 | static_cast<int64_t>(step.dtype) << 32 |
                       static_cast<uint32_t>(step.args[0]));
      words_.push_back(static_cast<int64_t>(step.args[1]) << 32 | static_cast<uint32_t>(step.args[2]));
    }
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
  bool has_own_ = false;
};

/// The uniforms of a dispatch hold the parameters of the kernel's expressions one after another.
template <class Visit>
void for_each_parameter(const Kernel& kernel, Visit visit) {
  size_t next = 0;
  for_each_expression(kernel, [&](const Expr& expr) {
    for (uint32_t parameter : expr.parameters) visit(next++, parameter);
  });
}

bool holds_parameters(const Dispatch& dispatch, const Kernel& kernel) {
  size_t count = 0;
  bool same = true;
  for_each_parameter(kernel, [&](size_t i, uint32_t parameter) {
    ++count;
    same = same && i < dispatch.parameters.size() &&
           dispatch.uniforms[static_cast<size_t>(dispatch.parameters[i])] == parameter;
  });
  return same && count == dispatch.parameters.size();
}

// Larger kernels do not feel what their planning costs, and should one turn out to be slow, the launcher wants its text
// again, which the memo does not keep.
constexpr double most_remembered = 1 << 24;

}  // namespace

size_t KernelMemo::Hash::operator()(const Structure& structure) const {
  uint64_t hash = structure.size();
  for (const int64_t word : structure) {
    hash = (hash ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

bool KernelMemo::asks_for(const Kernel& kernel) {
  if (work_of(kernel) > most_remembered) return false;
  StructureWriter writer(asked_, buffers_);
  asked_.push_back(static_cast<int64_t>(kernel.index()));
  return std::visit(
      [&](const auto& family) {
        if constexpr (requires { writer.write(family); }) return writer.write(family), !writer.has_own();
        return false;
      },
      kernel);
}

const Dispatch* KernelMemo::find(const Kernel& kernel) {
  const auto found = known_.find(asked_);
  if (found == known_.end()) return nullptr;
  Dispatch& dispatch = found->second.dispatch;
  for (size_t i = 0; i < dispatch.ranges.size(); ++i) dispatch.ranges[i].storage = buffers_[found->second.buffers[i]];
  for_each_parameter(kernel, [&](size_t i, uint32_t parameter) {
    dispatch.uniforms[static_cast<size_t>(dispatch.parameters[i])] = parameter;
  });
  return &dispatch;
}

void KernelMemo::keep(const Kernel& kernel, Dispatch dispatch) {
  if (!holds_parameters(dispatch, kernel)) return;
  Known known{std::move(dispatch), {}};
  for (const Range& range : known.dispatch.ranges) {
    const auto found = std::find(buffers_.begin(), buffers_.end(), range.storage.buffer());
    if (found == buffers_.end()) return;
    known.buffers.push_back(static_cast<size_t>(found - buffers_.begin()));
  }
  known.dispatch.source = nullptr;  // it holds the kernel's buffers
  if (known_.size() >= capacity) known_.clear();
  known_.insert_or_assign(asked_, std::move(known));
}

void KernelMemo::forget_program(const std::string& key) {
  std::erase_if(known_, [&](const auto& each) { return each.second.dispatch.key == key; });
}

void run_remembered(Runtime& runtime, const Kernel& kernel) {
  const auto plan_on = [&](Runtime& on) { std::visit([&](const auto& family) { run(on, family); }, kernel); };
  KernelMemo* memo = runtime.memo();
  if (memo == nullptr || !memo->asks_for(kernel)) return plan_on(runtime);
  if (const Dispatch* known = memo->find(kernel)) return runtime.dispatch(*known);
  OnlyDispatch only(runtime);
  plan_on(only);
  if (only.is_there()) memo->keep(kernel, only.take());
}

}  // namespace eglantine::gl
