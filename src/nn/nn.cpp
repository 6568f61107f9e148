#include "eglantine/nn.hpp"

#include "check/check.hpp"

namespace eglantine::nn::detail {

using check::fail;

void add(Parameters& to, const std::string& path, const Tensor& x) {
  if (!to.emplace(path, x).second) fail<Error>("nn::parameters", "two parts of the model are named \"", path, "\"");
}

void require_fit(std::string_view function, const Parameters& of_model, const Parameters& given, bool strict) {
  for (const auto& [path, x] : given) {
    const auto known = of_model.find(path);
    if (known == of_model.end()) {
      if (strict) fail<Error>(function, "the model has no \"", path, "\"");
      continue;
    }
    const Tensor& own = known->second;
    if (x.shape() != own.shape())
      fail<ShapeError>(function, "\"", path, "\" is ", to_string(x.shape()), ", the model's is ",
                       to_string(own.shape()));
    if (x.dtype() != own.dtype())
      fail<DTypeError>(function, "\"", path, "\" is ", name_of(x.dtype()), ", the model's is ", name_of(own.dtype()),
                       "; convert with astype");
  }
  for (const auto& [path, x] : of_model)
    if (strict && given.count(path) == 0) fail<Error>(function, "\"", path, "\" is not given");
}

}  // namespace eglantine::nn::detail
