#include "optim/update.hpp"

#include <algorithm>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/beside.hpp"
#include "graph/graph_lock.hpp"
#include "graph/node.hpp"
#include "graph/traversal.hpp"
#include "optim/packing.hpp"

namespace eglantine::optim {

using check::fail;

namespace {

std::string key(std::string_view kind, const std::string& path) { return std::string(kind) + "." + path; }

/// A tensor for each of the paths, of one vector or of its own.
std::vector<Tensor> parts_of(const Tensor& x, const std::vector<Shape>& shapes) {
  return shapes.size() == 1 ? std::vector<Tensor>{x} : unpacked(x, shapes);
}

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

/// Of the parameters with gradients: a moment of another model would broadcast, or be cut where it is packed.
void require_moments(std::string_view function, const Parameters& moments, const Parameters& gradients) {
  for (const auto& [name, moment] : moments) {
    const auto g = gradients.find(name.substr(name.find('.') + 1));  // behind its kind
    if (g == gradients.end()) continue;
    if (moment.shape() != g->second.shape())
      fail<ShapeError>(function, "the moment \"", name, "\" is ", to_string(moment.shape()), ", the parameter ",
                       to_string(g->second.shape()));
    if (moment.dtype() != DType::f32)
      fail<DTypeError>(function, "the moment \"", name, "\" is ", name_of(moment.dtype()), ", and must be f32");
    check::require_same_device(function, moment, g->second);
  }
}

/// Whether it shows a part of something, such as a clipped gradient of the vector of all.
bool is_part(const Node& x) {
  const auto* view = x.as<nodes::View>();
  return view != nullptr && view->source->shape.elements() > x.shape.elements();
}

/// Whether nothing is gained by computing the update where the gradient is: what this is made of, element by element,
/// is there already, or part of a vector.
bool is_apart(const Tensor& g) {
  const GraphLock lock;
  bool apart = true;
  sources_first({g.node()}, [&](const Node& x) {
    if (is_part(x)) return false;
    apart = apart && (x.is_elementwise() || x.as<nodes::View>() != nullptr);
    return apart;
  });
  return apart;
}

/// What one kernel updates: parameters by themselves, and small ones on the same device together.
std::vector<std::vector<std::string>> groups_of(const Parameters& values, const Parameters& gradients) {
  std::vector<std::vector<std::string>> groups, small;
  for (const auto& [path, g] : gradients) {
    const Tensor& value = values.at(path);
    if (!is_small(value) || !is_small(g) || !is_apart(g)) {
      groups.push_back({path});
      continue;
    }
    const auto same = std::find_if(small.begin(), small.end(), [&](const std::vector<std::string>& group) {
      return values.at(group.front()).device() == value.device();
    });
    same == small.end() ? small.push_back({path}) : same->push_back(path);
  }
  groups.insert(groups.end(), small.begin(), small.end());
  return groups;
}

/// What a gradient is, or is a view of, where it is computed from much more memory than its own: computed without being
/// stored, it would keep that for as long as the caller keeps it. Else undefined.
Tensor stored_for(const Tensor& g) {
  constexpr int64_t much = int64_t{4} << 20, times = 4;
  const GraphLock lock;
  const NodePtr& x = behind_views(g.node());
  if (x->is_computed()) return {};
  int64_t bytes = 0;
  for_each_source(*x, [&](const NodePtr& source) { bytes += source->shape.elements() * size_of(source->dtype); });
  return bytes >= much && bytes >= times * x->shape.elements() * size_of(x->dtype) ? Tensor(x) : Tensor();
}

/// What the gradients are of, such as the loss.
void add_values(const Parameters& gradients, std::vector<Tensor>& all) {
  const Node* last = nullptr;
  for (const auto& [path, g] : gradients) {
    const Tensor value = pending_beside(g);
    if (!value.defined() || value.node().get() == last) continue;
    last = value.node().get();
    all.push_back(value);
  }
}

Update update_of(const Parameters& moments, const std::vector<std::string>& paths, const Parameters& values,
                 const Parameters& gradients) {
  std::vector<Tensor> w, g;
  std::vector<Shape> shapes;
  for (const std::string& path : paths) {
    w.push_back(values.at(path).astype(DType::f32));
    g.push_back(gradients.at(path).astype(DType::f32));
    shapes.push_back(w.back().shape());
  }
  const bool alone = paths.size() == 1;
  return {moments, paths, shapes, alone ? w.front() : packed(w), alone ? g.front() : packed(g)};
}

}  // namespace

Tensor Update::moment(std::string_view kind) const {
  std::vector<Tensor> parts;
  for (size_t k = 0; k < paths_.size(); ++k) {
    const auto found = moments_.find(key(kind, paths_[k]));
    parts.push_back(found != moments_.end() ? found->second : zeros(shapes_[k], DType::f32, w.device()));
  }
  return parts.size() == 1 ? parts.front() : packed(parts);
}

void Update::add_to(std::vector<Tensor>& results) const {
  for (const auto& [kind, x] : next_) results.push_back(x);
  results.push_back(result);
}

void Update::give(Parameters& moments, Parameters& values) const {
  const auto give_parts = [&](const Tensor& x, const auto& to) {
    const std::vector<Tensor> parts = parts_of(x, shapes_);
    for (size_t k = 0; k < parts.size(); ++k) to(paths_[k], parts[k]);
  };
  for (const auto& next : next_)
    give_parts(next.second, [&](const std::string& path, const Tensor& x) { moments[key(next.first, path)] = x; });
  give_parts(result, [&](const std::string& path, const Tensor& x) { values[path] = x; });
}

Parameters updated(std::string_view function, Parameters& moments, int64_t& steps, const Parameters& values,
                   const Parameters& gradients, const std::function<Tensor(Update&)>& of) {
  require_gradients(function, values, gradients);
  require_moments(function, moments, gradients);
  std::vector<Update> updates;
  std::vector<Tensor> all;
  for (const std::vector<std::string>& paths : groups_of(values, gradients)) {
    updates.push_back(update_of(moments, paths, values, gradients));
    Update& update = updates.back();
    update.result = of(update).astype(values.at(paths.front()).dtype());
    update.add_to(all);
    update.w = update.g = Tensor();  // else they live as long as the results take
    if (paths.size() > 1) continue;
    if (const Tensor stored = stored_for(gradients.at(paths.front())); stored.defined()) all.push_back(stored);
  }
  // Buffers, which would otherwise become longer expressions from step to step.
  for (const auto& [path, x] : values)
    if (gradients.count(path) == 0 && x.defined()) all.push_back(x);
  for (const auto& [path, x] : moments)
    if (!x.node()->is_computed()) all.push_back(x);
  add_values(gradients, all);
  if (!all.empty()) eval(all);
  Parameters next, results;
  for (const Update& update : updates) update.give(next, results);
  for (const auto& [path, x] : moments) next.try_emplace(path, x);
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
