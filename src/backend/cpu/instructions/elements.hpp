#pragma once

#include "backend/cpu/instructions/block_ops.hpp"
#include "graph/kernel.hpp"

namespace eglantine::cpu {

/// A tensor's elements, stored in a way that only this class knows: reading widens them to words, writing narrows.
class Elements {
 public:
  explicit Elements(const Strided& strided);

  const Layout& layout() const { return layout_; }
  const Layout& rows() const { return rows_; }  ///< where the rows (runs of the innermost axis) start
  bool is_splat() const { return splat_; }      ///< one element, seen everywhere
  bool is_contiguous() const { return contiguous_; }

  /// Elements [start, start + count): in place where they are contiguous words, else gathered into `scratch`.
  const Word* read(int64_t start, int64_t count, Word* scratch) const;
  /// The same of `count` elements, `step` apart from `address` on.
  const Word* read_run(int64_t address, int64_t step, int64_t count, Word* scratch) const;
  Word* in_place(int64_t start, int64_t count) const;  ///< [start, start + count) where contiguous words; else null
  void write(int64_t start, int64_t count, const Word* values) const;

  Word element(int64_t address) const { return is_narrow(storage_) ? *at<uint8_t>(address) : *at<Word>(address); }
  void set_element(int64_t address, Word value) const {
    is_narrow(storage_) ? void(*at<uint8_t>(address) = value != 0) : void(*at<Word>(address) = value);
  }

 private:
  template <class T>
  T* at(int64_t address) const {
    return reinterpret_cast<T*>(data_) + address;
  }
  template <class T>
  void gather(int64_t start, int64_t count, Word* scratch) const;
  template <class T>
  void gather_rows(int64_t start, int64_t count, Word* scratch) const;

  std::byte* data_;
  StorageType storage_;
  Layout layout_, rows_;
  bool contiguous_, splat_;
};

}  // namespace eglantine::cpu
