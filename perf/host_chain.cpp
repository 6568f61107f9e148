// eglantine_host_chain [steps] [rounds]: what the host does for a small call, with a driver that does nothing.
//
// A chain of (y + 1).eval() on 64 elements, planned as for a GPU; then some verbs of many nodes, of 512 x 167 elements.
// First the caller submits while the worker is held; then the worker runs what was submitted while the caller waits:
// each by itself, so that two cores suffice to tell which of them bounds a chain. Then both at once, as in use, where
// they may wait for each other: that wants idle cores. Times are the best of many rounds; heap allocations and GL calls
// are counted. Programs are compiled and buffers made by the driver at hand (llvmpipe will do); everything else never
// reaches it.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <semaphore>
#include <thread>
#include <vector>

#include "backend/device_state.hpp"
#include "backend/gl/context/options.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/eglantine.hpp"

namespace {

thread_local int64_t allocations = 0;

}  // namespace

[[gnu::noinline]] void* operator new(size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace eglantine::perf {
namespace {

#define EG_SILENT(F) \
  F(BindBufferRange) \
  F(UseProgram)      \
  F(ProgramUniform1uiv) F(DispatchCompute) F(MemoryBarrier) F(DeleteSync) F(Flush) F(Finish) F(CopyNamedBufferSubData)

/// How often each function was called; they do nothing else.
struct Calls {
#define EG_COUNT(name) int64_t name = 0;
  EG_SILENT(EG_COUNT)
  int64_t GetError = 0, FenceSync = 0, ClientWaitSync = 0;
} calls;

void silence(gl::Functions& functions) {
#define EG_DO_NOTHING(name) functions.name = [](auto...) { ++calls.name; };
  EG_SILENT(EG_DO_NOTHING)
  functions.GetError = [] { return ++calls.GetError, static_cast<GLenum>(GL_NO_ERROR); };
  functions.FenceSync = [](auto...) { return ++calls.FenceSync, reinterpret_cast<GLsync>(&calls); };
  functions.ClientWaitSync = [](auto...) { return ++calls.ClientWaitSync, static_cast<GLenum>(GL_ALREADY_SIGNALED); };
  // The renderer decides what is planned for: a layered driver counts as a GPU.
  static const auto get_string = functions.GetString;
  functions.GetString = [](GLenum name) {
    return name == GL_RENDERER ? reinterpret_cast<const GLubyte*>("zink on nothing") : get_string(name);
  };
}

void print_calls(double steps) {
  std::printf("GL calls a step:");
#define EG_PRINT(name) \
  if (calls.name > 0) std::printf(" %s %.2f", #name, static_cast<double>(calls.name) / steps);
  EG_SILENT(EG_PRINT)
  EG_PRINT(GetError)
  EG_PRINT(FenceSync) EG_PRINT(ClientWaitSync) std::printf("\n");
  calls = {};
}

struct Cost {
  double nanoseconds = 1e300;
  double allocations = 0;
};

/// Measures from its construction to stop(), on one thread.
class Meter {
 public:
  void start() { *this = {std::chrono::steady_clock::now(), perf_allocations()}; }
  void stop(Cost& best, double steps) const {
    const auto time = std::chrono::steady_clock::now() - start_;
    best.nanoseconds = std::min(best.nanoseconds, std::chrono::duration<double, std::nano>(time).count() / steps);
    best.allocations = static_cast<double>(perf_allocations() - allocations_) / steps;
  }
  Meter() = default;

 private:
  Meter(std::chrono::steady_clock::time_point start, int64_t count) : start_(start), allocations_(count) {}
  static int64_t perf_allocations() { return allocations; }
  std::chrono::steady_clock::time_point start_;
  int64_t allocations_ = 0;
};

struct Step {
  const char* name;
  Tensor (*of)(const Tensor&);
  bool chains = false;  ///< of the step before, else of the same tensor
};

constexpr Step plus_one{"chain/64", [](const Tensor& y) { return y + 1.0F; }, true};
constexpr Step verbs[] = {{"softmax", [](const Tensor& x) { return softmax(x, 1); }},
                          {"layer_norm", [](const Tensor& x) { return layer_norm(x, 1); }},
                          {"group_norm", [](const Tensor& x) { return group_norm(x.unsqueeze(2), 1); }},
                          {"stddev", [](const Tensor& x) { return stddev(x); }},
                          {"huber_loss", [](const Tensor& x) { return huber_loss(x, x); }},
                          {"cosine_similarity", [](const Tensor& x) { return cosine_similarity(x, x, 1); }}};

Tensor chain(const Tensor& x, int steps, const Step& step) {
  Tensor y = x;
  for (int i = 0; i < steps; ++i) y = step.of(step.chains ? y : x).eval();
  return y;
}

/// One round: the worker waits inside a call while the caller submits.
Tensor round(const Tensor& x, int steps, const Step& step, Cost& caller, Cost& worker) {
  Queue& queue = x.device().state()->queue();
  std::binary_semaphore held(0), submitted(0);
  Meter on_worker, on_caller;
  std::thread holder([&] {
    queue.call([&](Backend&) {
      held.release();
      submitted.acquire();
      on_worker.start();
    });
  });
  held.acquire();
  on_caller.start();
  Tensor y = chain(x, steps, step);
  on_caller.stop(caller, steps);
  submitted.release();
  queue.call([&](Backend&) { on_worker.stop(worker, steps); });
  holder.join();
  return y;
}

double together(const Tensor& x, int steps, int rounds) {
  Cost best;
  Meter meter;
  for (int i = 0; i < rounds; ++i) {
    meter.start();
    const Tensor y = chain(x, steps, plus_one);
    x.device().synchronize();
    meter.stop(best, steps);
  }
  return best.nanoseconds;
}

void print_costs(const Step& of, const Tensor& x, int steps, int rounds) {
  Cost caller, worker;
  round(x, steps, of, caller, worker);
  calls = {};
  for (int i = 0; i < rounds; ++i) round(x, steps, of, caller, worker);
  std::printf("%-18s caller %7.0f ns %5.1f allocations    worker %7.0f ns %5.1f allocations\n", of.name,
              caller.nanoseconds, caller.allocations, worker.nanoseconds, worker.allocations);
}

void run(int steps, int rounds) {
  gl::Options options;
  options.replace_functions = silence;
  auto queue = Queue::start([&] { return gl::open_backend("gl", options); });
  const Device device(std::make_shared<DeviceState>(queue));
  const Tensor x = Tensor::from(std::vector<float>(64, 0.0F), {64}, device);
  print_costs(plus_one, x, steps, rounds);
  print_calls(static_cast<double>(steps) * rounds);
  std::printf("both at once: %.0f ns\n", together(x, steps, rounds));
  calls = {};
  for (int i = 0; i < rounds; ++i) static_cast<void>(max(x * 2.0F).item<float>());
  std::printf("reading one number: ");
  print_calls(rounds);
  const Tensor rows = Tensor::from(std::vector<float>(size_t{512} * 167, 0.5F), {512, 167}, device);
  for (const Step& verb : verbs) print_costs(verb, rows, steps, rounds);
}

}  // namespace
}  // namespace eglantine::perf

namespace {

/// The whole of `text` as a number in [1, most]; 0 for anything else.
int number_in(const char* text, int most) {
  int number = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end && number <= most ? std::max(number, 0) : 0;
}

}  // namespace

/// The caller submits a whole round while the worker is held: no more than a queue takes.
int main(int argc, char** argv) {
  const int steps = argc > 1 ? number_in(argv[1], static_cast<int>(eglantine::Backlog::most_kernels) - 1) : 200;
  const int rounds = argc > 2 ? number_in(argv[2], 1'000'000) : 200;
  if (steps == 0 || rounds == 0 || argc > 3)
    return std::fprintf(stderr, "usage: eglantine_host_chain [steps, 1 to 1023] [rounds, 1 to 1000000]\n"), 2;
  eglantine::perf::run(steps, rounds);
}
