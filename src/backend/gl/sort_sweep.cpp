#include "backend/gl/sort_sweep.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "backend/gl/glsl_header.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"

namespace eglantine::gl {
namespace {

using codegen::Bindings;
using codegen::Numbers;

constexpr int64_t digits = 256, bits_a_pass = 8, word = 4;
// Neighbouring records of an invocation, as many as its registers hold; two groups of a tile share 48 KiB.
int64_t experiment(int i, int64_t otherwise) {
  static const std::vector<int64_t> numbers = [] {
    std::vector<int64_t> all;
    const char* text = std::getenv("EG_X");
    for (char* end = nullptr; text != nullptr && *text != 0; text = *end == 0 ? end : end + 1)
      all.push_back(std::strtoll(text, &end, 10));
    return all;
  }();
  return static_cast<size_t>(i) < numbers.size() && numbers[static_cast<size_t>(i)] > 0
             ? numbers[static_cast<size_t>(i)]
             : otherwise;
}
const int64_t each = experiment(1, 11), largest_group = experiment(0, 512);
constexpr int64_t smallest_group = 256;
constexpr int64_t histogram_group = 512, histogram_each = 8;
constexpr int64_t longest_row = int64_t{1} << 30;  // the board's words keep two bits for what they tell
// Looks at a silent tile, each of which takes some hundred nanoseconds.
constexpr int64_t patience = int64_t{1} << 20;

int64_t shared_bytes(int64_t group) { return (group * each + digits + 9) * word; }

int64_t sweep_group(const Target& target) {
  const int64_t group = std::min(largest_group, target.max_invocations) / 32 * 32;
  return shared_bytes(group) <= target.max_shared_bytes ? group : smallest_group;
}

bool can_wait(const Target& target) {
  return target.forward_progress && target.subgroup == 32 && target.max_invocations >= smallest_group &&
         shared_bytes(smallest_group) <= target.max_shared_bytes;
}

std::string define(const char* name, const std::string& value) {
  return "#define " + std::string(name) + " " + value + "\n";
}

/// Where what lies in the state's buffer, in words: tiles taken by each pass, histograms, and two boards of which
/// passes use one and clear the other.
struct State {
  State(int64_t rows, int64_t tiles, int64_t pass_count)
      : passes(pass_count),
        board_words(rows * tiles * digits),
        histogram(round_up(passes, 4)),
        boards(histogram + rows * passes * digits) {}
  int64_t board(int64_t pass) const { return boards + pass % 2 * board_words; }
  int64_t words() const { return boards + 2 * board_words; }

  int64_t passes, board_words, histogram, boards;
};

/// What both programs are made of: a reader, the state, uniforms.
struct Parts {
  Parts(const Target& device, const SortSource& source, bool pairs)
      : reader(source, pairs), bindings(device.max_block_bytes, device.binding_alignment) {}

  std::string state_define() const { return define("EG_STATE(i)", codegen::block_name(state) + "[i]"); }

  SortReader reader;
  std::optional<SortWriter> writer;
  Bindings bindings;
  codegen::Uniforms uniforms;
  int state = -1, alarm = -1;
  int64_t group = 1, groups = 1;
};

std::string record_defines(bool pairs) {
  return pairs ? "#define EG_RECORD uvec2\n#define EG_KEY(record) record.x\n#define EG_VALUE(record) record.y\n"
               : "#define EG_RECORD uint\n#define EG_KEY(record) record\n";
}

class Sweeper {
 public:
  Sweeper(Runtime& runtime, const Sweep& sweep)
      : runtime_(runtime),
        device_(runtime.target()),
        sweep_(sweep),
        group_(sweep_group(device_)),
        tiles_(ceil_divide(sweep.length, group_ * each)),
        state_(sweep.rows, tiles_, ceil_divide(sort_bits(sweep.task.dtype), bits_a_pass)) {}

  bool run() {
    if (state_.words() * word > device_.max_block_bytes || sweep_.length >= longest_row) return false;
    state_buffer_ = temporary(runtime_, state_.words() * word);
    alarm_ = runtime_.open_alarm("sort");
    std::vector<Dispatch> dispatches;
    if (!add_histogram(dispatches)) return false;
    SortSource source = sweep_.source;
    for (int64_t pass = 0; pass < state_.passes; ++pass) {
      const bool last = pass + 1 == state_.passes;
      const SortTarget target = last ? sweep_.target : records(pass);
      if (!add_pass(dispatches, pass, source, target)) return false;
      source = {.keys = {}, .payload = {}, .records = target.records, .pitch = target.pitch};
    }
    clear_counters();
    for (const Dispatch& dispatch : dispatches) runtime_.dispatch(dispatch);
    return true;
  }

 private:
  int64_t words() const { return sweep_.task.pairs ? 2 : 1; }

  /// Passes write the two buffers in turn.
  SortTarget records(int64_t pass) {
    BufferPtr& buffer = records_[static_cast<size_t>(pass % 2)];
    if (!buffer) buffer = temporary(runtime_, sweep_.rows * sweep_.length * words() * word);
    SortTarget target{};
    target.records = buffer;
    target.pitch = sweep_.length;
    return target;
  }

  /// The tiles taken and the histograms; the first program clears the first board, a pass the next one's.
  void clear_counters() {
    const Layout words = layout::contiguous(Shape{state_.boards});
    const Expr none{words.shape, {}, {}, {0}, {{Op::parameter, DType::u32, {0, -1, -1}}}};
    gl::run(runtime_, MapKernel{none, {state_buffer_, DType::u32, words}});
  }

  bool bind(Parts& parts, bool waits) {
    parts.state = parts.bindings.add_coherent(state_buffer_.get(), {0, state_.words() - 1});
    if (waits)
      parts.alarm = parts.bindings.add_write(alarm_.buffer.get(), DType::u32, false, {alarm_.element, alarm_.element});
    return parts.bindings.fits() && parts.bindings.size() <= device_.max_bindings;
  }

  bool add_histogram(std::vector<Dispatch>& dispatches) {
    const auto parts = std::make_shared<Parts>(device_, sweep_.source, false);
    parts->reader.bind(parts->bindings, sweep_.rows, {0, sweep_.length});
    if (!bind(*parts, false)) return false;
    parts->group = group_size_of(device_, histogram_group);
    const int64_t unit = parts->group * histogram_each;
    const int64_t shared_out =
        sweep_.rows * sweep_.length / std::max<int64_t>(1, device_.resident_invocations / parts->group);
    const int64_t segment = round_up(std::clamp<int64_t>(shared_out, 1, sweep_.length), unit);
    const int64_t segments = ceil_divide(sweep_.length, segment);
    const Grid grid = resident_grid(device_, sweep_.rows * segments, 1, parts->group);
    parts->groups = grid.groups;
    codegen::Uniforms& uniforms = parts->uniforms;
    uniforms.add(sweep_.rows * segments);
    uniforms.add(grid.chunk);
    uniforms.add_divisor(segments);
    for (int64_t number : {sweep_.length, segment, flip(), state_.histogram, state_.board(0), state_.board_words})
      uniforms.add(number);
    parts->reader.place(parts->bindings, uniforms);
    const std::string defines = define("EG_EACH", std::to_string(histogram_each)) +
                                define("EG_PASSES", std::to_string(state_.passes)) + record_defines(false) +
                                parts->state_define();
    dispatches.push_back(dispatch_of("sort_histogram", parts, defines, order_function(7)));
    return true;
  }

  bool add_pass(std::vector<Dispatch>& dispatches, int64_t pass, const SortSource& source, const SortTarget& target) {
    const bool pairs = sweep_.task.pairs, last = pass + 1 == state_.passes;
    const int64_t positions = last ? sweep_.keep : sweep_.length, items = sweep_.rows * tiles_;
    const auto parts = std::make_shared<Parts>(device_, source, pairs);
    parts->reader.bind(parts->bindings, sweep_.rows, {0, sweep_.length});
    parts->writer.emplace(target, pairs);
    parts->writer->bind(parts->bindings, {0, sweep_.rows}, {0, positions});
    if (!bind(*parts, true)) return false;
    parts->group = group_;
    parts->groups = std::min(items, device_.max_groups);
    if (experiment(3, 0)) parts->groups = std::min(items, device_.resident_invocations / group_ * experiment(3, 0) / 4);
    codegen::Uniforms& uniforms = parts->uniforms;
    uniforms.add(items);
    uniforms.add(ceil_divide(items, parts->groups));
    uniforms.add_divisor(tiles_);
    for (int64_t number : {sweep_.length, positions, flip(), pass * bits_a_pass, pass, state_.histogram + pass * digits,
                           state_.passes * digits, state_.board(pass), state_.board(pass + 1), patience,
                           alarm_.element - parts->bindings.first_element(parts->alarm)})
      uniforms.add(number);
    parts->reader.place(parts->bindings, uniforms);
    parts->writer->place(parts->bindings, uniforms);
    const std::string defines =
        (experiment(2, 0) == 1   ? "#extension GL_NV_shader_subgroup_partitioned : require\n#define EG_PARTITION\n"
         : experiment(2, 0) == 2 ? "#define EG_SECOND_COPY\n"
                                 : "") +
        define("EG_EACH", std::to_string(each)) + record_defines(pairs) + parts->state_define() +
        define("EG_ALARM", codegen::block_name(parts->alarm) + "[" + codegen::uniform_at(15) + "]");
    dispatches.push_back(
        dispatch_of("sort_sweep", parts, defines,
                    order_function(7) + "uint eg_digit(uint bits) { return (eg_order(bits) >> eg_u[8]) & 255u; }\n"));
    return true;
  }

  int64_t flip() const { return sweep_.task.descending ? -1 : 0; }

  std::string order_function(int flip_slot) const {
    return "uint eg_order(uint bits) { return eg_sort_key_" + std::string(name_of(sweep_.task.dtype)) + "(bits, " +
           codegen::uniform_at(flip_slot) + "); }\n";
  }

  Dispatch dispatch_of(const std::string& name, const std::shared_ptr<const Parts>& parts, const std::string& defines,
                       const std::string& functions) const {
    const std::string group = define("EG_GROUP_SIZE", std::to_string(parts->group));
    const std::string key = name + group + defines + codegen::letter_of(sweep_.task.dtype) + parts->bindings.key() +
                            parts->reader.key() + (parts->writer ? ">" + parts->writer->key() : "");
    Dispatch dispatch =
        gl::dispatch_of(name + " " + std::string(name_of(sweep_.task.dtype)), key, parts->bindings, parts->uniforms);
    dispatch.source = [=, target = device_] {
      std::string holes = parts->reader.text(parts->bindings);
      if (parts->writer) holes += parts->writer->text(parts->bindings);
      return codegen::assemble(glsl_header(target, parts->writer.has_value()),
                               {name + ".comp", group + defines, holes + functions, parts->uniforms.size()},
                               parts->bindings);
    };
    dispatch.groups[0] = static_cast<uint32_t>(parts->groups);
    return dispatch;
  }

  Runtime& runtime_;
  const Target& device_;
  const Sweep& sweep_;
  int64_t group_, tiles_;
  State state_;
  BufferPtr state_buffer_;
  std::array<BufferPtr, 2> records_;
  Flag alarm_;
};

}  // namespace

bool run_sweep(Runtime& runtime, const Sweep& sweep) {
  return can_wait(runtime.target()) && Sweeper(runtime, sweep).run();
}

}  // namespace eglantine::gl
