#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "programs.hpp"

/// Runs the programs and prints for each its time and results, or compares the small ones with what NumPy gave.
namespace eglantine::programs {
namespace {

std::vector<double> numbers(const std::vector<Tensor>& results) {
  std::vector<double> all;
  for (const Tensor& result : results) {
    const std::vector<float> values = result.astype(DType::f32).to_vector<float>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// The shortest of a few runs after one that compiles; each ends when its results are read.
double milliseconds(const Program& program) {
  double shortest = INFINITY;
  numbers(program.run(Size::full));
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    numbers(program.run(Size::full));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    shortest = std::min(shortest, took.count());
  }
  return shortest;
}

void print(const Program& program, double time, const std::vector<double>& results) {
  std::printf("%s %.3f", program.name.c_str(), time);
  for (double result : results) std::printf(" %.9g", result);
  std::printf("\n");
  std::fflush(stdout);
}

/// Lines "name time results..." as programs.py prints them.
int compare(const char* expected) {
  std::ifstream file(expected);
  int wrong = 0, compared = 0;
  for (std::string line; std::getline(file, line); ++compared) {
    std::istringstream words(line);
    std::string name;
    double time = 0;
    words >> name >> time;
    const auto program = std::find_if(all.begin(), all.end(), [&](const Program& each) { return each.name == name; });
    if (program == all.end()) return std::printf("there is no program %s\n", name.c_str()), 1;
    for (double result : numbers(program->run(Size::small))) {
      double wanted = NAN;
      words >> wanted;
      if (std::abs(result - wanted) <= 2e-3 * std::abs(wanted) + 1e-5) continue;
      std::printf("%s: %.9g instead of %.9g\n", name.c_str(), result, wanted);
      ++wrong;
    }
    if (double left = 0; words >> left) ++wrong, std::printf("%s: too few results\n", name.c_str());
  }
  std::printf("%d programs compared, %d results differ\n", compared, wrong);
  return wrong == 0 && compared == static_cast<int>(all.size()) ? 0 : 1;
}

}  // namespace
}  // namespace eglantine::programs

int main(int count, char** arguments) {
  using namespace eglantine::programs;
  if (count == 3 && std::strcmp(arguments[1], "--compare") == 0) return compare(arguments[2]);
  if (count > 1 && arguments[1][0] == '-') {
    std::puts(
        "usage: eglantine_programs [name]... | --compare <what programs.py --small printed>\n"
        "Prints for each program its name, milliseconds and results. EGLANTINE_DEVICE names the device.");
    return std::strcmp(arguments[1], "--help") == 0 ? 0 : 2;
  }
  for (const Program& program : all)
    if (count == 1 ||
        std::any_of(arguments + 1, arguments + count, [&](const char* name) { return program.name == name; }))
      print(program, milliseconds(program), numbers(program.run(Size::full)));
}
