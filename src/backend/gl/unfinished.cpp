#include "backend/gl/runtime.hpp"
// Branch-only: a line goes when its family arrives; none of it may reach main.
namespace eglantine::gl {
void run(Runtime&, const TileKernel&) { throw 1; }
}  // namespace eglantine::gl
