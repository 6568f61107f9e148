// Instructions that every processor of the architecture has.
#define EG_INSTRUCTION_SET baseline
#define EG_VECTOR [[gnu::flatten]]
#include "backend/cpu/instructions/block_ops_body.hpp"
