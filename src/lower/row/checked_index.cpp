#include "lower/row/checked_index.hpp"

#include <utility>

#include "layout/layout.hpp"
#include "lower/index/gather.hpp"

namespace eglantine::lower {
namespace {

/// The instruction that checks what load `load` is addressed by: the index itself, or a multiple of it.
const Instruction* check_of(const Expr& value, const Instruction& load) {
  const Instruction* address = &value.code[static_cast<size_t>(load.args[1])];
  if (address->op == Op::mul) address = &value.code[static_cast<size_t>(address->args[0])];
  return address->op == Op::checked_index ? address : nullptr;
}

void make_plain_load(Expr& value, Instruction& load, Strided operand) {
  const auto number = static_cast<size_t>(load.args[0]);
  value.operands[number] = std::move(operand);
  std::erase_if(value.piecewise, [&](const PiecewiseRead& read) { return read.operand == number; });
  load = {Op::load, load.dtype, {load.args[0], -1, -1}};
}

}  // namespace

void CheckedIndexText::bind(codegen::Bindings& bindings) {
  binding_ = bindings.add_write(flag_.buffer.get(), StorageType::u32, false, {flag_.element, flag_.element});
}

void CheckedIndexText::add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms) {
  slot_ = uniforms.add(flag_.element - bindings.first_element(binding_));
}

/// Without branches, around which loads would not be moved; reported once an invocation.
std::string CheckedIndexText::text() const {
  const std::string flag = codegen::block_name(binding_) + "[" + codegen::uniform_at(slot_) + "]";
  return "const uint eg_no_place = 0xffffffffu;\nuint eg_out_of_range = eg_no_place;\n"
         "int eg_checked_index(int index, uint place, int length) {\n"
         "  int from_start = index + (index < 0 ? length : 0);\n  bool absent = uint(from_start) >= uint(length);\n"
         "  eg_out_of_range = min(eg_out_of_range, absent ? place : eg_no_place);\n"
         "  return absent ? 0 : from_start;\n}\nvoid eg_report() {\n"
         "  if (eg_out_of_range != eg_no_place) atomicMin(" +
         flag + ", eg_out_of_range);\n}\n";
}

RowKernel with_gathered_before(Lowering& lowering, const RowKernel& kernel) {
  RowKernel read = kernel;
  GatherKernel gather = *std::exchange(read.gathered, std::nullopt);
  gather.out = lowering.temporary(gather.source.dtype(), layout::contiguous(gather.index.domain));
  gather_by_dispatch(lowering, gather);
  Expr& value = read.value;
  for (Instruction& step : value.code) {
    const Instruction* check = step.op == Op::load_at ? check_of(value, step) : nullptr;
    if (check == nullptr) continue;
    const Instruction& place = value.code[static_cast<size_t>(check->args[1])];
    Strided operand = gather.out;
    operand.layout = value.iotas[static_cast<size_t>(place.args[0])];
    make_plain_load(value, step, std::move(operand));
  }
  for (Instruction& step : value.code)
    if (step.op == Op::checked_index) step = {Op::copy, step.dtype, {step.args[0], -1, -1}};
  return read;
}

}  // namespace eglantine::lower
