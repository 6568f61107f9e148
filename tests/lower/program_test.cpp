#include "lower/program.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/kernel/expression.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"
#include "support/random/random_graphs.hpp"

/// A program's key is what its text is made of.
namespace eglantine::test {
namespace {

std::vector<lower::Target> targets() {
  lower::Target software;
  software.software = software.texel_reads = true;
  software.max_block_bytes = 1 << 27;
  software.max_loop_trips = 65535;
  software.resident_invocations = 512;
  lower::Target windows = software;
  windows.max_block_bytes = 1 << 16;
  lower::Target hardware;
  hardware.max_block_bytes = int64_t{1} << 31;
  hardware.max_invocations = 1024;
  hardware.max_shared_bytes = 49152;
  hardware.resident_invocations = 4096;
  hardware.forward_progress = hardware.large_pages = hardware.knows_nan = true;
  hardware.subgroup = 32;
  return {software, windows, hardware};
}

/// The kernels of a random program, as a GL device would plan them.
std::vector<Kernel> kernels_of(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  const RandomGraph graph(draw, graph_types(seed), 13 + static_cast<int64_t>(seed % 3) * 50, seed);
  const std::vector<Tensor> values = graph.build();
  std::vector<NodePtr> wanted;
  const GraphLock lock;
  for (size_t i : graph.wanted())
    if (is_pending(*values[i].node())) wanted.push_back(values[i].node());
  if (wanted.empty()) return {};
  return plan(wanted, {}, gl::unstored).kernels;
}

TEST(Programs, of_equal_keys_have_equal_texts) {
  Device::set_current(Device::open("cpu"));
  const std::vector<lower::Target> planned_for = targets();
  size_t programs = 0;
  for (size_t i = 0; i < planned_for.size(); ++i) {
    std::map<std::string, std::string> texts;  // by key
    std::map<std::string, std::string> keys;   // by text
    for (uint64_t seed = 0; seed < 60; ++seed)
      for (const Kernel& kernel : kernels_of(seed))
        for (const lower::Step& step : lower::lower(kernel, planned_for[i], &gl::unstored).steps) {
          const auto* dispatch = std::get_if<lower::Dispatch>(&step);
          if (dispatch == nullptr) continue;
          const std::string& key = dispatch->program->key();
          const std::string text = dispatch->program->text(planned_for[i]);
          EXPECT_EQ(texts.emplace(key, text).first->second, text) << dispatch->name;
          EXPECT_EQ(keys.emplace(text, key).first->second, key) << dispatch->name << ": one text by two names";
        }
    programs += texts.size();
  }
  EXPECT_GT(programs, 300U);
}

/// A long sum, with an epilogue that reads so many numbers.
Kernel long_sum(int numbers) {
  Tensor x = sum(uniform({1 << 20}, 1).eval());
  for (int i = 0; i < numbers; ++i) x = x * uniform({}, static_cast<uint64_t>(i)).eval();
  const GraphLock lock;
  return plan({x.node()}, {}, gl::unstored).kernels.front();
}

void expect_counted(const Kernel& kernel, const lower::Target& target) {
  constexpr int64_t always = 8;  // what every device binds: a family's own buffers are fewer
  const int64_t counted = std::max(always, bindings_of(kernel, target.max_block_bytes));
  for (const lower::Step& step : lower::lower(kernel, target, &gl::unstored).steps) {
    const auto* dispatch = std::get_if<lower::Dispatch>(&step);
    if (dispatch == nullptr) continue;
    EXPECT_LE(static_cast<int64_t>(dispatch->ranges.size()), counted) << dispatch->name << ": " << describe(kernel);
  }
}

/// Planning gives a kernel no more to bind than a device takes, by this count.
TEST(Programs, bind_no_more_than_is_counted) {
  Device::set_current(Device::open("cpu"));
  for (const lower::Target& target : targets()) {
    for (uint64_t seed = 0; seed < 60; ++seed)
      for (const Kernel& kernel : kernels_of(seed)) expect_counted(kernel, target);
    for (const int numbers : {0, 1, 5, 12}) expect_counted(long_sum(numbers), target);
  }
}

}  // namespace
}  // namespace eglantine::test
