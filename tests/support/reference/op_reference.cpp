#include <stdexcept>
#include <type_traits>
#include <unordered_map>

#include "element_types.hpp"
#include "support/op_rows.hpp"
#include "support/reference/reference_math.hpp"

namespace eglantine::test {
namespace {

using Arguments = std::vector<double>;

/// Applies f to one to three arguments of type T, or for `where` to a truth value and two T.
template <class T, class F>
double call(F f, const Arguments& x) {
  const auto as = [&](size_t i) { return static_cast<T>(x[i]); };
  if constexpr (std::is_invocable_v<F, T>) return static_cast<double>(f(as(0)));
  if constexpr (std::is_invocable_v<F, T, T>) return static_cast<double>(f(as(0), as(1)));
  if constexpr (std::is_invocable_v<F, T, T, T>)
    return static_cast<double>(f(as(0), as(1), as(2)));
  else if constexpr (std::is_invocable_v<F, bool, T, T>)
    return static_cast<double>(f(x[0] != 0, as(1), as(2)));
  throw std::logic_error("the reference does not have this operation for this dtype");
}

template <class F>
double call_as(DType dtype, F f, const Arguments& x) {
  return with_computed_type(
      dtype, [&]<class T>() { return call<std::conditional_t<std::is_same_v<T, float>, double, T>>(f, x); });
}

using Reference = double (*)(DType, const Arguments&);

const std::unordered_map<std::string, Reference>& references() {
  static const std::unordered_map<std::string, Reference> table = {
#define EG_ELEMENTWISE(name, ...)                                                                       \
  {#name, [](DType dtype, const Arguments& x) {                                                         \
     return call_as(                                                                                    \
         dtype, [](auto... y) -> decltype(reference::name(y...)) { return reference::name(y...); }, x); \
   }},
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  };
  return table;
}

}  // namespace

double reference_of(const OpRow& row, DType dtype, const std::vector<double>& arguments) {
  return references().at(row.name)(dtype, arguments);
}

}  // namespace eglantine::test
