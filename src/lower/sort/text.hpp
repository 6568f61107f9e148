#pragma once

#include <optional>
#include <string>

#include "codegen/stage/stage.hpp"
#include "lower/lowering.hpp"

/// Where the passes of a sort read and write records. A record is a key's bits, or those and the bits of its value: a
/// uint, or a uvec2. A buffer of pairs is one binding; keys and values are in two buffers where a binding covers only
/// one of them.
namespace eglantine::lower {

/// Rows of records to read: from the kernel's expressions, or from an earlier pass's buffer (rows, pitch).
struct SortSource {
  Expr keys;
  std::optional<Expr> payload;  ///< none: a record's value, if any, is its position in the row
  int kept_rank = 0;
  int64_t first_row = 0;  ///< of the expressions' rows: row 0 here
  BufferPtr records = nullptr;
  BufferPtr values = nullptr;  ///< where set, `records` are keys alone
  int64_t pitch = 0;
};

/// Rows of records to write: through the kernel's epilogue to its results, or to a buffer; both (rows, pitch).
struct SortTarget {
  Expr epilogue;
  Strided out, second;
  bool places = false;    ///< the values go to `out`
  int64_t first_row = 0;  ///< of the results' rows, which have `pitch` elements
  BufferPtr records = nullptr;
  BufferPtr values = nullptr;  ///< where set, `records` has keys alone
  int64_t pitch = 0;
};

/// The source as the functions eg_address(row), eg_read_key(c) and EG_RECORD eg_read(c).
class SortReader {
 public:
  SortReader(const SortSource& source, bool pairs);

  /// rows: from 0 on; columns: positions in a row.
  void bind(codegen::Bindings& bindings, int64_t rows, const Window& columns);
  void add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms);
  std::string text(const codegen::Bindings& bindings) const;

 private:
  std::string records_text() const;

  bool pairs_;
  int64_t first_row_, pitch_;
  std::vector<Window> windows_;
  std::optional<codegen::LoadStage> keys_, payload_;
  BufferPtr records_, values_;
  int binding_ = -1, value_binding_ = -1, slot_ = -1;
};

/// The target as the function eg_write(row, position, record).
class SortWriter {
 public:
  SortWriter(const SortTarget& target, bool pairs);

  void bind(codegen::Bindings& bindings, const Window& rows, const Window& positions);
  void add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms);
  std::string text(const codegen::Bindings& bindings) const;

 private:
  bool pairs_, places_;
  int64_t first_row_, pitch_;
  DType accumulator_, second_dtype_;
  std::vector<Window> windows_;
  std::optional<codegen::LoadStage> epilogue_;
  std::optional<codegen::StoreStage> out_, second_;
  BufferPtr records_, values_;
  int binding_ = -1, value_binding_ = -1, slot_ = -1;
};

}  // namespace eglantine::lower
