#include "lower/attention/gradient/sum.hpp"

#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/attention/operand.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

using codegen::define;

class AttentionGradientSum : public BoundProgram {
 public:
  AttentionGradientSum(const Target& target, const AttentionGradientKernel& kernel, const Strided& parts,
                       const AttentionGradientTile& tile)
      : BoundProgram(target), kernel_(kernel), tile_(tile) {
    const Layout& out = kernel.out.layout;
    const int64_t count = out.size(), row = parts.layout.strides[2];
    vectors_ = reads_vectors(out);
    parts_ = bindings_.add_read(parts.buffer.get(), parts.storage, vectors_, {0, tile.parts * count - 1});
    out_ = bindings_.add_write(kernel.out.buffer.get(), kernel.out.storage, vectors_, layout::reach(out));
    const int64_t width = vectors_ ? vector_width : 1, items = count / width;
    group_ = group_size_of(target, invocations);
    grid_ = streaming_grid(target, items, group_, group_, tile.parts);
    for (int64_t value : {items, grid_.chunk, tile.parts, row / width, kernel.rows, int64_t{tile.tile_others()},
                          int64_t{tile.tile_lines()}, (out.offset - bindings_.first_element(out_)) / width,
                          (out.strides[2] - row) / width})
      uniforms_.add(value);
  }

  Dispatch dispatch() const {
    const std::string defines = define("EG_GROUP_SIZE", group_) + define("EG_VALUE", vectors_ ? "vec4" : "float") +
                                define("EG_X", codegen::block_name(parts_)) +
                                define("EG_Y", codegen::block_name(out_)) + (kernel_.causal ? define("EG_CAUSAL") : "");
    Dispatch dispatch = dispatch_of("attention gradient of q f32, sum of " + std::to_string(tile_.parts) + " parts",
                                    {"attention_gradient_sum.comp", defines, ""}, bindings_, uniforms_);
    dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
    return dispatch;
  }

 private:
  static constexpr int64_t invocations = 256;
  const AttentionGradientKernel& kernel_;
  const AttentionGradientTile& tile_;
  Grid grid_;
  bool vectors_ = false;
  int parts_ = -1, out_ = -1;
  int64_t group_ = 0;
};

}  // namespace

void add_parts(Lowering& lowering, const AttentionGradientKernel& kernel, const Strided& parts,
               const AttentionGradientTile& tile) {
  lowering.dispatch(AttentionGradientSum(lowering.target(), kernel, parts, tile).dispatch());
}

}  // namespace eglantine::lower
