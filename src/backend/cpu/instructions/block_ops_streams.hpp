// Part of block_ops_body.hpp: rows of ops.def whose loop over elements one by one is not the best one. Same bits.

// ---- sin, cos, tan: all elements by what holds within the limit, then those beyond it one at a time

template <float (*within)(float), float (*any)(float)>
EG_VECTOR void circular_loop(Word* __restrict out, const Word* __restrict x, int64_t n) {
  uint32_t beyond = 0;
  for (int64_t i = 0; i < n; ++i) {
    const float value = element<float>(x[i]);
    out[i] = word_of(within(value));
    beyond |= cpu_math::is_circular(value) ? 0U : 1U;
  }
  for (int64_t i = 0; beyond != 0 && i < n; ++i)
    if (!cpu_math::is_circular(element<float>(x[i]))) out[i] = word_of(any(element<float>(x[i])));
}

#define EG_CIRCULAR(name)                                                                                         \
  template <>                                                                                                     \
  EG_VECTOR void elementwise_loop<name##_row, float>(Word* __restrict out, const Word* __restrict x,              \
                                                     const Word* __restrict, const Word* __restrict, int64_t n) { \
    circular_loop<cpu_math::name##_within, cpu_math::name>(out, x, n);                                            \
  }
EG_CIRCULAR(sin)
EG_CIRCULAR(cos)
EG_CIRCULAR(tan)
#undef EG_CIRCULAR

// ---- random words: numbers that rise by 1 or 2 share blocks of four words

constexpr int64_t most_random_blocks = block_elements / 2 + 1;  // of block_elements numbers two apart

/// Whether x is x[0], x[0] + step, ... without wrapping, and the key the same throughout.
EG_VECTOR inline bool is_stream(const Word* x, const Word* low, const Word* high, int64_t n, Word step) {
  Word differs = 0;
  for (int64_t i = 0; i < n; ++i)
    differs |= (x[i] ^ (x[0] + static_cast<Word>(i) * step)) | (low[i] ^ low[0]) | (high[i] ^ high[0]);
  return differs == 0 && x[0] <= x[n - 1];
}

/// to[4 b + w] = word w of counter (first + b, 0, verb, 0).
EG_VECTOR inline void random_blocks(Word* __restrict to, Word verb, Word first, Word low, Word high, int64_t blocks) {
  for (int64_t b = 0; b < blocks; ++b) {
    const std::array<uint32_t, 4> words = philox_block({first + static_cast<Word>(b), 0U, verb, 0U}, low, high);
    for (int64_t w = 0; w < 4; ++w) to[4 * b + w] = words[static_cast<size_t>(w)];
  }
}

template <Word verb>
EG_VECTOR void random_loop(Word* __restrict out, const Word* __restrict x, const Word* __restrict low,
                           const Word* __restrict high, int64_t n) {
  const Word step = n > 1 ? x[1] - x[0] : 1;
  if (n > block_elements || n < 1 || step < 1 || step > 2 || !is_stream(x, low, high, n, step)) {
    for (int64_t i = 0; i < n; ++i) out[i] = cpu_math::philox(verb, x[i], low[i], high[i]);
    return;
  }
  std::array<Word, 4 * most_random_blocks> words;
  const Word first = x[0] / 4, last = x[n - 1] / 4;
  random_blocks(words.data(), verb, first, low[0], high[0], static_cast<int64_t>(last - first) + 1);
  const Word* from = words.data() + x[0] % 4;
  if (step == 1)
    for (int64_t i = 0; i < n; ++i) out[i] = from[i];
  else
    for (int64_t i = 0; i < n; ++i) out[i] = from[2 * i];
}

#define EG_RANDOM(name, verb)                                                                                    \
  template <>                                                                                                    \
  EG_VECTOR void elementwise_loop<name##_row, uint32_t>(Word* __restrict out, const Word* __restrict x,          \
                                                        const Word* __restrict low, const Word* __restrict high, \
                                                        int64_t n) {                                             \
    random_loop<verb>(out, x, low, high, n);                                                                     \
  }
EG_RANDOM(philox, 0)
EG_RANDOM(philox_normal, 1)
EG_RANDOM(philox_randint, 2)
EG_RANDOM(philox_bernoulli, 3)
EG_RANDOM(philox_exponential, 4)
EG_RANDOM(philox_gumbel, 5)
EG_RANDOM(philox_laplace, 6)
EG_RANDOM(philox_truncated, 7)
EG_RANDOM(philox_permutation, 8)
EG_RANDOM(philox_categorical, 9)
#undef EG_RANDOM
