#include <algorithm>
#include <numeric>

#include "perf/works/works.hpp"

namespace eglantine::perf {

namespace {

/// A user's vector; no two neighbours are equal.
std::vector<float> host_data(int64_t n) {
  std::vector<float> data(static_cast<size_t>(n));
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 8191);
  return data;
}

std::string problem_of_copy(const std::vector<float>& actual, const std::vector<float>& expected) {
  const auto [a, e] = std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
  return a == actual.end() && e == expected.end() ? "" : "element " + std::to_string(a - actual.begin()) + " differs";
}

Work transfer(const std::string& name, int64_t n, std::function<Prepared(const Device&)> prepare) {
  Work work;
  work.name = name + "/" + size_text(n);
  work.bytes = 4 * static_cast<double>(n);
  work.on_host = true;
  work.prepare = std::move(prepare);
  return work;
}

}  // namespace

Work upload_work(int64_t n) {
  return transfer("upload", n, [n](const Device& device) {
    const auto data = std::make_shared<std::vector<float>>(host_data(n));
    const auto upload = [=] { return Tensor::from(*data, {n}, device); };
    return Prepared{{[=] { return Tensors{upload()}; }},
                    [=] { return problem_of_copy(upload().to_vector<float>(), *data); }};
  });
}

Work download_work(int64_t n) {
  return transfer("download", n, [n](const Device& device) {
    const auto data = std::make_shared<std::vector<float>>(host_data(n));
    const Tensor x = Tensor::from(*data, {n}, device);
    return Prepared{{[=] { return x.to_vector<float>().empty() ? Tensors{x} : Tensors{}; }},
                    [=] { return problem_of_copy(x.to_vector<float>(), *data); }};
  });
}

Work download_into_work(int64_t n) {
  return transfer("download_into", n, [n](const Device& device) {
    const auto data = std::make_shared<std::vector<float>>(host_data(n));
    const auto out = std::make_shared<std::vector<float>>(static_cast<size_t>(n));
    const Tensor x = Tensor::from(*data, {n}, device);
    const auto download = [=] {
      x.copy_to(std::span<float>(*out));
      return Tensors{};
    };
    return Prepared{{download}, [=] {
                      download();
                      return problem_of_copy(*out, *data);
                    }};
  });
}

}  // namespace eglantine::perf
