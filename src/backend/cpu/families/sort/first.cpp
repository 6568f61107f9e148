#include "backend/cpu/families/sort/first.hpp"

#include <algorithm>

// The first few of a row: pairs that come before the last of those kept so far are collected, and now and then cut to
// as many as are wanted. Of most elements nothing but the key is compared. Of many that are wanted all pairs are
// collected: cuts would take longer than they save.
namespace eglantine::cpu {

namespace {

constexpr Pair behind_all = Pair{1} << 32;  ///< no key is so large

/// Of a row, up to which part cuts save time: 62,500 of 4 million are found more quickly with them, 500,000 are not.
constexpr int64_t part_cut = 32;

class Collected {
 public:
  /// Of so many elements.
  Collected(std::vector<Pair>& pairs, int64_t keep, int64_t elements)
      : pairs_(pairs), keep_(static_cast<size_t>(keep)), capacity_(capacity_of(keep_, static_cast<size_t>(elements))) {
    pairs_.clear();
    pairs_.reserve(std::min(capacity_, static_cast<size_t>(elements)));
  }

  template <DType dtype>
  void add(const FirstOfRow& row, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Pair key = sort_key(dtype, row.bits[i], row.flip);
      if (key >= bound_) continue;  // of equal keys the first one comes first
      pairs_.push_back(key << 32 | static_cast<Pair>(i));
      if (pairs_.size() == capacity_) cut();
    }
  }

  /// Leaves those that are wanted, in any order.
  void cut() {
    if (pairs_.size() <= keep_) return;
    const auto last = pairs_.begin() + static_cast<std::ptrdiff_t>(keep_ - 1);
    std::nth_element(pairs_.begin(), last, pairs_.end());
    bound_ = *last >> 32;
    pairs_.resize(keep_);
  }

 private:
  static size_t capacity_of(size_t keep, size_t elements) {
    constexpr size_t beside = 32;  // so that cuts are rare where few are wanted
    return keep <= elements / part_cut ? 2 * keep + beside : elements + 1;
  }

  std::vector<Pair>& pairs_;
  size_t keep_, capacity_;
  Pair bound_ = behind_all;
};

void collect(const FirstOfRow& row, int64_t begin, int64_t end, std::vector<Pair>& pairs) {
  Collected collected(pairs, row.keep, end - begin);
  switch (row.dtype) {
    case DType::f32:
      collected.add<DType::f32>(row, begin, end);
      break;
    case DType::i32:
      collected.add<DType::i32>(row, begin, end);
      break;
    case DType::u32:
      collected.add<DType::u32>(row, begin, end);
      break;
    default:
      collected.add<DType::boolean>(row, begin, end);
  }
  collected.cut();
}

}  // namespace

void find_first(const FirstOfRow& row, int64_t chunks, ThreadPool& pool, std::vector<Pair>& first) {
  // Each chunk keeps as many.
  chunks = std::clamp<int64_t>(row.length / (part_cut * row.keep), 1, chunks);
  if (chunks == 1) {
    collect(row, 0, row.length, first);
  } else {
    std::vector<std::vector<Pair>> of_chunks(static_cast<size_t>(chunks));
    const int64_t each = (row.length + chunks - 1) / chunks;
    pool.parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        collect(row, i * each, std::min(row.length, (i + 1) * each), of_chunks[static_cast<size_t>(i)]);
    });
    first.clear();
    for (const std::vector<Pair>& some : of_chunks) first.insert(first.end(), some.begin(), some.end());
  }
  const auto end = first.begin() + row.keep;
  if (end != first.end()) std::nth_element(first.begin(), end, first.end());
  std::sort(first.begin(), end);
}

}  // namespace eglantine::cpu
