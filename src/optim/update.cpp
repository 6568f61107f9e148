#include "optim/update.hpp"

#include <algorithm>

#include "check/check.hpp"
#include "eglantine/ops.hpp"

namespace eglantine::optim {

using check::fail;

Tensor Update::moment(std::string_view kind) const {
  const auto found = moments_.find(key(kind));
  return found != moments_.end() ? found->second : zeros(w.shape(), DType::f32, w.device());
}

const Tensor& Update::replace(std::string_view kind, const Tensor& by) { return next_[key(kind)] = by; }

namespace {

void require_gradients(std::string_view function, const Parameters& values, const Parameters& gradients) {
  for (const auto& [path, g] : gradients) {
    const auto value = values.find(path);
    if (value == values.end()) fail<Error>(function, "the model has no \"", path, "\", which there is a gradient of");
    if (g.shape() != value->second.shape())
      fail<ShapeError>(function, "the gradient of \"", path, "\" is ", to_string(g.shape()), ", the parameter ",
                       to_string(value->second.shape()));
    check::require_same_device(function, value->second, g);
  }
}

}  // namespace

Parameters updated(std::string_view function, Parameters& moments, int64_t& steps, const Parameters& values,
                   const Parameters& gradients, const std::function<Tensor(Update&)>& of) {
  require_gradients(function, values, gradients);
  Parameters next, results;
  for (const auto& [path, g] : gradients) {
    const Tensor& value = values.at(path);
    Update update(moments, next, path, value.astype(DType::f32), g.astype(DType::f32));
    results.emplace(path, of(update).astype(value.dtype()));
  }
  for (const auto& [path, x] : moments) next.try_emplace(path, x);
  Tensors all;
  for (const Parameters* each : {&next, &results})
    for (const auto& [path, x] : *each) all.push_back(x);
  // Buffers, which would otherwise become longer expressions from step to step.
  for (const auto& [path, x] : values)
    if (results.count(path) == 0 && x.defined()) all.push_back(x);
  if (!all.empty()) eval(all);
  moments = std::move(next);
  ++steps;
  return results;
}

Parameters state_of(const Parameters& moments, int64_t steps) {
  Parameters state = moments;
  state["steps"] = full({}, static_cast<int32_t>(steps), DType::i32);
  return state;
}

void load_state(std::string_view function, Parameters& moments, int64_t& steps, const Parameters& state,
                std::initializer_list<std::string_view> kinds) {
  const auto count = state.find("steps");
  if (count == state.end()) fail<Error>(function, "there is no \"steps\"");
  if (count->second.dtype() != DType::i32 || count->second.rank() != 0)
    fail<ShapeError>(function, "\"steps\" is an i32 of rank 0");
  Parameters loaded;
  for (const auto& [path, x] : state) {
    if (path == "steps") continue;
    const bool known = std::any_of(kinds.begin(), kinds.end(), [&, name = path](std::string_view kind) {
      return name.size() > kind.size() && name.compare(0, kind.size(), kind) == 0 && name[kind.size()] == '.';
    });
    if (!known) fail<Error>(function, "\"", path, "\" is no moment of this optimiser");
    loaded.emplace(path, x);
  }
  steps = count->second.item<int32_t>();
  moments = std::move(loaded);
}

}  // namespace eglantine::optim
