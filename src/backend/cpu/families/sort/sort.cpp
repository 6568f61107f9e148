#include <algorithm>
#include <array>
#include <utility>

#include "backend/cpu/families/families.hpp"
#include "backend/cpu/families/sort/first.hpp"
#include "backend/cpu/families/sort/key.hpp"
#include "backend/cpu/families/sort/places.hpp"

// Rows are sorted as (key, place) pairs, which are all distinct: any sort of them is stable. Where the keys alone are
// asked for and tell their elements' bits, they are sorted alone; short rows of them side by side.
namespace eglantine::cpu {

namespace {

constexpr int64_t short_row = 2048;  // shorter rows compare keys, longer ones use a radix sort
constexpr size_t digits = 256;

struct Order {
  DType dtype;
  Word flip;
  int64_t length, keep;

  /// Selecting a few elements reads the row once; a radix pass reads it twice.
  bool selects() const { return keep <= length / 8; }

  Pair pair(Word bits, int64_t place) const {
    return static_cast<Pair>(sort_key(dtype, bits, flip)) << 32 | static_cast<Pair>(place);
  }
};

/// Item: a pair, or a key.
template <class Item>
int digit_of(Item item, int pass) {
  return static_cast<int>(item >> (8 * (static_cast<int>(sizeof(Item) - sizeof(Word)) + pass)) & (digits - 1));
}

using Counts = std::array<int64_t, digits>;

/// The digits of items [begin, end). In turn in two tables, as most items of a row may have one digit, whose count
/// would wait for the one before.
template <class Item>
Counts counts_of(const Item* items, int64_t begin, int64_t end, int pass) {
  Counts even{}, odd{};
  int64_t i = begin;
  for (; i + 1 < end; i += 2) {
    ++even[static_cast<size_t>(digit_of(items[i], pass))];
    ++odd[static_cast<size_t>(digit_of(items[i + 1], pass))];
  }
  if (i < end) ++even[static_cast<size_t>(digit_of(items[i], pass))];
  for (size_t digit = 0; digit < digits; ++digit) even[digit] += odd[digit];
  return even;
}

/// Counts of each chunk to the places of their first items; false where all items of the row have one digit.
bool scan_counts(std::vector<Counts>& counts, int64_t length) {
  int64_t next = 0;
  for (size_t digit = 0; digit < digits; ++digit) {
    const int64_t before = next;
    for (Counts& of_chunk : counts) next += std::exchange(of_chunk[digit], next);
    if (next - before == length) return false;
  }
  return true;
}

/// One pass of a stable radix sort: counts the digits of each chunk, scans the counts, and scatters the items. False,
/// and nothing moved, where all have one digit.
template <class Item>
bool pass_over(const Item* from, Item* to, int64_t length, int pass, int64_t chunks, ThreadPool& pool) {
  std::vector<Counts> starts(static_cast<size_t>(chunks));
  const int64_t chunk_length = (length + chunks - 1) / chunks;
  const auto each = [&](const auto& visit) {
    pool.parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        visit(starts[static_cast<size_t>(p)], p * chunk_length, std::min(length, (p + 1) * chunk_length));
    });
  };
  each([&](Counts& counts, int64_t begin, int64_t end) { counts = counts_of(from, begin, end, pass); });
  if (!scan_counts(starts, length)) return false;
  each([&](Counts& places, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[places[static_cast<size_t>(digit_of(from[i], pass))]++] = from[i];
  });
  return true;
}

/// Sorts the first `keep` items of the order.
template <class Item>
void sort_short(Item* items, const Order& order) {
  Item *kept = items + order.keep, *end = items + order.length;
  if (kept != end) std::nth_element(items, kept, end);
  std::sort(items, kept);
}

/// Sorts a row's items, in `items`, on up to `chunks` threads.
template <class Item>
void sort_row(std::vector<Item>& items, std::vector<Item>& scratch, const Order& order, int64_t chunks,
              ThreadPool& pool) {
  if (order.length < short_row) return sort_short(items.data(), order);
  scratch.resize(items.size());
  const int passes = order.dtype == DType::boolean ? 1 : 4;
  for (int pass = 0; pass < passes; ++pass)
    if (pass_over(items.data(), scratch.data(), order.length, pass, chunks, pool)) items.swap(scratch);
}

/// A thread's rows while they are sorted.
struct Rows {
  std::vector<Pair> pairs, pairs_scratch;
  std::vector<Word> keys, keys_scratch, side_by_side;
};

/// The keys of a row of bits; false where one does not tell them: of a NaN or -0.
template <DType dtype>
bool set_keys(Word* keys, const Word* bits, const Order& order) {
  uint32_t differs = 0;
  for (int64_t i = 0; i < order.length; ++i) {
    keys[i] = sort_key(dtype, bits[i], order.flip);
    differs |= bits[i] ^ bits_of_sort_key(dtype, keys[i], order.flip);
  }
  return differs == 0;
}

bool set_keys(std::vector<Word>& keys, const Word* bits, const Order& order) {
  keys.resize(static_cast<size_t>(order.length));
  switch (order.dtype) {
    case DType::f32:
      return set_keys<DType::f32>(keys.data(), bits, order);
    case DType::i32:
      return set_keys<DType::i32>(keys.data(), bits, order);
    case DType::u32:
      return set_keys<DType::u32>(keys.data(), bits, order);
    default:
      return set_keys<DType::boolean>(keys.data(), bits, order);
  }
}

/// Writes what a sorted row is asked for: the keys in order, the payload in order, or the places.
struct Results {
  const Word *keys, *payload;  ///< payload may be null
  Word *sorted, *moved;        ///< either may be null

  bool keys_alone() const { return moved == nullptr; }

  void take(const Word* sorted_keys, int64_t row, const Order& order) const {
    for (int64_t i = 0; i < order.keep; ++i)
      sorted[row * order.keep + i] = bits_of_sort_key(order.dtype, sorted_keys[i], order.flip);
  }

  void take(const Pair* pairs, int64_t row, const Order& order) const {
    const int64_t in = row * order.length, out = row * order.keep;
    for (int64_t i = 0; i < order.keep; ++i) {
      const Word place = static_cast<Word>(pairs[i]);
      if (sorted != nullptr) sorted[out + i] = keys[in + place];
      if (moved != nullptr) moved[out + i] = payload != nullptr ? payload[in + place] : place;
    }
  }
};

void sort_row(const Results& results, Rows& rows, const Order& order, int64_t row, int64_t chunks, ThreadPool& pool) {
  const Word* bits = results.keys + row * order.length;
  if (order.selects()) {
    find_first({bits, order.dtype, order.flip, order.length, order.keep}, chunks, pool, rows.pairs);
    return results.take(rows.pairs.data(), row, order);
  }
  if (results.keys_alone() && set_keys(rows.keys, bits, order)) {
    sort_row(rows.keys, rows.keys_scratch, order, chunks, pool);
    return results.take(rows.keys.data(), row, order);
  }
  rows.pairs.resize(static_cast<size_t>(order.length));
  for (int64_t i = 0; i < order.length; ++i) rows.pairs[static_cast<size_t>(i)] = order.pair(bits[i], i);
  sort_row(rows.pairs, rows.pairs_scratch, order, chunks, pool);
  results.take(rows.pairs.data(), row, order);
}

/// The keys of `count` rows from `row` on, side by side, with rows of 0 behind the last; false where one does not tell
/// its element's bits.
bool set_keys(Rows& rows, const Results& results, const Order& order, int64_t row, int64_t count) {
  const auto size = static_cast<size_t>(order.length * sorted_at_once);
  count < sorted_at_once ? rows.side_by_side.assign(size, 0) : rows.side_by_side.resize(size);
  for (int64_t r = 0; r < count; ++r) {
    if (!set_keys(rows.keys, results.keys + (row + r) * order.length, order)) return false;
    Word* to = rows.side_by_side.data() + r;
    for (int64_t i = 0; i < order.length; ++i) to[i * sorted_at_once] = rows.keys[static_cast<size_t>(i)];
  }
  return true;
}

/// Sorts several short rows of keys alone at once; false, and nothing done, where they have to be sorted one by one.
bool sort_side_by_side(const Results& results, Rows& rows, const Order& order, int64_t row, int64_t count) {
  if (!set_keys(rows, results, order, row, count)) return false;
  sort_block()(rows.side_by_side.data(), order.length);
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t i = 0; i < order.keep; ++i)
      rows.keys[static_cast<size_t>(i)] = rows.side_by_side[static_cast<size_t>(i * sorted_at_once + r)];
    results.take(rows.keys.data(), row + r, order);
  }
  return true;
}

void sort_rows(const Results& results, const Order& order, int64_t first, int64_t last, int64_t chunks,
               ThreadPool& pool) {
  Rows rows;
  const bool short_keys = results.keys_alone() && order.length < short_row && !order.selects();
  for (int64_t row = first, count = 0; row < last; row += count) {
    count = short_keys ? std::min(last - row, sorted_at_once) : 1;
    if (count > 1 && sort_side_by_side(results, rows, order, row, count)) continue;
    for (int64_t r = row; r < row + count; ++r) sort_row(results, rows, order, r, chunks, pool);
  }
}

}  // namespace

Words values_of(const Expr& expr, ThreadPool& pool) {
  const EvaluatorProgram program(expr);
  const int64_t elements = program.elements();
  Words values(elements);
  pool.parallel_for(elements, chunk_elements, [&](int64_t begin, int64_t end) {
    Evaluator value(program);
    for (int64_t at = begin, count = 0; at < end; at += count) {
      count = program.span(at, end);
      value(at, count, nullptr, values.data() + at);
    }
  });
  return values;
}

void run_sort(const SortKernel& kernel, ThreadPool& pool) {
  if (!kernel.read.empty()) return sort_places(kernel, pool);
  const int64_t length = kernel.keys.domain[kernel.kept_rank], rows = kernel.keys.domain.elements() / length;
  const Order order{kernel.keys.dtype(), kernel.descending ? ~Word{0} : 0, length, kernel.keep};
  const Words keys = values_of(kernel.keys, pool),
              payload = kernel.payload ? values_of(*kernel.payload, pool) : Words(0);
  const bool both = kernel.second.buffer != nullptr;
  const Words accumulator(rows * kernel.keep), moved(both ? rows * kernel.keep : 0);
  const Results results{keys.data(), kernel.payload ? payload.data() : nullptr,
                        kernel.places ? nullptr : accumulator.data(),
                        kernel.places ? accumulator.data()
                        : both        ? moved.data()
                                      : nullptr};
  const int64_t chunks = std::min<int64_t>(pool.threads(), length / fewest_in_chunk);
  if (rows < pool.threads() && chunks > 1) {
    sort_rows(results, order, 0, rows, chunks, pool);
  } else {
    pool.parallel_for(rows, grain(4 * length), [&](int64_t begin, int64_t end) {
      sort_rows(results, order, begin, end, 1, pool);  // one chunk runs on this thread alone
    });
  }
  run_epilogue(EvaluatorProgram(kernel.epilogue), accumulator.data(), Elements(kernel.out), pool);
  if (both) run_epilogue(EvaluatorProgram(kernel.epilogue), moved.data(), Elements(kernel.second), pool);
}

}  // namespace eglantine::cpu
