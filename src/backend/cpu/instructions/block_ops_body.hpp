// The functions of block_ops.hpp for one instruction set. Its file defines EG_INSTRUCTION_SET, the namespace, and
// EG_VECTOR, the attributes that select the instructions, EG_F16C where those include F16C and AVX2, EG_AVX512 where
// they include AVX-512, and includes this once. Loops are plain C++ to vectorize. Only they are compiled for the wider
// set: `flatten` inlines what they call, of which the linker may keep any copy.

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#if defined(EG_F16C)
#include <immintrin.h>
#endif

#include "backend/cpu/instructions/block_ops.hpp"
#include "backend/cpu/instructions/math.hpp"
#include "element_types.hpp"
#include "graph/op/identities.hpp"
#include "graph/op/op_info.hpp"
#include "layout/reduce_tree.hpp"

namespace eglantine::cpu::EG_INSTRUCTION_SET {

namespace {

// ---- elements

template <class T>
T element(Word word) {
  if constexpr (std::is_same_v<T, bool>)
    return word != 0;
  else
    return std::bit_cast<T>(static_cast<uint32_t>(word));
}

template <class T>
Word word_of(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? 1u : 0u;
  else
    return std::bit_cast<uint32_t>(value);
}

// constexpr, unlike takes() of op_info.hpp.
template <class T>
constexpr bool takes(Types types) {
  switch (types) {
    case Types::real:
      return std::is_same_v<T, float>;
    case Types::integer:
      return std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t>;
    case Types::numeric:
      return !std::is_same_v<T, bool>;
    case Types::word:
      return std::is_same_v<T, uint32_t>;
    case Types::logical:
      return std::is_same_v<T, bool>;
    case Types::any:
    case Types::where:
      return true;
  }
  return false;
}

// ---- element-wise operations

#define EG_ELEMENTWISE(name, arity_, types_, result, glsl, expression, ...)               \
  struct name##_row {                                                                     \
    static constexpr int arity = arity_;                                                  \
    static constexpr Types types = Types::types_;                                         \
    template <class X, class T>                                                           \
    static auto apply([[maybe_unused]] X x, [[maybe_unused]] T y, [[maybe_unused]] T z) { \
      return expression;                                                                  \
    }                                                                                     \
  };
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION

template <class Row, class T>
EG_VECTOR void elementwise_loop(Word* __restrict out, const Word* __restrict x,
                                [[maybe_unused]] const Word* __restrict y, [[maybe_unused]] const Word* __restrict z,
                                int64_t n) {
  using X = std::conditional_t<Row::types == Types::where, bool, T>;
  for (int64_t i = 0; i < n; ++i) {
    T second{}, third{};
    if constexpr (Row::arity > 1) second = element<T>(y[i]);
    if constexpr (Row::arity > 2) third = element<T>(z[i]);
    out[i] = word_of(Row::apply(element<X>(x[i]), second, third));
  }
}

#if defined(EG_F16C)
// Eight halves at a time. NaN becomes the one that half::rounded gives: the sign, and a quiet bit.
EG_VECTOR inline __m128i eight_halves(const Word* x) {
  const __m256 value = _mm256_loadu_ps(reinterpret_cast<const float*>(x));
  const __m256 sign = _mm256_and_ps(value, _mm256_set1_ps(-0.0F));
  const __m256 nan = _mm256_or_ps(sign, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)));
  const __m256 one_nan = _mm256_blendv_ps(value, nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
  return _mm256_cvtps_ph(one_nan, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

template <>
EG_VECTOR void elementwise_loop<round_f16_row, float>(Word* __restrict out, const Word* __restrict x,
                                                      const Word* __restrict, const Word* __restrict, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(reinterpret_cast<float*>(out + i), _mm256_cvtph_ps(eight_halves(x + i)));
  for (; i < n; ++i) out[i] = half::widened(half::rounded(x[i]));
}
#endif

#include "backend/cpu/instructions/block_ops_circular.hpp"
#include "backend/cpu/instructions/block_ops_streams.hpp"

template <class Row>
ElementwiseBlock of_row(DType argument) {
  return with_computed_type(argument, []<class T>() -> ElementwiseBlock {
    if constexpr (takes<T>(Row::types))
      return &elementwise_loop<Row, T>;
    else
      return nullptr;
  });
}

ElementwiseBlock elementwise(Op op, DType argument) {
  switch (op) {
#define EG_ELEMENTWISE(name, ...) \
  case Op::name:                  \
    return of_row<name##_row>(argument);
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
    default:
      return nullptr;
  }
}

// ---- casts

template <class From, class To>
EG_VECTOR void cast_loop(Word* __restrict out, const Word* __restrict x, const Word*, const Word*, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const From value = element<From>(x[i]);
    if constexpr (std::is_same_v<To, float>)
      out[i] = word_of(cpu_math::to_float(value));
    else if constexpr (std::is_same_v<To, int32_t>)
      out[i] = word_of(cpu_math::to_int(value));
    else if constexpr (std::is_same_v<To, uint32_t>)
      out[i] = word_of(cpu_math::to_uint(value));
    else
      out[i] = word_of(cpu_math::to_bool(value));
  }
}

ElementwiseBlock cast(DType from, DType to) {
  return with_computed_type(from, [to]<class From>() {
    return with_computed_type(to, []<class To>() -> ElementwiseBlock { return &cast_loop<From, To>; });
  });
}

// ---- elements as they are stored

// As F16C converts: NaN becomes quiet.
template <class T>
Word widened(T value) {
  const Word word = computed_bits(value);
  if constexpr (!std::is_same_v<T, half>) return word;
  return word | ((word & 0x7fffffffU) > 0x7f800000U ? 0x400000U : 0U);
}

template <class T>
EG_VECTOR void widen_loop(Word* __restrict out, const void* __restrict x, int64_t n) {
  const T* from = static_cast<const T*>(x);
  for (int64_t i = 0; i < n; ++i) out[i] = widened(from[i]);
}

template <class T>
EG_VECTOR void narrow_loop(void* __restrict out, const Word* __restrict x, int64_t n) {
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) to[i] = stored_element<T>(x[i]);
}

#if defined(EG_F16C)
template <>
EG_VECTOR void widen_loop<half>(Word* __restrict out, const void* __restrict x, int64_t n) {
  const half* from = static_cast<const half*>(x);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(reinterpret_cast<float*>(out + i),
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  for (; i < n; ++i) out[i] = widened(from[i]);
}

template <>
EG_VECTOR void narrow_loop<half>(void* __restrict out, const Word* __restrict x, int64_t n) {
  half* to = static_cast<half*>(out);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), eight_halves(x + i));
  for (; i < n; ++i) to[i] = stored_element<half>(x[i]);
}
#endif

StorageBlocks storage(StorageType storage) {
  switch (storage) {
    case StorageType::boolean_byte:
      return {&widen_loop<uint8_t>, &narrow_loop<bool>};  // bytes 0 and 1
    case StorageType::f16:
      return {&widen_loop<half>, &narrow_loop<half>};
    case StorageType::bf16:
      return {&widen_loop<bfloat16>, &narrow_loop<bfloat16>};
    case StorageType::i8:
      return {&widen_loop<int8_t>, &narrow_loop<int8_t>};
    case StorageType::u8:
      return {&widen_loop<uint8_t>, &narrow_loop<uint8_t>};
    default:
      return {&widen_loop<Word>, &narrow_loop<Word>};
  }
}

// ---- reductions

#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(name, types_, result, accumulator, glsl, expression, identity_, ...) \
  struct name##_row {                                                                     \
    static constexpr Types types = Types::types_;                                         \
    static constexpr bool is_arg = Accumulator::accumulator == Accumulator::pair;         \
    static constexpr bool selects = is_selection(Reduction::name);                        \
    template <class T>                                                                    \
    static constexpr T combine(T a, T b) {                                                \
      return expression;                                                                  \
    }                                                                                     \
    template <class T>                                                                    \
    static T identity() {                                                                 \
      return identity_;                                                                   \
    }                                                                                     \
  };
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION

template <class Row, class T>
EG_VECTOR void accumulate_loop(Word* __restrict accumulator, const Word* __restrict x, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    accumulator[i] = word_of(Row::template combine<T>(element<T>(accumulator[i]), element<T>(x[i])));
}

template <class Row, class T>
EG_VECTOR void prefix_loop(Word* __restrict out, const Word* __restrict x, int64_t n, Word base, Word& low) {
  const T before = element<T>(base);
  T sum = element<T>(low);
  for (int64_t i = 0; i < n; ++i) {
    sum = Row::template combine<T>(sum, element<T>(x[i]));
    out[i] = word_of(Row::template combine<T>(before, sum));
  }
  low = word_of(sum);
}

// to[i] = of x[i] and the `step` - 1 elements before it the one that is selected, from what is so for half as many.
template <class Row, class T>
EG_VECTOR void select_of_more(T* __restrict to, const T* __restrict from, int64_t n, int64_t step) {
  for (int64_t i = 0; i < std::min(step, n); ++i) to[i] = from[i];
  for (int64_t i = step; i < n; ++i) to[i] = Row::template combine<T>(from[i - step], from[i]);
}

// What each element and those before it in a run give first, all side by side: an element may be taken twice. Then once
// a run what precedes it. One after another, each would wait for the several instructions of the one before (1024 on an
// EPYC: 3.0 us, so 0.8).
template <class Row, class T>
EG_VECTOR void selection_prefix_loop(Word* __restrict out, const Word* __restrict x, int64_t n, Word base, Word& low) {
  constexpr int64_t run = 16;
  std::array<T, block_elements> one, other;
  T total = element<T>(low);
  for (int64_t start = 0; start < n; start += block_elements) {
    const int64_t count = std::min(block_elements, n - start);
    for (int64_t i = 0; i < count; ++i) one[static_cast<size_t>(i)] = element<T>(x[start + i]);
    for (int64_t step = 1; step < run; step *= 4) {
      select_of_more<Row, T>(other.data(), one.data(), count, step);
      select_of_more<Row, T>(one.data(), other.data(), count, 2 * step);
    }
    for (int64_t first = 0; first < count; first += run) {
      const int64_t end = std::min(count, first + run);
      const T before = Row::template combine<T>(element<T>(base), total);
      for (int64_t i = first; i < end; ++i)
        out[start + i] = word_of(Row::template combine<T>(before, one[static_cast<size_t>(i)]));
      total = Row::template combine<T>(total, one[static_cast<size_t>(end - 1)]);
    }
  }
  low = word_of(total);
}

template <class Row, class T>
constexpr auto prefix_of() {
  if constexpr (Row::selects && std::is_same_v<T, float>)
    return &selection_prefix_loop<Row, T>;
  else
    return &prefix_loop<Row, T>;
}

template <class Row, class T>
EG_VECTOR Word fold_lanes_loop(const Word* __restrict accumulators, int64_t lanes) {
  const auto combine = [](Word a, Word b) { return word_of(Row::template combine<T>(element<T>(a), element<T>(b))); };
  std::array<Word, layout::row_lanes> lane;
  for (int64_t i = 0; i < lanes; ++i) {
    const Word* c = accumulators + 4 * i;
    lane[static_cast<size_t>(i)] = combine(combine(c[0], c[1]), combine(c[2], c[3]));
  }
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    Word* low = lane.data();
    const Word* high = low + half;
    for (int64_t i = 0; i < half; ++i) low[i] = combine(low[i], high[i]);
  }
  return lane[0];
}

template <class Row>
ReductionBlocks of_reduction(DType dtype) {
  return with_computed_type(dtype, []<class T>() -> ReductionBlocks {
    if constexpr (takes<T>(Row::types) && !Row::is_arg)
      return {&accumulate_loop<Row, T>, prefix_of<Row, T>(), &fold_lanes_loop<Row, T>,
              word_of(Row::template identity<T>()), Row::selects || !std::is_same_v<T, float>};
    else
      return {};
  });
}

ReductionBlocks reduction(Reduction reduction, DType dtype) {
  switch (reduction) {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(name, ...) \
  case Reduction::name:         \
    return of_reduction<name##_row>(dtype);
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
    case Reduction::custom:
      break;
  }
  return {};
}

// ---- argmax and argmin

template <bool largest, class T>
bool beats(T x, T best) {
  const bool better = largest ? x > best : x < best;
  // Branch-free, so that loops over it vectorize.
  return cpu_math::logical_or(better, cpu_math::logical_and(cpu_math::isnan(x), !cpu_math::isnan(best)));
}

// The best of x[0..n), n > 0; any one of equals. Explicit vectors: the compiler does not vectorize this loop.
template <bool largest, class T>
EG_VECTOR T best_of(const Word* x, int64_t n) {
  constexpr int64_t lanes = 16;
  using Vector [[gnu::vector_size(lanes * sizeof(T))]] = T;
  T best = element<T>(x[0]);
  int64_t i = 0;
  if (n >= lanes) {
    Vector lane, value;
    __builtin_memcpy(&lane, x, sizeof(lane));
    for (i = lanes; i + lanes <= n; i += lanes) {
      __builtin_memcpy(&value, x + i, sizeof(value));
      const auto better = largest ? value > lane : value < lane;
      lane = better | ((value != value) & (lane == lane)) ? value : lane;  // NaN beats every number
    }
    for (int64_t j = 0; j < lanes; ++j) best = beats<largest>(lane[j], best) ? T(lane[j]) : best;
  }
  for (; i < n; ++i) best = beats<largest>(element<T>(x[i]), best) ? element<T>(x[i]) : best;
  return best;
}

// The start of the first vector of x[0..n) that holds `top`, or of the scalar remainder. `top` is in x.
template <class T>
EG_VECTOR int64_t vector_with(const Word* x, int64_t n, T top) {
  constexpr int64_t lanes = 16;
  using Values [[gnu::vector_size(lanes * sizeof(T))]] = T;
  using Mask [[gnu::vector_size(lanes * sizeof(int32_t))]] = int32_t;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    Values value;
    __builtin_memcpy(&value, x + i, sizeof(value));
    const Mask hit = top == top ? Mask(value == top) : Mask(value != value);
    int32_t any = 0;
    for (int64_t j = 0; j < lanes; ++j) any |= hit[j];
    if (any != 0) break;
  }
  return i;
}

// Finds the best value first, and its position only if it beats `best`.
template <bool largest, class T>
EG_VECTOR void scan_loop(const Word* x, int64_t n, Word first_index, Word& best, Word& best_index) {
  if (n == 0) return;
  const T top = best_of<largest, T>(x, n);
  if (!beats<largest>(top, element<T>(best))) return;
  int64_t i = vector_with<T>(x, n, top);
  while (beats<largest>(top, element<T>(x[i]))) ++i;
  best = x[i];
  best_index = first_index + static_cast<Word>(i);
}

template <bool largest, class T>
EG_VECTOR void merge_loop(Word* __restrict best, Word* __restrict best_index, const Word* __restrict x,
                          const Word* __restrict index, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const Word value = x[i], old = best[i], old_index = best_index[i], new_index = index[i];
    const bool better = beats<largest>(element<T>(value), element<T>(old));
    best[i] = better ? value : old;
    best_index[i] = better ? new_index : old_index;
  }
}

template <class Row>
ArgBlocks of_arg(DType dtype) {
  if constexpr (Row::is_arg) {
    constexpr bool largest = Row::template combine<int>(0, 1) != 0;  // whether 1 beats 0
    return with_computed_type(dtype, []<class T>() -> ArgBlocks {
      if constexpr (takes<T>(Row::types))
        return {&scan_loop<largest, T>, &merge_loop<largest, T>};
      else
        return {};
    });
  }
  return {};
}

ArgBlocks arg(Reduction reduction, DType dtype) {
  switch (reduction) {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(name, ...) \
  case Reduction::name:         \
    return of_arg<name##_row>(dtype);
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
    case Reduction::custom:
      break;
  }
  return {};
}

// ---- integer matrix product

EG_VECTOR void tile_loop(Word* __restrict tile, const Word* __restrict a, const Word* __restrict b, int64_t k) {
  using TileRow [[gnu::vector_size(tile_columns * sizeof(uint32_t))]] = uint32_t;
  std::array<TileRow, tile_rows> sums{};
  for (int64_t step = 0; step < k; ++step) {
    TileRow row;
    __builtin_memcpy(&row, b + step * tile_columns, sizeof(row));
    for (size_t i = 0; i < tile_rows; ++i) sums[i] += row * a[step * tile_rows + static_cast<int64_t>(i)];
  }
  for (size_t i = 0; i < tile_rows; ++i)
    for (size_t j = 0; j < tile_columns; ++j) tile[i * tile_columns + j] += sums[i][j];
}

// ---- rows sorted side by side

/// The smaller key of each row to a, the larger to b.
EG_VECTOR inline void exchange(Word* __restrict a, Word* __restrict b) {
  for (int64_t row = 0; row < sorted_at_once; ++row) {
    const Word x = a[row], y = b[row];
    a[row] = x < y ? x : y;
    b[row] = x < y ? y : x;
  }
}

/// Compares element i with element i + apart, of those whose bit `size` is `bit`.
EG_VECTOR inline void exchange_all(Word* keys, int64_t length, int64_t size, int64_t bit, int64_t apart) {
  for (int64_t first = bit; first < length - apart; first += 2 * size)
    for (int64_t i = first; i < first + size && i < length - apart; ++i)
      exchange(keys + i * sorted_at_once, keys + (i + apart) * sorted_at_once);
}

/// Merge exchange, whose comparisons depend on the length alone: K. E. Batcher, Sorting networks and their applications
/// (1968); D. E. Knuth, The Art of Computer Programming 3, section 5.2.2, algorithm M.
EG_VECTOR void sort_side_by_side(Word* keys, int64_t length) {
  const auto half = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length)) / 2);
  for (int64_t size = half; size > 0; size /= 2) {
    exchange_all(keys, length, size, 0, size);
    for (int64_t span = half; span > size; span /= 2) exchange_all(keys, length, size, size, span - size);
  }
}

// ---- products of small matrices

template <class T, int lanes>
struct SmallRow {
  using Vector [[gnu::vector_size(lanes * sizeof(T))]] = T;
};

/// Adds `steps` products to each row's sums.
template <class T, int lanes, int rows, class Sums>
void add_steps(Sums& sums, const Word* a, int64_t a_row, int64_t a_step, const Word* b, int64_t b_step, int64_t steps) {
  for (int64_t step = 0; step < steps; ++step) {
    typename SmallRow<T, lanes>::Vector right;
    __builtin_memcpy(&right, b + step * b_step, sizeof(right));
    for (int i = 0; i < rows; ++i) sums[static_cast<size_t>(i)] += right * element<T>(a[i * a_row + step * a_step]);
  }
}

/// The first `count` of a row's lanes, in pieces of powers of two.
template <int lanes>
void store_some(Word* to, const Word* row, int64_t count) {
  for (int piece = lanes; piece > 0; piece /= 2) {
    if ((count & piece) == 0) continue;
    for (int i = 0; i < piece; ++i) to[i] = row[i];
    to += piece, row += piece;
  }
}

/// `rows` rows of results from `row` on, in the columns of one vector. A store past the end of a row is whole where a
/// later row comes over what it wrote.
template <class T, int lanes, int rows>
void rows_of_small_product(const SmallProduct& p, int64_t row, int64_t column) {
  std::array<typename SmallRow<T, lanes>::Vector, rows> sums{};
  const Word* a = p.a + row * p.a_row;
  add_steps<T, lanes, rows>(sums, a, p.a_row, p.a_step, p.b + column, p.b_step, p.steps);
  add_steps<T, lanes, rows>(sums, a + p.steps * p.a_step, p.a_row, p.a_step, p.rest + column, padded_columns(p.n),
                            p.k - p.steps);
  for (int i = 0; i < rows; ++i) {
    const int64_t at = (row + i) * p.n + column;
    if (column + lanes <= p.n || (p.n <= lanes && at + lanes <= p.m * p.n)) {
      __builtin_memcpy(p.c + at, &sums[static_cast<size_t>(i)], lanes * sizeof(Word));
    } else {
      std::array<Word, lanes> last;
      __builtin_memcpy(last.data(), &sums[static_cast<size_t>(i)], sizeof(last));
      store_some<lanes>(p.c + at, last.data(), p.n - column);
    }
  }
}

template <class T, int lanes, int rows>
void rest_of_small_product(const SmallProduct& p, int64_t row, int64_t column) {
  if constexpr (rows > 0) {
    if (p.m - row == rows) return rows_of_small_product<T, lanes, rows>(p, row, column);
    rest_of_small_product<T, lanes, rows - 1>(p, row, column);
  }
}

template <class T, int lanes>
void small_product_in(const SmallProduct& p) {
  constexpr int rows = 6;  // with as many sums the additions follow each other without waiting
  for (int64_t row = 0; row < p.m; row += rows)
    for (int64_t column = 0; column < p.n; column += lanes)
      if (row + rows <= p.m)
        rows_of_small_product<T, lanes, rows>(p, row, column);
      else
        rest_of_small_product<T, lanes, rows - 1>(p, row, column);
}

template <class T>
EG_VECTOR void small_product(const SmallProduct& p) {
  switch (small_product_lanes(p.n)) {
    case 4:
      return small_product_in<T, 4>(p);
    case 8:
      return small_product_in<T, 8>(p);
    default:
      return small_product_in<T, 16>(p);
  }
}

#include "backend/cpu/instructions/block_ops_products.hpp"

}  // namespace

extern const BlockTable table;
const BlockTable table{
    elementwise,       cast,    reduction,        arg, tile_loop, small_product<float>, small_product<uint32_t>,
    product_of_floats, storage, sort_side_by_side};

}  // namespace eglantine::cpu::EG_INSTRUCTION_SET
