#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "evaluate/beside.hpp"
#include "optim/packing.hpp"

/// The norm of all gradients. Small ones are packed, here and where an optimiser reads them: two kernels, not two each.
namespace eglantine::optim {

namespace {

Tensor plus_squares(const Tensor& total, const Tensor& g) {
  const Tensor squares = sum(square(g.astype(DType::f32)));
  return total.defined() ? total + squares : squares;
}

/// Some gradients in one vector.
struct Pack {
  std::vector<std::string> paths;
  std::vector<Shape> shapes;
  std::vector<Tensor> parts;
};

/// The small gradients, if there are several.
Pack pack_of(const Parameters& gradients) {
  Pack pack;
  for (const auto& [path, g] : gradients) {
    if (!is_small(g)) continue;
    pack.paths.push_back(path);
    pack.shapes.push_back(g.shape());
    pack.parts.push_back(g);
  }
  return pack.paths.size() > 1 ? pack : Pack();
}

/// What the gradients are of is computed with the clipped ones.
void pass_on_value(const Parameters& gradients, const Parameters& clipped) {
  const Tensor value = pending_beside(gradients.begin()->second);
  if (!value.defined()) return;
  std::vector<Tensor> all;
  for (const auto& [path, g] : clipped) all.push_back(g);
  compute_beside(all, value);
}

}  // namespace

std::pair<Parameters, Tensor> clip_norm(const Parameters& gradients, double most) {
  if (!(most > 0)) check::fail<Error>("optim::clip_norm", "most is above 0, got ", Scalar(most).text());
  if (gradients.empty()) return {gradients, zeros({})};
  for (const auto& each : gradients)
    check::require_same_device("optim::clip_norm", gradients.begin()->second, each.second);
  const Pack pack = pack_of(gradients);
  Parameters rest = gradients;
  for (const std::string& path : pack.paths) rest.erase(path);
  const Tensor vector = pack.parts.empty() ? Tensor() : packed(pack.parts);
  Tensor total = vector.defined() ? plus_squares({}, vector) : Tensor();
  for (const auto& [path, g] : rest) total = plus_squares(total, g);
  const Tensor norm = sqrt(total), share = minimum(most / norm, 1);
  Parameters clipped;
  for (const auto& [path, g] : rest) clipped.emplace(path, g * share.astype(g.dtype()));
  const std::vector<Tensor> parts = vector.defined() ? unpacked(vector * share, pack.shapes) : std::vector<Tensor>();
  for (size_t k = 0; k < parts.size(); ++k) clipped.emplace(pack.paths[k], parts[k]);
  pass_on_value(gradients, clipped);
  return {clipped, norm};
}

}  // namespace eglantine::optim
