#include "lower/sort/text.hpp"

#include "codegen/glsl_type.hpp"
#include "codegen/value_text.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;
using codegen::Bindings;
using codegen::uniform_at;
using codegen::Uniforms;

AddressSpec read_spec(const char* name, const Expr& expr, int kept_rank) {
  return {name, expr.domain, {{0, kept_rank}, {kept_rank, expr.domain.rank() - kept_rank}}, 1, 1};
}

AddressSpec write_spec(const char* name, const Expr& epilogue) {
  return {name, epilogue.domain, {{0, epilogue.domain.rank()}}, 1, 0};
}

/// Binds rows of a buffer of records (rows, pitch).
int bind_records(Bindings& bindings, const BufferPtr& records, bool pairs, bool written, int64_t pitch,
                 const Window& rows, const Window& columns) {
  const int64_t words = pairs ? 2 : 1, first = rows.first * pitch + columns.first,
                last = (rows.first + rows.count - 1) * pitch + columns.first + columns.count - 1;
  const layout::Reach reached{first * words, last * words + words - 1};
  if (pairs) return bindings.add_pairs(records.get(), written, reached);
  return written ? bindings.add_write(records.get(), StorageType::u32, false, reached)
                 : bindings.add_read(records.get(), StorageType::u32, false, reached);
}

}  // namespace

SortReader::SortReader(const SortSource& source, bool pairs)
    : pairs_(pairs),
      first_row_(source.first_row),
      pitch_(source.pitch),
      records_(source.records),
      values_(source.values) {
  if (records_) return;
  keys_.emplace(read_spec("eg_keys", source.keys, source.kept_rank), source.keys, codegen::Vectors::none);
  if (source.payload && pairs)
    payload_.emplace(read_spec("eg_payload", *source.payload, source.kept_rank), *source.payload,
                     codegen::Vectors::none);
}

void SortReader::bind(Bindings& bindings, int64_t rows, const Window& columns) {
  if (records_) {
    binding_ = bind_records(bindings, records_, pairs_ && !values_, false, pitch_, {0, rows}, columns);
    if (values_) value_binding_ = bind_records(bindings, values_, false, false, pitch_, {0, rows}, columns);
    return;
  }
  windows_ = {{first_row_, rows}, columns};
  keys_->bind(bindings, windows_);
  if (payload_) payload_->bind(bindings, windows_);
}

void SortReader::add_uniforms(const Bindings& bindings, Uniforms& uniforms) {
  if (records_) {
    slot_ = uniforms.add(-bindings.first_element(binding_) / (pairs_ && !values_ ? 2 : 1));
    uniforms.add(pitch_);
    return;
  }
  slot_ = uniforms.add(first_row_);
  keys_->add_uniforms(bindings, windows_, uniforms);
  if (payload_) payload_->add_uniforms(bindings, windows_, uniforms);
}

std::string SortReader::records_text() const {
  const std::string place = "[eg_row_start + c]", element = codegen::block_name(binding_) + place;
  const std::string record =
      values_ ? "uvec2(" + element + ", " + codegen::block_name(value_binding_) + place + ")" : element;
  return "uint eg_row_start;\nvoid eg_address(uint row) { eg_row_start = row * " + uniform_at(slot_ + 1) + " + " +
         uniform_at(slot_) + "; }\nuint eg_read_key(uint c) { return " + element + (pairs_ && !values_ ? ".x" : "") +
         "; }\nEG_RECORD eg_read(uint c) { return " + record + "; }\n";
}

std::string SortReader::text(const Bindings& bindings) const {
  if (records_) return records_text();
  const std::string row = "(row + " + uniform_at(slot_) + ");";
  std::string text = keys_->text(bindings);
  if (payload_) text += payload_->text(bindings);
  text += "void eg_address(uint row) { eg_keys_address" + row + (payload_ ? " eg_payload_address" + row : "") + " }\n";
  text += "uint eg_read_key(uint c) { return " + codegen::to_bits(keys_->dtype(), "eg_keys(c)") + "; }\n";
  const std::string value = payload_ ? codegen::to_bits(payload_->dtype(), "eg_payload(c)") : "c";
  return text + "EG_RECORD eg_read(uint c) { return " +
         (pairs_ ? "uvec2(eg_read_key(c), " + value + ")" : "eg_read_key(c)") + "; }\n";
}

SortWriter::SortWriter(const SortTarget& target, bool pairs)
    : pairs_(pairs),
      places_(target.places),
      first_row_(target.first_row),
      pitch_(target.pitch),
      accumulator_(DType::u32),
      second_dtype_(target.second.dtype()),
      records_(target.records),
      values_(target.values) {
  if (records_) return;
  accumulator_ = codegen::accumulator_dtype(target.epilogue);
  epilogue_.emplace(write_spec("eg_epilogue", target.epilogue), target.epilogue, codegen::Vectors::none);
  out_.emplace(write_spec("eg_store", target.epilogue), target.out, false);
  if (target.second.buffer) second_.emplace(write_spec("eg_second", target.epilogue), target.second, false);
}

void SortWriter::bind(Bindings& bindings, const Window& rows, const Window& positions) {
  if (records_) {
    const Window written{first_row_ + rows.first, rows.count};
    binding_ = bind_records(bindings, records_, pairs_ && !values_, true, pitch_, written, positions);
    if (values_) value_binding_ = bind_records(bindings, values_, false, true, pitch_, written, positions);
    return;
  }
  windows_ = {{(first_row_ + rows.first) * pitch_, rows.count * pitch_}};
  epilogue_->bind(bindings, windows_);
  out_->bind(bindings, windows_);
  if (second_) second_->bind(bindings, windows_);
}

void SortWriter::add_uniforms(const Bindings& bindings, Uniforms& uniforms) {
  slot_ = uniforms.add(pitch_);
  uniforms.add(first_row_ * pitch_ - (records_ ? bindings.first_element(binding_) / (pairs_ && !values_ ? 2 : 1) : 0));
  if (records_) return;
  epilogue_->add_uniforms(bindings, windows_, uniforms);
  out_->add_uniforms(bindings, windows_, uniforms);
  if (second_) second_->add_uniforms(bindings, windows_, uniforms);
}

std::string SortWriter::text(const Bindings& bindings) const {
  const std::string opening = "void eg_write(uint row, uint position, EG_RECORD record) {\n  uint number = row * " +
                              uniform_at(slot_) + " + position + " + uniform_at(slot_ + 1) + ";\n";
  const auto stored = [](int binding, const char* part) {
    return "  " + codegen::block_name(binding) + "[number] = record" + part + ";\n";
  };
  if (values_) return opening + stored(binding_, ".x") + stored(value_binding_, ".y") + "}\n";
  if (records_) return opening + stored(binding_, "") + "}\n";
  std::string text = epilogue_->text(bindings) + out_->text(bindings);
  if (second_) text += second_->text(bindings);
  const std::string bits = !pairs_ ? "record" : places_ ? "record.y" : "record.x";
  const std::string accumulator = epilogue_->reads_accumulator() ? ", " + codegen::from_bits(accumulator_, bits) : "";
  text += opening + "  eg_store(number, eg_epilogue(number" + accumulator + "));\n";
  if (second_) text += "  eg_second(number, " + codegen::from_bits(second_dtype_, "record.y") + ");\n";
  return text + "}\n";
}

}  // namespace eglantine::lower
