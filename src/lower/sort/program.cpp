#include "lower/sort/program.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "lower/sort/network.hpp"
#include "lower/sort/subgroup_program.hpp"

namespace eglantine::lower {
namespace {

// Neighbouring records of an invocation that sorts tiles: odd, so that neighbours reach different banks.
constexpr int64_t each = 11;
// A software device runs one SIMD vector of eight invocations through all its trips before the next.
constexpr int64_t software_tile_group = 8;
constexpr int64_t largest_group = 512, smallest_group = 128;

int64_t shared_bytes(int64_t group) { return (group * each + digits) * word; }

int64_t tile_group(const Target& target) {
  int64_t group = largest_group;
  while (group > smallest_group && (group > target.max_invocations || shared_bytes(group) > target.max_shared_bytes))
    group /= 2;
  return group;
}

/// Keys of a row of so many that a software device sorts in registers at a time.
int64_t run_of(int64_t length) {
  return std::min(longest_network, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length))));
}

}  // namespace

uint32_t last_key(DType dtype, uint32_t flip) {
  if (dtype == DType::f32) return 0x7fc00000U;
  if (dtype == DType::i32) return 0x7fffffffU ^ flip;
  return dtype == DType::u32 ? ~flip : 1U ^ (flip & 1U);
}

int sort_bits(DType dtype) { return dtype == DType::boolean ? 1 : 32; }

int64_t tile_length(const Target& target) { return tile_group(target) * each; }

int64_t serial_row(const Target& target, bool pairs) {
  const int64_t record = pairs ? 2 * word : word, both_sides = 2 * software_tile_group * record;
  return std::min<int64_t>(pairs ? 128 : 512, target.max_shared_bytes / both_sides);
}

int64_t selection_trips(int64_t tile, int64_t keep) {
  const int64_t levels = std::bit_width(static_cast<uint64_t>(keep));
  return tile * (levels + 1) + keep * (levels + 2);
}

SortProgram::SortProgram(const Target& device, const SortTask& task, SortStep step, const SortWindow& window,
                         const SortSource& source, const SortTarget* target, BufferPtr counts)
    : BoundProgram(device),
      task_(task),
      step_(step),
      window_(window),
      serial_(device.software),
      serial_row_(serial_row(device, task.pairs)),
      source_records_(source.records != nullptr),
      reader_(source, pairs()),
      counts_(std::move(counts)) {
  const Window& tiles = window.tiles;
  const int64_t first = tiles.first * window.tile;
  const int64_t end = std::min(window.length, (tiles.first + tiles.count) * window.tile);
  reader_.bind(bindings_, window.rows, {first, end - first});
  if (target != nullptr) {
    const Window rows = step == SortStep::select ? Window{tiles.first, count_of_items()} : Window{0, window.rows};
    writer_.emplace(*target, task.pairs);
    writer_->bind(bindings_, rows, window.positions);
  }
  if (counts_) {
    const layout::Reach reached{tiles.first * digits, (tiles.first + count_of_items()) * digits - 1};
    counts_binding_ = step == SortStep::count ? bindings_.add_write(counts_.get(), StorageType::u32, false, reached)
                                              : bindings_.add_read(counts_.get(), StorageType::u32, false, reached);
  }
  plan_grid(device);
  add_uniforms();
}

/// Dynamic back-edges of an invocation of a software device for one item.
int64_t SortProgram::serial_trips() const {
  const int64_t tile = std::min(window_.tile, window_.length);
  if (step_ == SortStep::select) return selection_trips(tile, window_.positions.count);
  if (step_ != SortStep::rows) return tile + 2 * digits;
  return tile * (2 * std::bit_width(static_cast<uint64_t>(tile)) + 3);
}

void SortProgram::plan_grid(const Target& target) {
  if (serial_) {
    group_size_ = group_size_of(target, software_tile_group);
    grid_ = resident_grid(target, count_of_items(), group_size_, group_size_, serial_trips() + 1);
    return;
  }
  group_size_ = lanes_ = tile_group(target);
  int64_t at_once = 1;
  if (step_ == SortStep::rows || step_ == SortStep::select) {
    lanes_ = ceil_divide(std::min(window_.tile, window_.length), each);
    // Few rows are spread over more groups.
    if (lanes_ <= smallest_group && count_of_items() * lanes_ < target.resident_invocations)
      group_size_ = smallest_group;
    at_once = group_size_ / lanes_;
  }
  grid_ = resident_grid(target, count_of_items(), at_once, group_size_);
}

void SortProgram::add_uniforms() {
  const uint32_t flip = task_.descending ? ~0U : 0U;
  uniforms_.add(count_of_items());
  uniforms_.add(grid_.chunk);
  uniforms_.add_divisor(window_.tiles.count);
  uniforms_.add(window_.tiles.first);
  uniforms_.add_divisor(window_.tile);
  uniforms_.add(window_.length);
  uniforms_.add(window_.positions.first);
  uniforms_.add(window_.positions.count);
  uniforms_.add(flip);
  uniforms_.add(window_.first_bit);
  const bool whole = step_ == SortStep::rows || step_ == SortStep::select;
  uniforms_.add(whole ? task_.bits : std::min(window_.first_bit + 8, task_.bits));
  uniforms_.add(last_key(task_.dtype, flip));
  uniforms_.add_divisor(lanes_);
  counts_slot_ = uniforms_.add(counts_ ? window_.tiles.first * digits - bindings_.first_element(counts_binding_) : 0);
  reader_.add_uniforms(bindings_, uniforms_);
  if (writer_) writer_->add_uniforms(bindings_, uniforms_);
}

std::string SortProgram::template_name() const {
  if (step_ == SortStep::count) return "sort_count.comp";
  if (!serial_) return "sort_tile.comp";
  if (step_ == SortStep::scatter) return "sort_scatter_serial.comp";
  return step_ == SortStep::rows ? "sort_rows_serial.comp" : "sort_select_serial.comp";
}

std::string SortProgram::defines() const {
  using codegen::define;
  std::string text = define("EG_GROUP_SIZE", group_size_);
  if (!serial_) text += define("EG_EACH", each);
  if (serial_ && step_ == SortStep::count) text += "#define EG_SERIAL\n";
  if (serial_ && step_ == SortStep::rows) text += define("EG_CAPACITY", serial_row_);
  if (serial_ && step_ == SortStep::rows && !pairs())
    text += define("EG_RUN", run_of(window_.length)) + network_defines(run_of(window_.length));
  if (serial_ && step_ == SortStep::select) text += define("EG_CAPACITY", serial_selection);
  if (uses_shared_memory() && step_ == SortStep::scatter) text += "#define EG_SCATTER\n";
  text += pairs() ? "#define EG_RECORD uvec2\n#define EG_KEY(record) record.x\n#define EG_VALUE(record) record.y\n"
                  : "#define EG_RECORD uint\n#define EG_KEY(record) record\n";
  if (counts_)
    text += "#define EG_COUNT(i) " + codegen::block_name(counts_binding_) + "[(i) + " +
            codegen::uniform_at(counts_slot_) + "]\n";
  return text;
}

std::string SortProgram::holes() const {
  std::string holes = reader_.text(bindings_);
  if (writer_) holes += writer_->text(bindings_);
  if (serial_ && step_ == SortStep::rows && !pairs()) holes += bits_function(task_.dtype, 12);
  return holes + order_function(task_.dtype, 12) +
         "uint eg_digit(uint bits) { return (eg_order(bits) >> eg_u[13]) & 255u; }\n";
}

Dispatch SortProgram::dispatch() const {
  static constexpr std::array<const char*, 4> names{"sort_count ", "sort_scatter ", "sort_rows ", "sort_select "};
  Dispatch dispatch = dispatch_of(names[static_cast<size_t>(step_)] + std::string(name_of(task_.dtype)),
                                  {template_name(), defines(), holes()}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower
