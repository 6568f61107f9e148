#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "backend/device_state.hpp"
#include "backend/gl/context/options.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "gl_objects.hpp"
#include "support/random/random_programs.hpp"

/// usage: eglantine_endurance [seconds]: the same mixed work over and over, errors included. Fails when the memory that
/// the device or the process holds, or the count of GL objects, has grown between the first minute (or quarter) and the
/// end; then new texts of a user's operation all the time, whose programs must stay as many as there is room for.
namespace eglantine::test {
namespace {

constexpr uint64_t structures = 8, draws = 6;
constexpr int64_t program_capacity = 256;  // more than the mixed work has

struct Held {
  int64_t live = 0, pooled = 0, resident = 0;
  GlObjects objects;
};

int64_t resident_bytes() {
  int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

Held held(const Device& device) {
  device.synchronize();
  const MemoryInfo memory = device.memory();
  Held now{memory.live, memory.pooled, resident_bytes(), {}};
  device.state()->queue().call([&](Backend&) { now.objects = gl_objects(); });
  return now;
}

Device open_counted() {
  return Device(std::make_shared<DeviceState>(Queue::start([] {
    gl::Options options;
    options.replace_functions = count_gl_objects;
    options.most_programs = static_cast<size_t>(program_capacity);
    return gl::open_backend("gl", options);
  })));
}

template <class Failing>
void must_fail(const Device& device, Failing failing) {
  try {
    failing();
    std::puts("what must fail did not"), std::exit(1);
  } catch (const Error&) {
  }
  try {
    device.synchronize();
  } catch (const Error&) {
  }
}

/// Every kernel family once, programs of random structure, and errors, whose text differs from round to round.
void one_round(const Device& device, int64_t round) {
  for (uint64_t structure = 0; structure < structures; ++structure)
    for (uint64_t draw = 0; draw < draws; ++draw) {
      random_float_program(structure, draw).tensor.to_vector<float>();
      random_integer_program(structure, draw).tensor.to_vector<int32_t>();
    }
  const Tensor x = uniform({300, 257}, static_cast<uint64_t>(round)).eval();
  const Tensor places = arange(0, 300, 1, DType::i32).flip({0});
  sum(matmul(x.transpose(0, 1), softmax(x, 1))).item<float>();
  cumsum(sort(x, 0), 1).to_vector<float>();
  take(x, places, 0).eval();
  compress(x.reshape({-1}), gt(x.reshape({-1}), 0.5F)).to_vector<float>();
  { const Tensor dropped = exp(x) + x; }
  must_fail(device, [&] { take(x, places + 1, 0).to_vector<float>(); });
  const std::string unknown = "x0 + nobody" + std::to_string(round);
  must_fail(device, [&] {
    elementwise({"broken", 1, unknown, [](std::span<const float> v) { return v[0]; }}, {x}).to_vector<float>();
  });
  must_fail(device, [&] { exp(ones({int64_t{1} << 29, int64_t{1} << 29})).eval().slice(0, 0, 1).to_vector<float>(); });
}

void print(const char* when, int64_t rounds, const Held& now) {
  std::printf("%s: %lld rounds, live %lld, pooled %lld, resident %lld bytes, GL objects: %s\n", when,
              static_cast<long long>(rounds), static_cast<long long>(now.live), static_cast<long long>(now.pooled),
              static_cast<long long>(now.resident), now.objects.text().c_str());
  std::fflush(stdout);
}

bool grew(const char* what, int64_t before, int64_t after, double allowed) {
  if (static_cast<double>(after) <= static_cast<double>(before) * (1 + allowed)) return false;
  std::printf("FAILED: %s grew from %lld to %lld, by more than %.0f %%\n", what, static_cast<long long>(before),
              static_cast<long long>(after), 100 * allowed);
  return true;
}

void new_texts(const Device& device, int64_t first, int64_t count) {
  const Tensor x = ones({100}, DType::f32, device).eval();
  for (int64_t i = first; i < first + count; ++i)
    elementwise({"new", 1, "x0 * " + std::to_string(i) + ".0", [](std::span<const float> v) { return v[0]; }}, {x})
        .to_vector<float>();
}

/// Once there is no room for more programs, the next ones take no memory that lasts.
bool grows_with_new_texts(const Device& device) {
  new_texts(device, 0, program_capacity);
  const Held full = held(device);
  new_texts(device, program_capacity, program_capacity);
  const Held last = held(device);
  print("after new texts", 2 * program_capacity, last);
  bool failed = grew("the number of programs", program_capacity, last.objects.programs, 0);
  // A fifth of what they would take if all of them stayed.
  const int64_t allowed = program_capacity * 435'000 / 5;
  failed |= grew("the process, by new texts,", full.resident + allowed, last.resident, 0);
  return failed;
}

int endure(double seconds) {
  const Device device = open_counted();
  Device::set_current(device);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  int64_t rounds = 0;
  const double early = std::min(60.0, seconds / 4);
  // At least three: only what comes after the first rounds is growth.
  while (elapsed() < early || rounds < 3) one_round(device, rounds++);
  const Held first = held(device);
  print("early", rounds, first);
  const int64_t least = rounds + 3;
  while (elapsed() < seconds || rounds < least) one_round(device, rounds++);
  const Held last = held(device);
  print("late", rounds, last);
  // A short run ends before the heap, the driver and the pool have settled.
  const double allowed = seconds >= 120 ? 0.05 : 0.2;
  bool failed = grew("live memory", first.live, last.live, 0);
  failed |= grew("pooled memory", first.pooled, last.pooled, 0.05);
  failed |= grew("the process", first.resident, last.resident, allowed);
  // How many buffers the pool keeps depends a little on which of two threads is faster.
  failed |= grew("the number of GL buffers", first.objects.buffers, last.objects.buffers, allowed);
  failed |= grew("the number of other GL objects", first.objects.others(), last.objects.others(), 0);
  failed |= grows_with_new_texts(device);
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace eglantine::test

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 600;
  const int status = eglantine::test::endure(seconds);
  std::puts(status == 0 ? "passed" : "failed");
  return status;
}
