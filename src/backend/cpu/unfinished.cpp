#include "backend/cpu/families.hpp"
// Branch-only: a line goes when its family arrives; none of it may reach main.
namespace eglantine::cpu {
void run_tiles(const TileKernel&, ThreadPool&) { throw 1; }
}  // namespace eglantine::cpu
