#include "perf/drawn/drawing.hpp"

#include <algorithm>
#include <set>

#include "perf/drawn/families.hpp"

namespace eglantine::perf::drawn {

namespace {

constexpr int64_t KiB = 1024, MiB = 1024 * KiB;

/// Every byte that a call must read or write once.
double bytes_of(const Drawn& work) {
  double bytes = 0;
  for (const DrawnOperand& operand : work.operands) bytes += operand.stored_bytes();
  for (const DrawnResult& result : work.results) {
    const double width = result.dtype == DType::boolean ? 1 : static_cast<double>(size_of(result.dtype));
    bytes += width * static_cast<double>(result.shape.elements());
  }
  return bytes;
}

Drawn drawn_once(const Family& family, const Dice& first, double bytes) {
  Sketch sketch(first, bytes);
  family.draw(sketch);
  sketch.drawn.family = family.name;
  if (sketch.drawn.bytes == 0) sketch.drawn.bytes = bytes_of(sketch.drawn);
  return sketch.drawn;
}

/// "(3, 4) x (4, 5)": the shapes that differ, three at the most.
std::string shapes_text(const Drawn& work) {
  std::string text;
  std::vector<std::string> seen;
  for (const DrawnOperand& operand : work.operands) {
    const std::string shape = to_string(operand.shape);
    if (seen.size() == 3 || std::find(seen.begin(), seen.end(), shape) != seen.end()) continue;
    seen.push_back(shape);
    text += (text.empty() ? "" : " x ") + shape;
  }
  return text;
}

std::string parameters_text(const Drawn& work) {
  std::string text;
  for (const auto& [name, values] : work.parameters) {
    text += " " + name + "=";
    for (size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(values[i]);
  }
  return text;
}

std::string layouts_text(const Drawn& work) {
  std::string text;
  std::set<LayoutKind> seen{LayoutKind::contiguous};
  for (const DrawnOperand& operand : work.operands)
    if (seen.insert(operand.kind).second) text += " " + std::string(name_of(operand.kind));
  return text;
}

std::string name_of_work(const Drawn& work, const std::string& set, uint64_t seed, int64_t index) {
  return set + "/" + std::to_string(seed) + "." + std::to_string(index) + " " + work.family + " " + work.verb + " " +
         std::string(name_of(work.operands.front().dtype())) + " " + shapes_text(work) + parameters_text(work) +
         layouts_text(work);
}

}  // namespace

const std::vector<SizeClass>& size_classes() {
  static const std::vector<SizeClass> all{{"drawn", MiB, 2048 * MiB, 4e12},
                                          {"drawn_small", KiB, MiB, 4e9},
                                          {"drawn_software", 64 * KiB, 64 * MiB, 2e9},
                                          {"drawn_smoke", 256, 8 * KiB, 1e6, true}};
  return all;
}

const SizeClass* size_class_of(const std::string& set) {
  for (const SizeClass& each : size_classes())
    if (each.set == set) return &each;
  return nullptr;
}

Drawn draw(const SizeClass& size, uint64_t seed, int64_t index, double at_most_bytes) {
  Dice dice(Dice(seed).next() + static_cast<uint64_t>(index));
  const auto wanted = static_cast<double>(dice.log_between(size.least_bytes, size.most_bytes - 1));
  const auto count = static_cast<int64_t>(families().size());
  const Family& family = families()[static_cast<size_t>(size.in_turn ? index % count : dice.below(count))];
  const Dice first(dice.next());
  double bytes = at_most_bytes > 0 ? std::min(wanted, at_most_bytes) : wanted;
  Drawn work = drawn_once(family, first, bytes);
  // A shape may also come out far larger than it was to be, where an axis has a least length.
  while (bytes >= 16 && (work.operations > size.most_operations || work.bytes > 2 * wanted))
    work = drawn_once(family, first, bytes /= 2);
  work.name = name_of_work(work, size.set, seed, index);
  return work;
}

std::vector<Drawn> draw_works(const SizeClass& size, const std::vector<uint64_t>& seeds, int64_t count) {
  std::vector<Drawn> works;
  for (const uint64_t seed : seeds)
    for (int64_t index = 0; index < count; ++index) works.push_back(draw(size, seed, index));
  return works;
}

}  // namespace eglantine::perf::drawn
