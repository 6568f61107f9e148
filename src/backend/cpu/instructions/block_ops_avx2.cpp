#if defined(__x86_64__)
#define EG_INSTRUCTION_SET avx2
#define EG_VECTOR [[gnu::flatten, gnu::target("avx2,fma")]]
#include "backend/cpu/instructions/block_ops_body.hpp"
#endif
