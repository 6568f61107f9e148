// Part of block_ops_body.hpp: rows of ops.def whose loop over elements one by one is not the best one. Same bits.

// ---- random words: numbers that rise by 1 or 2 share blocks of four words

constexpr int64_t most_random_blocks = block_elements / 2 + 1;  // of block_elements words two apart

/// Whether x is x[0], x[0] + step, ... without wrapping, and the key the same throughout.
EG_VECTOR inline bool is_stream(const Word* x, const Word* low, const Word* high, int64_t n, Word step) {
  Word differs = 0;
  for (int64_t i = 0; i < n; ++i)
    differs |= (x[i] ^ (x[0] + static_cast<Word>(i) * step)) | (low[i] ^ low[0]) | (high[i] ^ high[0]);
  return differs == 0 && x[0] <= x[n - 1];
}

/// to[4 b + w] = word w of counter (first + b, 0, verb, 0), for b up to `blocks` and on to whole vectors.
#if defined(EG_F16C)
#if defined(EG_AVX512)
constexpr int64_t random_lanes = 8;
#define EG_PRODUCT(x, y) _mm512_maskz_mul_epu32(0xff, x, y)  // without a mask GCC 12 warns of its own header
using LaneBits = __m512i;
#else
constexpr int64_t random_lanes = 4;
#define EG_PRODUCT _mm256_mul_epu32
using LaneBits = __m256i;
#endif

// Lanes of 64 bits whose low halves are the words: what the multiplication of words into 64 bits reads and gives.
EG_VECTOR inline void random_blocks(Word* __restrict to, Word verb, Word first, Word low, Word high, int64_t blocks) {
  using Lanes [[gnu::vector_size(8 * random_lanes)]] = uint64_t;
  const Lanes factor0 = Lanes{} + philox_factor0, factor1 = Lanes{} + philox_factor1;
  Lanes number{};
  for (int64_t lane = 0; lane < random_lanes; ++lane) number[lane] = first + static_cast<Word>(lane);
  for (int64_t b = 0; b < blocks; b += random_lanes, number += uint64_t{random_lanes}) {
    Lanes c0 = number, c1{}, c2 = Lanes{} + verb, c3{};
    Word key_low = low, key_high = high;
    for (int i = 0; i < philox_rounds; ++i) {
      const auto product0 =
          reinterpret_cast<Lanes>(EG_PRODUCT(reinterpret_cast<LaneBits>(c0), reinterpret_cast<LaneBits>(factor0)));
      const auto product1 =
          reinterpret_cast<Lanes>(EG_PRODUCT(reinterpret_cast<LaneBits>(c2), reinterpret_cast<LaneBits>(factor1)));
      c0 = (product1 >> 32) ^ c1 ^ key_low;
      c2 = (product0 >> 32) ^ c3 ^ key_high;
      c1 = product1;
      c3 = product0;
      key_low += philox_step_low;
      key_high += philox_step_high;
    }
    const Lanes pair0 = (c0 & 0xffffffffU) | c1 << 32, pair1 = (c2 & 0xffffffffU) | c3 << 32;
    for (int64_t lane = 0; lane < random_lanes; ++lane) {
      const std::array<uint64_t, 2> block{pair0[lane], pair1[lane]};
      __builtin_memcpy(to + 4 * (b + lane), block.data(), sizeof(block));
    }
  }
}
#undef EG_PRODUCT
#else
constexpr int64_t random_lanes = 1;

EG_VECTOR inline void random_blocks(Word* __restrict to, Word verb, Word first, Word low, Word high, int64_t blocks) {
  for (int64_t b = 0; b < blocks; ++b) {
    const std::array<uint32_t, 4> words = philox_block({first + static_cast<Word>(b), 0U, verb, 0U}, low, high);
    for (int64_t w = 0; w < 4; ++w) to[4 * b + w] = words[static_cast<size_t>(w)];
  }
}
#endif

/// Words scale x + offset of a verb's stream.
template <Word verb, Word scale, Word offset>
EG_VECTOR void random_loop(Word* __restrict out, const Word* __restrict x, const Word* __restrict low,
                           const Word* __restrict high, int64_t n) {
  const Word step = n > 1 ? x[1] - x[0] : 1;
  const Word first = n < 1 ? 0 : scale * x[0] + offset, last = n < 1 ? 0 : scale * x[n - 1] + offset;
  if (n > block_elements || n < 1 || step < 1 || step > 2 / scale || last < first ||
      !is_stream(x, low, high, n, step)) {
    for (int64_t i = 0; i < n; ++i) out[i] = cpu_math::philox(verb, scale * x[i] + offset, low[i], high[i]);
    return;
  }
  std::array<Word, 4 * (most_random_blocks + random_lanes)> words;
  random_blocks(words.data(), verb, first / 4, low[0], high[0], static_cast<int64_t>(last / 4 - first / 4) + 1);
  const Word* from = words.data() + first % 4;
  if (step * scale == 1)
    for (int64_t i = 0; i < n; ++i) out[i] = from[i];
  else
    for (int64_t i = 0; i < n; ++i) out[i] = from[2 * i];
}

#define EG_RANDOM_WORDS(name, verb, scale, offset)                                                               \
  template <>                                                                                                    \
  EG_VECTOR void elementwise_loop<name##_row, uint32_t>(Word* __restrict out, const Word* __restrict x,          \
                                                        const Word* __restrict low, const Word* __restrict high, \
                                                        int64_t n) {                                             \
    random_loop<verb, scale, offset>(out, x, low, high, n);                                                      \
  }
#define EG_RANDOM(name, verb) EG_RANDOM_WORDS(name, verb, 1, 0)
EG_RANDOM(philox, 0)
EG_RANDOM_WORDS(philox_randint_high, 2, 2, 0)
EG_RANDOM_WORDS(philox_randint_low, 2, 2, 1)
EG_RANDOM(philox_bernoulli, 3)
EG_RANDOM(philox_exponential, 4)
EG_RANDOM(philox_gumbel, 5)
EG_RANDOM(philox_laplace, 6)
EG_RANDOM(philox_truncated, 7)
EG_RANDOM(philox_permutation, 8)
EG_RANDOM(philox_categorical, 9)
#undef EG_RANDOM
#undef EG_RANDOM_WORDS

// ---- normal numbers: both of a pair, from the words of shared blocks

/// Numbers in place of words, two by two.
EG_VECTOR inline void normal_pairs(Word* words, int64_t pairs) {
  std::array<Word, 2 * most_random_blocks> first, second;
  for (int64_t i = 0; i < pairs; ++i) {
    first[static_cast<size_t>(i)] = words[2 * i];
    second[static_cast<size_t>(i)] = words[2 * i + 1];
  }
  for (size_t i = 0; i < static_cast<size_t>(pairs); ++i) {
    const cpu_math::NormalPair pair = cpu_math::normal_pair(first[i], second[i]);
    first[i] = word_of(pair.even);
    second[i] = word_of(pair.odd);
  }
  for (int64_t i = 0; i < pairs; ++i) {
    words[2 * i] = first[static_cast<size_t>(i)];
    words[2 * i + 1] = second[static_cast<size_t>(i)];
  }
}

template <>
EG_VECTOR void elementwise_loop<philox_normal_row, uint32_t>(Word* __restrict out, const Word* __restrict x,
                                                             const Word* __restrict low, const Word* __restrict high,
                                                             int64_t n) {
  if (n > block_elements || n < 1 || !is_stream(x, low, high, n, 1)) {
    for (int64_t i = 0; i < n; ++i) out[i] = word_of(cpu_math::philox_normal(x[i], low[i], high[i]));
    return;
  }
  std::array<Word, 4 * (most_random_blocks + random_lanes)> words;
  const Word first = x[0] / 4;
  const auto blocks = static_cast<int64_t>(x[n - 1] / 4 - first) + 1;
  random_blocks(words.data(), 1, first, low[0], high[0], blocks);
  normal_pairs(words.data(), 2 * blocks);
  for (int64_t i = 0; i < n; ++i) out[i] = words[static_cast<size_t>(x[0] % 4 + static_cast<Word>(i))];
}
