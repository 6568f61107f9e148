#if defined(__x86_64__)
#define EG_INSTRUCTION_SET avx2
#define EG_F16C
#define EG_VECTOR [[gnu::flatten, gnu::target("avx2,fma,f16c")]]
#include "backend/cpu/instructions/block_ops_body.hpp"
#endif
