#include "lower/lowering.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "layout/layout.hpp"
#include "lower/copies.hpp"
#include "lower/packing.hpp"
#include "lower/piecewise.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t word_bytes = 4;

template <class Visit>
void for_each_buffer(const Step& step, Visit visit) {
  if (const auto* dispatch = std::get_if<Dispatch>(&step))
    for (const Range& range : dispatch->ranges) visit(range.storage.buffer());
  if (const auto* copy = std::get_if<Copy>(&step)) {
    visit(copy->from);
    visit(copy->to);
  }
}

bool uses(const Lowered& lowered, const BufferPtr& buffer) {
  bool found = false;
  for (const Step& step : lowered.steps)
    for_each_buffer(step, [&](const Buffer* used) { found = found || used == buffer.get(); });
  return found;
}

std::string groups_of(const Dispatch& dispatch) {
  std::string text;
  for (uint32_t count : dispatch.groups)
    if (text.empty() || count != 1) text += (text.empty() ? "" : " x ") + std::to_string(count);
  return text + (text == "1" ? " group" : " groups");
}

}  // namespace

void Lowering::dispatch(Dispatch step) {
  const Buffer* beside = std::exchange(written_beside_, nullptr);
  for (size_t i = 0; beside != nullptr && i < step.ranges.size(); ++i)
    if (step.ranges[i].storage.buffer() == beside) step.beside |= 1U << i;
  add(std::move(step));
}

void Lowering::gather_rows(const GatherKernel& kernel, const std::function<void(Lowering&)>& otherwise) {
  Lowering other(target_, make_buffer_);
  otherwise(other);
  add(GatherRows{std::make_shared<const GatherKernel>(kernel), std::make_shared<const Lowered>(other.take())});
}

BufferPtr Lowering::temporary(int64_t bytes) {
  lowered_.temporaries.push_back({make_buffer_(bytes)});
  return lowered_.temporaries.back().buffer;
}

Strided Lowering::temporary(DType dtype, const Layout& layout) {
  const StorageType storage = word_storage(dtype);
  return {temporary((layout::reach(layout).last + 1) * bytes_of(storage)), storage, layout};
}

BufferPtr Lowering::exchange() {
  if (!lowered_.exchange) lowered_.exchange = make_buffer_(exchange_words * word_bytes);
  return lowered_.exchange;
}

Flag Lowering::index_flag() {
  if (!lowered_.index_flag) lowered_.index_flag = make_buffer_(word_bytes);
  return {lowered_.index_flag};
}

Flag Lowering::stall_error(const std::string& function) {
  if (!lowered_.stall_error) lowered_.stall_error = StallError{function, make_buffer_(word_bytes)};
  return {lowered_.stall_error->flag};
}

/// Drops what a family asked for and did not use.
Lowered Lowering::take() {
  Lowered& made = lowered_;
  for (Temporary& temporary : made.temporaries) {
    temporary.first = made.steps.size();
    for (size_t i = 0; i < made.steps.size(); ++i)
      for_each_buffer(made.steps[i], [&](const Buffer* used) {
        if (used != temporary.buffer.get()) return;
        temporary.first = std::min(temporary.first, i);
        temporary.last = i;
      });
  }
  std::erase_if(made.temporaries, [&](const Temporary& x) { return x.first == made.steps.size(); });
  if (made.exchange && !uses(made, made.exchange)) made.exchange = nullptr;
  if (made.stall_error && !uses(made, made.stall_error->flag)) made.stall_error.reset();
  return std::move(made);
}

template <class K>
void lower_narrow(Lowering& lowering, const K& kernel) {
  const auto add = [&](const K& added) { lower(lowering, with_near_reads(lowering, added)); };
  is_packed_later(lowering.target(), kernel) ? add_packed(lowering, kernel, add) : add(kernel);
}

Lowered lower(const Kernel& kernel, const Target& target, const MakeBuffer& make_buffer) {
  Lowering lowering(target, make_buffer);
  const auto lower_family = [&](const auto& family) {
    // A map is cut into windows that bind what they read; what others read is not cut.
    if constexpr (std::is_same_v<decltype(family), const MapKernel&>)
      lower(lowering, family);
    else
      lower_narrow(lowering, family);
  };
  std::visit(lower_family, kernel);
  return lowering.take();
}

std::string text_of(const Lowered& lowered, const Target& target) {
  std::unordered_set<ProgramPtr, SameProgram, SameProgram> seen;
  std::string text;
  for (const Step& step : lowered.steps) {
    if (!text.empty()) text += '\n';
    if (const auto* dispatch = std::get_if<Dispatch>(&step)) {
      text += "// " + dispatch->name + ", " + groups_of(*dispatch) + (dispatch->beside ? ", beside those" : "");
      const bool is_new = seen.insert(dispatch->program).second;
      text += is_new ? "\n" + dispatch->program->text(target) : ", the same program\n";
    } else {
      const auto* copy = std::get_if<Copy>(&step);
      text += copy != nullptr && is_by_host(target, *copy) ? "// copied by the host\n" : "// copied by the driver\n";
    }
  }
  return text;
}

}  // namespace eglantine::lower
