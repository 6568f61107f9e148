#pragma once

#include <utility>
#include <vector>

#include "element_types.hpp"
#include "support/reference/naive.hpp"

/// Convolutions as loops over results and what each sums.
namespace eglantine::test::naive {

/// How the kernel's places lie along the spatial axes.
struct ConvRule {
  Dims stride, dilation;
  std::vector<std::pair<int64_t, int64_t>> pads;
  int64_t groups = 1;
};

/// total + a b; of integers it wraps, with the low bits that a double would lose.
inline double with_product(DType dtype, double total, double a, double b) {
  const DType sums = counted(dtype);
  const double sum = total + product(sums, a, b);
  return is_float(sums) ? sum : as_element(sums, sum);
}

/// Places of the kernel along spatial axis k, counted one by one.
inline int64_t places_along(const ConvRule& rule, size_t k, int64_t length, int64_t kernel) {
  int64_t count = 0;
  for (int64_t start = 0; start + (kernel - 1) * rule.dilation[k] < rule.pads[k].first + length + rule.pads[k].second;
       start += rule.stride[k])
    ++count;
  return count;
}

/// x (n, channels, spatial...), w (out, channels / groups, kernel...), bias of one number for each result, or none.
inline Array conv(const Array& x, const Array& w, const ConvRule& rule, const Array& bias = {}) {
  const size_t axes = rule.stride.size();
  Dims shape{x.shape[0], w.shape[0]};
  for (size_t k = 0; k < axes; ++k) shape.push_back(places_along(rule, k, x.shape[k + 2], w.shape[k + 2]));
  const Dims summed(w.shape.begin() + 1, w.shape.end());
  return generate(x.dtype, shape, [&](const Dims& at) {
    double total = bias.values.empty() ? 0 : bias.values[static_cast<size_t>(at[1])];
    const int64_t first = at[1] / (w.shape[0] / rule.groups) * w.shape[1];
    for_each_index(summed, [&](const Dims& element) {
      Dims from{at[0], first + element[0]}, weight{at[1]};
      weight.insert(weight.end(), element.begin(), element.end());
      for (size_t k = 0; k < axes; ++k) {
        const int64_t place = at[k + 2] * rule.stride[k] + element[k + 1] * rule.dilation[k] - rule.pads[k].first;
        if (place < 0 || place >= x.shape[k + 2]) return;
        from.push_back(place);
      }
      total = with_product(x.dtype, total, x.at(from), w.at(weight));
    });
    return total;
  });
}

/// x (n, channels, spatial...), w (channels, results / groups, kernel...): results of these lengths, each of which adds
/// up what lies, and is multiplied by a place of the kernel that lies, where a convolution takes from it.
inline Array conv_transpose(const Array& x, const Array& w, const ConvRule& rule, const Dims& lengths,
                            const Array& bias = {}) {
  const int64_t channels = w.shape[0] / rule.groups;
  Dims shape{x.shape[0], w.shape[1] * rule.groups}, summed{channels};
  shape.insert(shape.end(), lengths.begin(), lengths.end());
  summed.insert(summed.end(), w.shape.begin() + 2, w.shape.end());
  return generate(x.dtype, shape, [&](const Dims& at) {
    double total = bias.values.empty() ? 0 : bias.at({at[1]});
    const int64_t first = at[1] / w.shape[1] * channels;
    for_each_index(summed, [&](const Dims& element) {
      Dims from{at[0], first + element[0]}, weight{first + element[0], at[1] % w.shape[1]};
      for (size_t k = 0; k < lengths.size(); ++k) {
        const int64_t place = at[k + 2] + rule.pads[k].first - element[k + 1] * rule.dilation[k];
        if (place < 0 || place % rule.stride[k] != 0 || place / rule.stride[k] >= x.shape[k + 2]) return;
        from.push_back(place / rule.stride[k]);
        weight.push_back(element[k + 1]);
      }
      total = with_product(x.dtype, total, x.at(from), w.at(weight));
    });
    return total;
  });
}

/// The sums of products of a result's cotangent and of what each element of w met in x.
inline Array conv_weight_gradient(const Array& gradient, const Array& x, const ConvRule& rule, const Dims& shape) {
  Dims summed{x.shape[0]};
  summed.insert(summed.end(), gradient.shape.begin() + 2, gradient.shape.end());
  return generate(x.dtype, shape, [&](const Dims& at) {
    double total = 0;
    for_each_index(summed, [&](const Dims& window) {
      Dims from{window[0], at[0] / (shape[0] / rule.groups) * shape[1] + at[1]}, result{window[0], at[0]};
      for (size_t k = 0; k + 2 < shape.size(); ++k) {
        const int64_t place = window[k + 1] * rule.stride[k] + at[k + 2] * rule.dilation[k] - rule.pads[k].first;
        if (place < 0 || place >= x.shape[k + 2]) return;
        from.push_back(place);
        result.push_back(window[k + 1]);
      }
      total = with_product(x.dtype, total, x.at(from), gradient.at(result));
    });
    return total;
  });
}

}  // namespace eglantine::test::naive
