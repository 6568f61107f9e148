#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "backend/cpu/instructions/block_ops.hpp"
#include "backend/cpu/instructions/rows.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::cpu {

inline int64_t inner_stride(const Layout& x) { return x.strides.back(); }

/// Uninitialised elements of one thread.
template <class T, int64_t count>
class Scratch {
 public:
  T* data() { return reinterpret_cast<T*>(bytes_); }

 private:
  alignas(64) std::byte bytes_[static_cast<size_t>(count) * sizeof(T)];
};

/// to[i] = the word of from[i], and back.
template <class T>
void widen(const T* from, Word* to, int64_t count) {
  if constexpr (std::is_same_v<T, Word>)
    std::copy_n(from, count, to);
  else
    storage_blocks(dense_storage(dtype_of<T>())).widen(to, from, count);
}
template <class T>
void narrow(const Word* from, T* to, int64_t count) {
  if constexpr (std::is_same_v<T, Word>)
    std::copy_n(from, count, to);
  else
    storage_blocks(dense_storage(dtype_of<T>())).narrow(to, from, count);
}

/// to[i] = from[i * stride], by way of words where the two are stored differently.
template <class From, class To>
void gather_run(const From* from, int64_t stride, To* to, int64_t count) {
  if constexpr (std::is_same_v<From, To>) return move_run(from, stride, to, count);
  constexpr int64_t step = 256;
  Scratch<Word, step> words;
  Scratch<From, step> apart;
  for (int64_t i = 0; i < count; i += step) {
    const int64_t some = std::min(step, count - i);
    const From* run = from + i * stride;
    if (stride != 1) move_run(run, stride, apart.data(), some);
    if (stride != 1) run = apart.data();
    if constexpr (std::is_same_v<To, Word>) {
      widen(run, to + i, some);
    } else {
      widen(run, words.data(), some);
      narrow(words.data(), to + i, some);
    }
  }
}

/// f(memory): the memory as the type that elements of a storage are stored as.
template <class F>
void with_memory(StorageType storage, std::byte* memory, F&& f) {
  switch (storage) {
    case StorageType::boolean_byte:
      return f(reinterpret_cast<bool*>(memory));
    case StorageType::f16:
      return f(reinterpret_cast<half*>(memory));
    case StorageType::bf16:
      return f(reinterpret_cast<bfloat16*>(memory));
    case StorageType::i8:
      return f(reinterpret_cast<int8_t*>(memory));
    case StorageType::u8:
      return f(reinterpret_cast<uint8_t*>(memory));
    default:
      return f(reinterpret_cast<Word*>(memory));
  }
}

/// A tensor's elements, as words whatever their storage type: reading widens them, writing narrows.
class Elements {
 public:
  explicit Elements(const Strided& strided);

  const Layout& layout() const { return layout_; }
  const Layout& rows() const { return rows_; }  ///< where the rows (runs of the innermost axis) start
  bool is_splat() const { return splat_; }      ///< one element, seen everywhere
  bool is_contiguous() const { return contiguous_; }

  /// Elements [start, start + count), count <= block_elements: in place where they are contiguous words, else gathered
  /// into `scratch`.
  const Word* read(int64_t start, int64_t count, Word* scratch) const;
  Word* in_place(int64_t start, int64_t count) const;  ///< [start, start + count) where contiguous words; else null
  void write(int64_t start, int64_t count, const Word* values) const;  ///< count <= block_elements
  /// Elements [start, start + count) of `from`, which are stored alike, as they are. Where both are contiguous any
  /// count will do, else at most block_elements.
  void copy_from(const Elements& from, int64_t start, int64_t count) const;
  /// The same of rows [start, start + count), any number, of two tensors that have some.
  void copy_rows_from(const Elements& from, int64_t start, int64_t count) const;
  void prefetch_rows(int64_t start, int64_t count) const;  ///< which will be written, where they are contiguous

  /// f(memory): the memory as the type that elements are stored as, for loops over addresses.
  template <class F>
  void with_memory(F&& f) const {
    cpu::with_memory(storage_, data_, std::forward<F>(f));
  }
  Word element(int64_t address) const;

 private:
  template <class T>
  T* at(int64_t address) const {
    return reinterpret_cast<T*>(data_) + address;
  }
  /// Where [start, start + count) lie, if side by side.
  template <class T>
  T* together(T* memory, int64_t start, int64_t count) const;
  template <class T>
  void gather(const T* memory, int64_t start, int64_t count, T* to) const;
  /// Whether [start, start + count) are whole rows, which are moved together: short, or closer to one another in memory
  /// than their elements.
  bool in_whole_rows(int64_t start, int64_t count) const;
  template <class T>
  void scatter(T* memory, int64_t start, int64_t count, const T* values) const;

  std::byte* data_;
  StorageType storage_;
  Layout layout_, rows_;
  bool contiguous_, splat_;
};

}  // namespace eglantine::cpu
