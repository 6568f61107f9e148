#if defined(__x86_64__)
#define EG_INSTRUCTION_SET avx512
#define EG_F16C
#define EG_AVX512
#if defined(__clang__)
#define EG_VECTOR [[gnu::flatten, gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c")]]
#else
#define EG_VECTOR \
  [[gnu::flatten, gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c,prefer-vector-width=512")]]
#endif
#include "backend/cpu/instructions/block_ops_body.hpp"
#endif
