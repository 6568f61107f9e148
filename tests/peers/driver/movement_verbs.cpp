#include "eglantine/verbs/creation.hpp"
#include "eglantine/verbs/movement.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {

template <>
struct Read<PadMode> {
  static PadMode from(const Value& value) {
    static const std::map<std::string, PadMode> modes = {{"constant", PadMode::constant},
                                                         {"reflect", PadMode::reflect},
                                                         {"edge", PadMode::edge},
                                                         {"wrap", PadMode::wrap}};
    return modes.at(Read<std::string>::from(value));
  }
};

namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

}  // namespace

const VerbTable& movement_verbs() {
  static const VerbTable table = {
      EG_VERB(concatenate),
      EG_VERB(stack),
      EG_VERB(split),
      EG_VERB(split_with_sizes),
      EG_VERB(unstack),
      EG_VERB(hstack),
      EG_VERB(vstack),
      EG_VERB(flatten),
      EG_VERB(ravel),
      EG_VERB(moveaxis),
      EG_VERB(swapaxes),
      EG_VERB(rot90),
      EG_VERB(repeat),
      EG_VERB(tile),
      EG_VERB(broadcast_to),
      EG_VERB(broadcast_tensors),
      EG_VERB(atleast_1d),
      EG_VERB(atleast_2d),
      EG_VERB(atleast_3d),
      EG_VERB(reshape),
      EG_VERB(permute),
      EG_VERB(transpose),
      EG_VERB(expand),
      EG_VERB(squeeze),
      EG_VERB(unsqueeze),
      EG_VERB(flip),
      {"pad", choose<Tensor(const Tensor&, Pairs, float)>(pad)},
      {"pad_mode", choose<Tensor(const Tensor&, Pairs, PadMode, float)>(pad)},
      EG_VERB(roll),
      EG_VERB(windows),
      EG_VERB(crop),
      EG_VERB(slice),
      EG_VERB(astype),
      EG_VERB(broadcast_shapes),
      // creation
      EG_VERB(zeros),
      EG_VERB(ones),
      EG_VERB(full),
      EG_VERB(eye),
      EG_VERB(arange),
      EG_VERB(linspace),
      EG_VERB(zeros_like),
      EG_VERB(ones_like),
      EG_VERB(full_like),
      EG_VERB(tri),
      EG_VERB(logspace),
      EG_VERB(meshgrid),
      EG_VERB(diag),
      EG_VERB(diagonal),
      EG_VERB(tril),
      EG_VERB(triu),
  };
  return table;
}

}  // namespace eglantine::peers
