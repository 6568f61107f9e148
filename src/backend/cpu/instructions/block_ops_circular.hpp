// Part of block_ops_body.hpp: rows of ops.def whose loop over elements one by one is not the best one. Same bits.

// ---- sin, cos (for results of 16 bits, too), tan: all elements by what holds within the limit, then those beyond it
// one at a time

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

#define EG_CIRCULAR(row, name)                                                                                   \
  template <>                                                                                                    \
  EG_VECTOR void elementwise_loop<row##_row, float>(Word* __restrict out, const Word* __restrict x,              \
                                                    const Word* __restrict, const Word* __restrict, int64_t n) { \
    circular_loop<cpu_math::name##_within, cpu_math::name>(out, x, n);                                           \
  }
EG_CIRCULAR(sin, sin)
EG_CIRCULAR(cos, cos)
EG_CIRCULAR(tan, tan)
EG_CIRCULAR(sin_near, sin)
EG_CIRCULAR(cos_near, cos)
#undef EG_CIRCULAR
