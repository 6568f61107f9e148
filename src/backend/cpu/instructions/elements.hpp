#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "backend/cpu/instructions/block_ops.hpp"
#include "graph/kernel.hpp"

namespace eglantine::cpu {

/// A word as it is stored in an element of type T: as it is, or a boolean as 0 or 1.
template <class T>
T stored(Word value) {
  if constexpr (std::is_same_v<T, Word>)
    return value;
  else
    return value != 0;
}

/// to[i] = from[i * stride], converted where the two are stored differently.
template <class From, class To>
void gather_run(const From* from, int64_t stride, To* to, int64_t count) {
  if (stride == 1 && std::is_same_v<From, To>)
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(To));
  else if (stride == 1)
    for (int64_t i = 0; i < count; ++i) to[i] = stored<To>(from[i]);
  else if (stride == 0)
    std::fill_n(to, count, stored<To>(*from));
  else
    for (int64_t i = 0; i < count; ++i) to[i] = stored<To>(from[i * stride]);
}

/// A tensor's elements, as words whatever their storage type: reading widens them, writing narrows.
class Elements {
 public:
  explicit Elements(const Strided& strided);

  const Layout& layout() const { return layout_; }
  const Layout& rows() const { return rows_; }  ///< where the rows (runs of the innermost axis) start
  bool is_splat() const { return splat_; }      ///< one element, seen everywhere
  bool is_contiguous() const { return contiguous_; }

  /// Elements [start, start + count): in place where they are contiguous words, else gathered into `scratch`.
  const Word* read(int64_t start, int64_t count, Word* scratch) const;
  Word* in_place(int64_t start, int64_t count) const;  ///< [start, start + count) where contiguous words; else null
  void write(int64_t start, int64_t count, const Word* values) const;

  /// f(memory): the memory as the type that elements are stored as, for loops over addresses.
  template <class F>
  void with_memory(F&& f) const {
    is_narrow(storage_) ? f(at<uint8_t>(0)) : f(at<Word>(0));
  }
  Word element(int64_t address) const { return is_narrow(storage_) ? *at<uint8_t>(address) : *at<Word>(address); }

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
