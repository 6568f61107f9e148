#include "perf/works/works.hpp"

namespace eglantine::perf {

Work chain_work(int64_t n, int64_t steps) {
  Work work;
  work.name = "chain/" + std::to_string(n);
  work.steps = static_cast<double>(steps);
  work.prepare = [=](const Device& device) {
    const Tensor x = random_tensor({{n}}, 1, device);
    const auto chain = [=](const Tensor& start) {
      Tensor y = start;
      // Each result is asked for by itself, so each is a kernel.
      for (int64_t i = 0; i < steps; ++i) y = (y + 1.0F).eval();
      return y;
    };
    return Prepared{{[=] { return Tensors{chain(x)}; }}, [=] {
                      return difference(chain(x), x + static_cast<float>(steps), {{}, -1, 1e-4, 0});
                    }};
  };
  return work;
}

Work read_number_work() {
  Work work;
  work.name = "read_number/1";
  work.on_host = true;
  work.prepare = [](const Device& device) {
    const Tensor x = random_tensor({{1}}, 1, device);
    const float expected = x.item<float>() * 2;
    // The result goes into a comparison, so that it cannot be left out.
    const auto read = [=] { return (x * 2.0F).item<float>() == expected; };
    return Prepared{{[=] { return read() ? Tensors{} : Tensors{x}; }},
                    [=] { return std::string(read() ? "" : "it is not twice the number"); }};
  };
  return work;
}

}  // namespace eglantine::perf
