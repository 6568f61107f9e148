#include "backend/gl/map_memo.hpp"

#include <algorithm>

namespace eglantine::gl {
namespace {

void write(std::vector<int64_t>& words, const Layout& x) {
  words.insert(words.end(), x.strides.begin(), x.strides.end());
  words.push_back(x.offset);
}

/// The first operand with this buffer; their number where none has it.
int owner_of(const std::vector<Strided>& operands, const Buffer* buffer) {
  const auto same = [=](const Strided& operand) { return operand.buffer.get() == buffer; };
  return static_cast<int>(std::find_if(operands.begin(), operands.end(), same) - operands.begin());
}

/// Everything but buffers and parameters. Lists come after their lengths, so different kernels never read the same.
/// Layouts have the domain's rank.
void write_structure(std::vector<int64_t>& words, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  words.clear();
  words.push_back(value.domain.rank());
  words.insert(words.end(), value.domain.begin(), value.domain.end());
  words.push_back(static_cast<int64_t>(kernel.out.dtype));
  write(words, kernel.out.layout);
  words.push_back(static_cast<int64_t>(value.operands.size()));
  for (const Strided& operand : value.operands) {
    words.push_back(static_cast<int64_t>(operand.dtype));
    words.push_back(owner_of(value.operands, operand.buffer.get()));
    write(words, operand.layout);
  }
  words.push_back(static_cast<int64_t>(value.indices.size()));
  for (const Layout& index : value.indices) write(words, index);
  words.push_back(static_cast<int64_t>(value.parameters.size()));
  for (const Instruction& step : value.code) {
    words.push_back(static_cast<int64_t>(step.op) << 40 | static_cast<int64_t>(step.dtype) << 32 |
                    static_cast<uint32_t>(step.args[0]));
    words.push_back(static_cast<int64_t>(step.args[1]) << 32 | static_cast<uint32_t>(step.args[2]));
  }
}

}  // namespace

size_t MapMemo::Hash::operator()(const Structure& structure) const {
  uint64_t hash = structure.size();
  for (const int64_t word : structure) {
    hash = (hash ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

const Dispatch* MapMemo::find(const MapKernel& kernel) {
  if (!kernel.value.calls.empty()) return nullptr;  // users' operations are told apart by their text
  write_structure(asked_, kernel);
  const auto found = known_.find(asked_);
  if (found == known_.end()) return nullptr;
  Known& known = found->second;
  const auto& operands = kernel.value.operands;
  for (size_t i = 0; i < known.operands.size(); ++i) {
    const auto operand = static_cast<size_t>(known.operands[i]);
    known.dispatch.ranges[i].storage = (operand < operands.size() ? operands[operand] : kernel.out).buffer.get();
  }
  for (size_t i = 0; i < known.parameter_slots.size(); ++i)
    known.dispatch.uniforms[static_cast<size_t>(known.parameter_slots[i])] = kernel.value.parameters[i];
  return &known.dispatch;
}

void MapMemo::keep(const MapKernel& kernel, Dispatch dispatch, std::vector<int> parameter_slots) {
  if (!kernel.value.calls.empty()) return;
  if (known_.size() >= capacity) known_.clear();
  write_structure(asked_, kernel);
  Known known{std::move(dispatch), {}, std::move(parameter_slots)};
  known.dispatch.source = nullptr;  // it holds the kernel's buffers
  for (const Range& range : known.dispatch.ranges)
    known.operands.push_back(owner_of(kernel.value.operands, range.storage.buffer()));
  known_.insert_or_assign(asked_, std::move(known));
}

}  // namespace eglantine::gl
