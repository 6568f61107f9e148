#include "eglantine/verbs/attention.hpp"
#include "eglantine/verbs/losses.hpp"
#include "eglantine/verbs/normalisation.hpp"
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

template <>
struct Read<AttentionOptions> {
  static AttentionOptions from(const Value& value) {
    const List& list = Read<List>::from(value);
    return {.mask = Read<Tensor>::from(list.at(0)),
            .causal = Read<bool>::from(list.at(1)),
            .scale = Read<std::optional<double>>::from(list.at(2))};
  }
};

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
  };
  return table;
}

}  // namespace eglantine::peers
