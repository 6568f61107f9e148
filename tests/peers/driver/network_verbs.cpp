#include "eglantine/verbs/attention.hpp"
#include "eglantine/verbs/convolution.hpp"
#include "eglantine/verbs/interpolation.hpp"
#include "eglantine/verbs/losses.hpp"
#include "eglantine/verbs/normalisation.hpp"
#include "eglantine/verbs/pooling.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {

template <>
struct Read<LossReduction> {
  static LossReduction from(const Value& value) {
    static const std::map<std::string, LossReduction> reductions = {
        {"mean", LossReduction::mean}, {"sum", LossReduction::sum}, {"none", LossReduction::none}};
    return reductions.at(Read<std::string>::from(value));
  }
};

/// Its members in their order, as a list.
template <>
struct Read<CrossEntropyOptions> {
  static CrossEntropyOptions from(const Value& value) {
    const List& list = Read<List>::from(value);
    return {.axis = Read<int>::from(list.at(0)),
            .label_smoothing = Read<double>::from(list.at(1)),
            .ignore_index = Read<int>::from(list.at(2)),
            .weight = Read<Tensor>::from(list.at(3)),
            .reduction = Read<LossReduction>::from(list.at(4))};
  }
};

/// One number, or a list with one for each axis.
template <>
struct Read<PerAxis> {
  static PerAxis from(const Value& value) {
    if (const int64_t* whole = std::get_if<int64_t>(&value.is)) return *whole;
    return Read<std::vector<int64_t>>::from(value);
  }
};

/// One number, a list of pairs, or "same".
template <>
struct Read<Pads> {
  static Pads from(const Value& value) {
    if (const int64_t* whole = std::get_if<int64_t>(&value.is)) return *whole;
    if (std::holds_alternative<std::string>(value.is)) return Padding::same;
    return Read<Pads::Pairs>::from(value);
  }
};

/// Without the bias, which is an argument of its own.
template <>
struct Read<ConvOptions> {
  static ConvOptions from(const Value& value) {
    const List& list = Read<List>::from(value);
    return {.stride = Read<PerAxis>::from(list.at(0)),
            .padding = Read<Pads>::from(list.at(1)),
            .dilation = Read<PerAxis>::from(list.at(2)),
            .groups = Read<int64_t>::from(list.at(3))};
  }
};

template <>
struct Read<ConvTransposeOptions> {
  static ConvTransposeOptions from(const Value& value) {
    const List& list = Read<List>::from(value);
    return {.stride = Read<PerAxis>::from(list.at(0)),
            .padding = Read<Pads>::from(list.at(1)),
            .dilation = Read<PerAxis>::from(list.at(2)),
            .groups = Read<int64_t>::from(list.at(3)),
            .output_padding = Read<PerAxis>::from(list.at(4))};
  }
};

template <>
struct Read<PoolOptions> {
  static PoolOptions from(const Value& value) {
    const List& list = Read<List>::from(value);
    return {.stride = Read<PerAxis>::from(list.at(0)),
            .padding = Read<Pads>::from(list.at(1)),
            .dilation = Read<PerAxis>::from(list.at(2)),
            .ceil_mode = Read<bool>::from(list.at(3)),
            .count_padding = Read<bool>::from(list.at(4))};
  }
};

template <>
struct Read<Interpolation> {
  static Interpolation from(const Value& value) {
    static const std::map<std::string, Interpolation> modes = {
        {"nearest", Interpolation::nearest}, {"linear", Interpolation::linear}, {"cubic", Interpolation::cubic}};
    return modes.at(Read<std::string>::from(value));
  }
};

template <>
struct Read<InterpolateOptions> {
  static InterpolateOptions from(const Value& value) {
    const List& list = Read<List>::from(value);
    return {.mode = Read<Interpolation>::from(list.at(0)),
            .align_corners = Read<bool>::from(list.at(1)),
            .antialias = Read<bool>::from(list.at(2)),
            .scale = Read<std::vector<double>>::from(list.at(3))};
  }
};

template <>
struct Read<GridOptions> {
  static GridOptions from(const Value& value) {
    static const std::map<std::string, PadMode> paddings = {
        {"constant", PadMode::constant}, {"edge", PadMode::edge}, {"reflect", PadMode::reflect}};
    const List& list = Read<List>::from(value);
    return {.mode = Read<Interpolation>::from(list.at(0)),
            .padding = paddings.at(Read<std::string>::from(list.at(1))),
            .align_corners = Read<bool>::from(list.at(2))};
  }
};

template <>
struct Read<AttentionOptions> {
  static AttentionOptions from(const Value& value) {
    const List& list = Read<List>::from(value);
    return {.mask = Read<Tensor>::from(list.at(0)),
            .causal = Read<bool>::from(list.at(1)),
            .scale = Read<std::optional<double>>::from(list.at(2))};
  }
};

namespace {

Tensor conv_with(const Tensor& x, const Tensor& w, ConvOptions options, const Tensor& bias) {
  options.bias = bias;
  return conv(x, w, options);
}

Tensor conv_transpose_with(const Tensor& x, const Tensor& w, ConvTransposeOptions options, const Tensor& bias) {
  options.bias = bias;
  return conv_transpose(x, w, options);
}

}  // namespace

const VerbTable& network_verbs() {
  static const VerbTable table = {
      EG_VERB(cross_entropy),
      EG_VERB(nll_loss),
      EG_VERB(mse_loss),
      EG_VERB(l1_loss),
      EG_VERB(huber_loss),
      EG_VERB(binary_cross_entropy_with_logits),
      EG_VERB(kl_div),
      EG_VERB(cosine_similarity),
      EG_VERB(scaled_dot_product_attention),
      EG_VERB(layer_norm),
      EG_VERB(rms_norm),
      EG_VERB(group_norm),
      EG_VERB(batch_norm),
      EG_VERB(local_response_norm),
      {"conv", call(conv_with)},
      {"conv_transpose", call(conv_transpose_with)},
      EG_VERB(max_pool),
      EG_VERB(max_pool_with_indices),
      EG_VERB(avg_pool),
      EG_VERB(lp_pool),
      EG_VERB(adaptive_avg_pool),
      EG_VERB(adaptive_max_pool),
      EG_VERB(interpolate),
      EG_VERB(grid_sample),
      EG_VERB(depth_to_space),
      EG_VERB(space_to_depth),
      EG_VERB(pixel_shuffle),
      EG_VERB(pixel_unshuffle),
  };
  return table;
}

}  // namespace eglantine::peers
