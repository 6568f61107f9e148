#include "backend/cpu/families/sort/places.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/cpu/families/sort/key.hpp"
#include "graph/kernel/expression.hpp"

// Selection by digits, the highest first: counting a digit of the keys says which of its values a place has, until few
// keys share all digits so far. Those are selected as (key, place) pairs, which are all distinct, so that equal keys
// keep their order.
namespace eglantine::cpu {

namespace {

// A float's sign, exponent and five bits of its mantissa; the counts fit a second-level cache.
constexpr int digit_bits = 14, key_bits = 32;
// Elements that are selected as pairs: of a long row a share for which pairs take as long as counting another digit.
constexpr int64_t few = 4096, share_of_few = 16;

using DigitCounts = std::vector<uint32_t>;  ///< of each value of a digit

/// The keys of a row whose first `known` bits are `prefix`: those that begin at place `first` of the order.
struct Candidates {
  Word prefix = 0;
  int known = 0;
  int64_t first = 0, count = 0;

  bool has(Word key) const { return known == 0 || key >> (key_bits - known) == prefix; }
};

/// The wanted places of one row.
template <DType dtype>
class Selection {
 public:
  Selection(const Word* bits, int64_t length, Word flip, int64_t chunks, ThreadPool& pool)
      : bits_(bits), length_(length), flip_(flip), chunks_(chunks), pool_(pool) {}

  /// The keys at the wanted places [begin, end), which are in order.
  void select(const int64_t* begin, const int64_t* end, Word* sorted) {
    const int known = dtype == DType::boolean ? key_bits - 1 : 0;
    select({0, known, 0, length_}, begin, end, sorted);
  }

 private:
  Word key(int64_t i) const { return sort_key(dtype, bits_[i], flip_); }

  void select(const Candidates& among, const int64_t* begin, const int64_t* end, Word* sorted) {
    if (among.count <= std::max(few, length_ / share_of_few)) return select_pairs(among, begin, end, sorted);
    if (among.known == key_bits) return select_equal(among, begin, end, sorted);
    const int bits = std::min(digit_bits, key_bits - among.known);
    const DigitCounts counts = counts_of(among, bits);
    Candidates next{among.prefix << bits, among.known + bits, among.first, 0};
    for (Word digit = 0; begin < end; ++digit, next.first += next.count) {
      next.prefix = among.prefix << bits | digit;
      next.count = counts[digit];
      if (*begin >= next.first + next.count) continue;
      const int64_t* past = std::lower_bound(begin, end, next.first + next.count);
      select(next, begin, past, sorted);
      sorted += past - begin;
      begin = past;
    }
  }

  /// visit(chunk, begin, end) of the row.
  template <class Visit>
  void for_chunks(const Visit& visit) {
    if (chunks_ == 1) return visit(size_t{0}, int64_t{0}, length_);
    const int64_t each = (length_ + chunks_ - 1) / chunks_;
    pool_.parallel_for(chunks_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk)
        visit(static_cast<size_t>(chunk), chunk * each, std::min(length_, (chunk + 1) * each));
    });
  }

  /// How many candidates have each value of the next `bits` bits.
  DigitCounts counts_of(const Candidates& among, int bits) {
    std::vector<DigitCounts> of_chunks(static_cast<size_t>(chunks_), DigitCounts(size_t{1} << bits));
    const int shift = key_bits - among.known - bits;
    const Word mask = (Word{1} << bits) - 1;
    for_chunks([&](size_t chunk, int64_t begin, int64_t end) {
      uint32_t* counts = of_chunks[chunk].data();
      for (int64_t i = begin; i < end; ++i)
        if (const Word of_element = key(i); among.has(of_element)) ++counts[of_element >> shift & mask];
    });
    for (size_t chunk = 1; chunk < of_chunks.size(); ++chunk)
      for (size_t digit = 0; digit < of_chunks[0].size(); ++digit) of_chunks[0][digit] += of_chunks[chunk][digit];
    return std::move(of_chunks[0]);
  }

  std::vector<Pair> pairs_of(const Candidates& among) {
    std::vector<std::vector<Pair>> of_chunks(static_cast<size_t>(chunks_));
    for_chunks([&](size_t chunk, int64_t begin, int64_t end) {
      of_chunks[chunk].reserve(static_cast<size_t>(std::min(among.count, end - begin)));
      for (int64_t i = begin; i < end; ++i)
        if (const Word of_element = key(i); among.has(of_element))
          of_chunks[chunk].push_back(static_cast<Pair>(of_element) << 32 | static_cast<Pair>(i));
    });
    std::vector<Pair>& all = of_chunks[0];
    for (size_t chunk = 1; chunk < of_chunks.size(); ++chunk)
      all.insert(all.end(), of_chunks[chunk].begin(), of_chunks[chunk].end());
    return std::move(all);
  }

  void select_pairs(const Candidates& among, const int64_t* begin, const int64_t* end, Word* sorted) {
    std::vector<Pair> pairs = pairs_of(among);
    auto from = pairs.begin();  // all before it precede the places to come
    for (; begin < end; ++begin) {
      const auto place = pairs.begin() + (*begin - among.first);
      std::nth_element(from, place, pairs.end());
      *sorted++ = bits_[static_cast<Word>(*place)];
      from = place + 1;
    }
  }

  /// Of equal keys, which are in the order of their places.
  void select_equal(const Candidates& among, const int64_t* begin, const int64_t* end, Word* sorted) const {
    int64_t at = among.first;
    for (int64_t i = 0; i < length_ && begin < end; ++i)
      if (key(i) == among.prefix && at++ == *begin) {
        *sorted++ = bits_[i];
        ++begin;
      }
  }

  const Word* bits_;
  int64_t length_;
  Word flip_;
  int64_t chunks_;
  ThreadPool& pool_;
};

int64_t row_of(const SortKernel& kernel) { return kernel.keys.domain[kernel.kept_rank]; }

using SelectRow = void (*)(const Word* bits, Word* sorted, const SortKernel& kernel, int64_t chunks, ThreadPool& pool);

template <DType dtype>
void select_row(const Word* bits, Word* sorted, const SortKernel& kernel, int64_t chunks, ThreadPool& pool) {
  Selection<dtype>(bits, row_of(kernel), kernel.descending ? ~Word{0} : 0, chunks, pool)
      .select(kernel.read.begin(), kernel.read.end(), sorted);
}

SelectRow select_row_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return select_row<DType::f32>;
    case DType::i32:
      return select_row<DType::i32>;
    case DType::u32:
      return select_row<DType::u32>;
    default:
      return select_row<DType::boolean>;
  }
}

/// The keys where they lie, or null.
const Word* keys_in_place(const Expr& keys) {
  if (!is_only(keys, Op::load) || !keys.piecewise.empty()) return nullptr;
  return Elements(keys.operands[0]).in_place(0, keys.domain.elements());
}

void select_rows(const SortKernel& kernel, const Word* keys, Word* sorted, ThreadPool& pool) {
  const int64_t length = row_of(kernel), rows = kernel.keys.domain.elements() / length;
  const SelectRow select = select_row_of(kernel.keys.dtype());
  const int64_t chunks = std::min<int64_t>(pool.threads(), length / fewest_in_chunk);
  const auto select_from = [&](int64_t first, int64_t last, int64_t of_row) {
    for (int64_t row = first; row < last; ++row)
      select(keys + row * length, sorted + row * kernel.keep, kernel, of_row, pool);
  };
  if (rows < pool.threads() && chunks > 1) return select_from(0, rows, chunks);
  pool.parallel_for(rows, grain(4 * length), [&](int64_t begin, int64_t end) { select_from(begin, end, 1); });
}

}  // namespace

void sort_places(const SortKernel& kernel, ThreadPool& pool) {
  const Word* in_place = keys_in_place(kernel.keys);
  const Words values = in_place != nullptr ? Words(0) : values_of(kernel.keys, pool);
  const Elements out(kernel.out);
  const EvaluatorProgram epilogue(kernel.epilogue);
  const int64_t results = epilogue.elements();
  Word* sorted = epilogue.is_accumulator() ? out.in_place(0, results) : nullptr;
  const Words apart(sorted != nullptr ? 0 : results);
  select_rows(kernel, in_place != nullptr ? in_place : values.data(), sorted != nullptr ? sorted : apart.data(), pool);
  if (sorted == nullptr) run_epilogue(epilogue, apart.data(), out, pool);
}

}  // namespace eglantine::cpu
