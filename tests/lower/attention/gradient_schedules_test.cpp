#include <algorithm>
#include <bit>
#include <numeric>

#include "lower/attention/attention_cases.hpp"
#include "lower/attention/gradient/schedule.hpp"

/// The gradient of attention by the schedules for hardware and for software devices, on any device, and in parts.
namespace eglantine::test {
namespace {

using attention::Case;
using attention::Mask;
using attention::text_of;

class AttentionGradientSchedules : public attention::Fixture {
 protected:
  struct Kernels {
    AttentionGradientKernel queries, keys, all;
  };

  static Strided result(int64_t count) {
    return {buffer_of(*device_, Words(static_cast<size_t>(count) + 4, untouched)), StorageType::f32,
            layout::contiguous({count})};
  }

  static Array cotangent_of(const Case& c) { return numbers(c, {c.heads, c.rows, c.results}, 5); }

  /// sum over e of g * result, of what the naive loops give.
  static Array delta_of(const Case& c, const Data& data, const naive::Masking& masking) {
    const Array y = naive::attention(data.q, data.k, data.v, scale_of(c), masking), g = cotangent_of(c);
    return generate(DType::f32, {c.heads, c.rows, 1}, [&](const Dims& at) {
      double sum = 0;
      for (int64_t e = 0; e < c.results; ++e) sum += y.at({at[0], at[1], e}) * g.at({at[0], at[1], e});
      return sum;
    });
  }

  static naive::Masking masking_of(const Case& c, const Data& data) {
    return {c.mask == Mask::none ? nullptr : &data.mask, c.causal};
  }

  static Kernels kernels_of(const Case& c, const Data& data) {
    const naive::Masking masking = masking_of(c, data);
    Array logsumexp = naive::attention_logsumexp(data.q, data.k, scale_of(c), masking);
    logsumexp.shape.push_back(1);
    AttentionGradientKernel x;
    x.heads = c.heads;
    x.rows = c.rows;
    x.columns = c.columns;
    x.features = c.features;
    x.results = c.results;
    x.key_share = c.key_share;
    x.value_share = c.value_share;
    x.q = strided(data.q, c.storage, c.turned);
    x.k = strided(data.k, c.storage, c.turned);
    x.v = strided(data.v, c.storage, c.turned);
    if (c.mask == Mask::truths) x.mask = strided(data.mask, StorageType::boolean_byte, false);
    if (c.mask == Mask::floats) x.mask = strided(data.mask, StorageType::f32, c.turned);
    x.cotangent = strided(cotangent_of(c), c.storage, c.turned);
    x.logsumexp = strided(logsumexp, StorageType::f32, false);
    x.delta = strided(delta_of(c, data, masking), StorageType::f32, false);
    x.causal = c.causal;
    x.scale = std::bit_cast<uint32_t>(static_cast<float>(scale_of(c)));
    Kernels made{x, x, x};
    made.queries.out = result(c.heads * c.rows * c.features);
    made.keys.together = std::gcd(c.key_share, c.value_share);
    made.keys.out = result(c.heads / made.keys.together * c.columns * c.features);
    made.keys.second = result(c.heads / made.keys.together * c.columns * c.results);
    give_results_of_all(made.all, c, made.keys.together);
    return made;
  }

  /// Heads of two batches where they are even, inside rows where there are several.
  static void give_results_of_all(AttentionGradientKernel& all, const Case& c, int64_t together) {
    const int64_t groups = c.heads / together, batches = groups % 2 == 0 ? 2 : 1, inside = groups > batches ? 1 : 0;
    const auto layout_of = [&](int64_t heads, int64_t lines, int64_t width, int64_t first) {
      Layout at = layout::contiguous({batches, heads / batches, lines, width}, first);
      if (inside) at.strides = {heads / batches * lines * width, width, heads / batches * width, 1};
      return at;
    };
    const int64_t of_keys = groups * c.columns * c.features;
    all.together = together;
    all.out = result(c.heads * c.rows * c.features);
    all.out.layout = layout_of(c.heads, c.rows, c.features, 0);
    all.second = result(of_keys + groups * c.columns * c.results);
    all.second.layout = layout_of(groups, c.columns, c.features, 0);
    all.third = layout_of(groups, c.columns, c.results, of_keys);
  }

  /// Side by side in one buffer: (batches, rows, 3, heads, features).
  static void join_results_of_all(AttentionGradientKernel& all, const Case& c) {
    const int64_t batches = c.heads % 2 == 0 ? 2 : 1, heads = c.heads / batches, line = heads * c.features;
    const auto part = [&](int64_t i) {
      return Layout{{batches, heads, c.rows, c.features}, {c.rows * 3 * line, c.features, 3 * line, 1}, i * line};
    };
    all.out = all.second = result(3 * c.heads * c.rows * c.features);
    all.out.layout = part(0);
    all.second.layout = part(1);
    all.third = part(2);
  }

  /// The sum over neighbouring heads, as many as leave `heads`.
  static Array gathered(const Array& x, int64_t heads) {
    const int64_t each = x.shape[0] / heads;
    return generate(DType::f32, {heads, x.shape[1], x.shape[2]}, [&](const Dims& at) {
      double sum = 0;
      for (int64_t i = 0; i < each; ++i) sum += x.at({at[0] * each + i, at[1], at[2]});
      return sum;
    });
  }

  /// (heads, lines, elements) of a result of all that lies at `x` in memory of `count` elements.
  static Array downloaded_of_all(const Strided& memory, const Layout& x, int64_t count) {
    const Array words = downloaded({memory.buffer, memory.storage, layout::contiguous({count})}, {count});
    const int64_t heads = x.shape[1];
    return generate(DType::f32, {x.shape[0] * heads, x.shape[2], x.shape[3]}, [&](const Dims& at) {
      return words.at(
          {x.offset + at[0] / heads * x.strides[0] + at[0] % heads * x.strides[1] + at[1] * x.strides[2] + at[2]});
    });
  }

  /// By one kernel for all three.
  static void expect_gradients_of_all(AsTarget& target, const Case& c, bool joined = false) {
    SCOPED_TRACE(text_of(c));
    const Data data = data_of(c);
    AttentionGradientKernel all = kernels_of(c, data).all;
    if (joined) join_results_of_all(all, c);
    target.run(all);
    const naive::AttentionGradients wanted =
        naive::attention_gradients(data.q, data.k, data.v, cotangent_of(c), scale_of(c), masking_of(c, data));
    constexpr double relative = 1e-5, absolute = 4e-6;
    const int64_t both = joined ? 3 * all.third.size() : all.second.layout.size() + all.third.size();
    const Array q = downloaded_of_all(all.out, all.out.layout, joined ? both : all.out.layout.size()),
                k = downloaded_of_all(all.second, all.second.layout, both),
                v = downloaded_of_all(all.second, all.third, both);
    EXPECT_TRUE(within(q, wanted.q, relative, absolute)) << "q";
    EXPECT_TRUE(within(gathered(k, c.heads / c.key_share), wanted.k, relative, absolute)) << "k";
    EXPECT_TRUE(within(gathered(v, c.heads / c.value_share), wanted.v, relative, absolute)) << "v";
  }

  static void expect_gradients(AsTarget& target, const Case& c) {
    SCOPED_TRACE(text_of(c));
    const Data data = data_of(c);
    const Kernels kernels = kernels_of(c, data);
    target.run(kernels.queries);
    target.run(kernels.keys);
    const naive::AttentionGradients wanted =
        naive::attention_gradients(data.q, data.k, data.v, cotangent_of(c), scale_of(c), masking_of(c, data));
    constexpr double relative = 1e-5, absolute = 4e-6;
    const int64_t heads = c.heads / kernels.keys.together;
    EXPECT_TRUE(within(downloaded(kernels.queries.out, {c.heads, c.rows, c.features}), wanted.q, relative, absolute));
    EXPECT_TRUE(within(gathered(downloaded(kernels.keys.out, {heads, c.columns, c.features}), c.heads / c.key_share),
                       wanted.k, relative, absolute));
    EXPECT_TRUE(
        within(gathered(downloaded(kernels.keys.second, {heads, c.columns, c.results}), c.heads / c.value_share),
               wanted.v, relative, absolute));
  }
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{2, 5, 7, 8, 4},
                                     {1, 1, 1, 1, 1},
                                     {2, 64, 64, 64, 64},
                                     {1, 70, 131, 33, 60, true},
                                     {1, 140, 40, 64, 64, true},
                                     {3, 130, 65, 20, 61, true, Mask::truths},
                                     {1, 33, 40, 100, 100, false, Mask::floats},
                                     {2, 20, 70, 128, 128, true},
                                     {1, 35, 129, 256, 256, true, Mask::floats},
                                     {1, 9, 13, 5, 130},
                                     {2, 9, 70, 5, 3, true},
                                     {4, 17, 66, 12, 8, true, Mask::none, 2, 4},
                                     {8, 40, 19, 12, 8, true, Mask::none, 4, 4},
                                     {6, 5, 9, 4, 12, false, Mask::truths, 3, 2},
                                     {2, 40, 50, 16, 24, true, Mask::none, 1, 1, StorageType::f16},
                                     {2, 40, 50, 15, 23, true, Mask::none, 2, 1, StorageType::f16},
                                     {2, 40, 50, 16, 24, false, Mask::floats, 1, 1, StorageType::f32, true}};
  return all;
}

// Each width of a tile, with whole tiles and with edges of rows, columns, features and results.
TEST_F(AttentionGradientSchedules, one_dispatch_each_whatever_the_lengths) {
  Draw draw = draw_one_of(3);
  for (const Case& c : cases()) {
    if (!draw.next()) continue;
    AsHardware hardware(*device_);
    expect_gradients(hardware, c);
    EXPECT_EQ(hardware.dispatches, 2);
  }
}

// And another where q's gradient has parts.
TEST_F(AttentionGradientSchedules, one_dispatch_of_all_whatever_the_lengths) {
  Draw draw = draw_one_of(2);
  for (const Case& c : cases()) {
    if (!draw.next()) continue;
    AsHardware hardware(*device_);
    expect_gradients_of_all(hardware, c);
    const lower::AttentionGradientTile tile =
        lower::attention_gradient_tile(hardware.target(), kernels_of(c, data_of(c)).all);
    EXPECT_EQ(tile.of_all, std::max(c.features, c.results) <= 128);
    EXPECT_EQ(hardware.dispatches == (tile.parts > 1 ? 2 : 1), tile.of_all);
  }
}

// Rows that a part has nothing for are not read: under a causal mask, in steps that end inside a tile, past all rows.
TEST_F(AttentionGradientSchedules, parts_of_several_tiles_each) {
  Draw draw = draw_one_of(2);
  for (const Case& c : {Case{4, 150, 330, 12, 8, true}, Case{3, 330, 260, 6, 8}, Case{2, 330, 270, 100, 12, true},
                        Case{2, 40, 300, 8, 8, true, Mask::floats}}) {
    if (!draw.next()) continue;
    AsHardware hardware(*device_, 2048);
    const AttentionGradientKernel all = kernels_of(c, data_of(c)).all;
    const lower::AttentionGradientTile tile = lower::attention_gradient_tile(hardware.target(), all);
    EXPECT_GT(tile.parts, 1);
    EXPECT_GT(lower::turns_of(all, tile), 1);
    expect_gradients_of_all(hardware, c);
    // Where the driver does not run so long a loop to its end, kernels apart.
    if (c.rows <= lower::longest_others(hardware.target(), all, tile)) {
      EXPECT_EQ(hardware.dispatches, 2);
    }
  }
}

TEST_F(AttentionGradientSchedules, of_all_side_by_side) {
  for (const Case& c : {Case{4, 150, 150, 12, 12, true}, Case{3, 90, 90, 6, 6}, Case{2, 40, 40, 8, 8, true}}) {
    AsHardware hardware(*device_, 2048);
    expect_gradients_of_all(hardware, c, true);
    EXPECT_LE(hardware.dispatches, 2);
    hardware.plan_for().max_shared_bytes = 1 << 10;
    expect_gradients_of_all(hardware, c, true);
    AsTarget software(*device_, device_->target());
    software.plan_for().software = true;
    expect_gradients_of_all(software, c, true);
  }
}

TEST_F(AttentionGradientSchedules, parts_that_one_binding_covers) {
  const Case c{1, 200, 200, 16, 16, true};
  for (const auto& [bytes, parts] : {std::pair{int64_t{1} << 20, 4}, {3 * 200 * 16 * 4, 3}, {200 * 16 * 4, 1}}) {
    AsHardware hardware(*device_);
    hardware.plan_for().max_block_bytes = bytes;
    EXPECT_EQ(lower::attention_gradient_tile(hardware.target(), kernels_of(c, data_of(c)).all).parts, parts);
    expect_gradients_of_all(hardware, c);
  }
}

TEST_F(AttentionGradientSchedules, of_software_devices) {
  Draw draw = draw_one_of(3);
  for (const Case& c : cases()) {
    if (!draw.next()) continue;
    AsTarget software(*device_, device_->target());
    software.plan_for().software = true;
    software.plan_for().max_loop_trips = 0;
    expect_gradients(software, c);
    EXPECT_EQ(software.dispatches, 2);
    expect_gradients_of_all(software, c);  // apart
  }
}

// Tiles in 12 and in 6 KiB.
TEST_F(AttentionGradientSchedules, tiles_of_each_size) {
  struct Size {
    int64_t resident, bytes, features;
  };
  Draw draw = draw_one_of(3);
  for (const auto& [resident, bytes, features] :
       {Size{2048, 49152, 12}, {2048, 6144, 100}, {1 << 20, 49152, 200}, {1 << 20, 6144, 12}}) {
    if (!draw.next()) continue;
    AsHardware hardware(*device_, resident);
    hardware.plan_for().max_shared_bytes = bytes;
    const Case c{3, 140, 75, features, 20, true};
    const Kernels kernels = kernels_of(c, data_of(c));
    for (const AttentionGradientKernel* kernel : {&kernels.queries, &kernels.keys}) {
      const lower::AttentionGradientTile tile = lower::attention_gradient_tile(hardware.target(), *kernel);
      EXPECT_LE(16 * tile.shared_vectors(), bytes);
    }
    expect_gradients(hardware, c);
  }
}

// Heads and lines are cut where a binding covers less; heads together and others, too, whose results are added.
TEST_F(AttentionGradientSchedules, parts_where_bindings_cover_little) {
  Draw draw = draw_one_of(2);
  for (const int64_t bytes : {4096, 16384, 40000})
    for (const Case& c : {Case{3, 90, 100, 16, 20, true}, Case{2, 150, 50, 8, 12, false, Mask::truths},
                          Case{1, 70, 400, 8, 8, true, Mask::floats}, Case{4, 60, 40, 16, 8, true, Mask::none, 4, 4}}) {
      if (!draw.next()) continue;
      AsHardware hardware(*device_);
      hardware.plan_for().max_block_bytes = bytes;
      expect_gradients(hardware, c);
      if (bytes == 4096) {
        EXPECT_GT(hardware.dispatches, 2);
      }
    }
}

TEST_F(AttentionGradientSchedules, parts_where_a_driver_bounds_groups_or_loops) {
  const Case c{5, 300, 200, 8, 8, true, Mask::truths};
  AsHardware few(*device_);
  few.plan_for().max_groups = 2;
  expect_gradients(few, c);
  EXPECT_GT(few.dispatches, 5);
  AsTarget bounded(*device_, device_->target());
  bounded.plan_for().software = true;
  bounded.plan_for().max_loop_trips = 80;
  expect_gradients(bounded, c);
  EXPECT_GT(bounded.dispatches, 4);
}

TEST_F(AttentionGradientSchedules, the_same_bits_each_time) {
  const Case c{4, 70, 90, 20, 40, true, Mask::floats, 2, 2};
  const Data data = data_of(c);
  std::vector<std::vector<double>> first;
  for (int run = 0; run < 3; ++run) {
    const Kernels kernels = kernels_of(c, data);
    AsHardware hardware(*device_);
    hardware.run(kernels.queries);
    hardware.run(kernels.keys);
    std::vector<std::vector<double>> found;
    for (const Strided* x : {&kernels.queries.out, &kernels.keys.out, &kernels.keys.second})
      found.push_back(downloaded(*x, {x->layout.size()}).values);
    if (run == 0) first = found;
    EXPECT_EQ(found, first);
  }
}

}  // namespace
}  // namespace eglantine::test
