// What every processor of the architecture runs.
#define EG_INSTRUCTION_SET baseline
#define EG_VECTOR [[gnu::flatten]]
#include "backend/cpu/block_ops_body.hpp"
