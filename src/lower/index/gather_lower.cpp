#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/stage/stage.hpp"
#include "graph/kernel/expression.hpp"
#include "lower/copies.hpp"
#include "lower/expressions.hpp"
#include "lower/index/gather.hpp"
#include "lower/index/search.hpp"
#include "lower/index/windows.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

using codegen::AddressSpec;
using codegen::LoadStage;
using codegen::StoreStage;

// As in map/lower.cpp.
constexpr int64_t software_group = 8, hardware_group = 512;
// Each is four elements from anywhere: eight loads of an invocation, which keep the caches' ports busy.
constexpr int vectors_in_flight = 2;

/// Whether all elements of a vector share one index.
bool one_index_a_vector(const Expr& index) {
  const int inner = index.domain.rank() - 1;
  if (inner > 0 && index.domain[inner] % vector_width != 0) return false;
  const auto constant = [&](const Layout& x) { return x.strides[static_cast<size_t>(inner)] == 0; };
  return std::all_of(index.iotas.begin(), index.iotas.end(), constant) &&
         std::all_of(index.operands.begin(), index.operands.end(),
                     [&](const Strided& operand) { return constant(operand.layout); });
}

/// Vectors of a row that share one index, where a loop over rows pays: on software devices, where each index costs as
/// much as a vector (take_rows/16384x64 of the benchmark: 2.5 -> 1.9 ms); else 0.
int64_t vectors_of_row(const Target& target, const Shape& domain) {
  constexpr int64_t fewest = 16;
  const int64_t vectors = (domain[domain.rank() - 1] + vector_width - 1) / vector_width;
  return target.software && vectors >= fewest ? vectors : 0;
}

AddressSpec spec_of(const char* name, const Shape& domain, int width) {
  return {name, domain, {{0, domain.rank()}}, width};
}

/// A gather's program with its bindings and uniforms.
class GatherProgram : public BoundProgram {
 public:
  GatherProgram(const Target& target, const GatherKernel& kernel, const Flag& flag, const Window& window)
      : BoundProgram(target, true, target.texel_reads),
        source_(kernel.source),
        elements_(kernel.index.domain.elements()),
        access_(access_of(kernel, reads_, is_narrow(source_.storage))),
        rows_(access_ == codegen::VectorAccess::vec4 || access_ == codegen::VectorAccess::anywhere),
        row_vectors_(rows_ && kernel.index.domain.elements() % vector_width == 0
                         ? vectors_of_row(target, kernel.index.domain)
                         : 0),
        windowed_(window.count < kernel.length),
        is_empty_(kernel.length == 0),
        // A dispatch over a window skips elements: single ones, or whole vectors that share one index.
        width_(windowed_ && !rows_ ? 1 : 4),
        index_(spec_of("eg_index", kernel.index.domain, width_), kernel.index, reads_),
        addresses_(spec_of("eg_gather", kernel.index.domain, width_), kernel.source.layout, kernel.place,
                   {kernel.length, kernel.stride, window}, OutOfRange::flagged, rows_, rows_),
        epilogue_(spec_of("eg_epilogue", kernel.index.domain, width_), kernel.epilogue, reads_),
        store_(spec_of("eg_store", kernel.index.domain, width_), kernel.out, true),
        group_size_(group_size_of(target, target.software ? software_group : hardware_group)),
        unroll_(unroll(target, kernel)),
        grid_(
            streaming_grid(target, vector_count(), group_size_ * (target.software ? 1 : unroll_), group_size_,
                           (row_vectors_ > 0 ? 2 : 1) * std::max(trips_of(kernel.index), trips_of(kernel.epilogue)))) {
    const std::vector<Window> all{{0, elements_}};
    index_.bind(bindings_, all);
    source_binding_ = bindings_.add_read(source_.buffer.get(), source_.storage, rows_, addresses_.reached());
    epilogue_.bind(bindings_, all);
    store_.bind(bindings_, all);
    addresses_.bind_flag(bindings_, flag.buffer.get(), flag.element);
    uniforms_.add(vector_count());
    uniforms_.add(grid_.chunk);
    uniforms_.add(row_vectors_);
    index_.add_uniforms(bindings_, all, uniforms_);
    addresses_.add_uniforms(bindings_.first_element(source_binding_), bindings_, uniforms_);
    epilogue_.add_uniforms(bindings_, all, uniforms_);
    store_.add_uniforms(bindings_, all, uniforms_);
  }

  Dispatch dispatch() const {
    Dispatch result = dispatch_of("gather " + std::string(name_of(source_.dtype())),
                                  {"gather.comp", defines(), holes()}, bindings_, uniforms_);
    result.groups[0] = static_cast<uint32_t>(grid_.groups);
    return result;
  }

 private:
  std::string defines() const {
    using codegen::define;
    return define("EG_GROUP_SIZE", group_size_) + define("EG_UNROLL", unroll_) +
           define("EG_INDEX", codegen::value_type(DType::i32, width_)) + define("EG_VALUE", value_type()) +
           each_vector() + define("EG_VECTORS", "eg_u[0]") + define("EG_CHUNK", "eg_u[1]") +
           (row_vectors_ > 0 ? define("EG_ROW_VECTORS", "eg_u[2]") : "");
  }

  /// The names of what an invocation has of each of its vectors.
  std::string each_vector() const {
    std::string text;
    for (int i = 0; i < unroll_; ++i) {
      const std::string n = std::to_string(i);
      text += "F(" + n + "u, eg_index" + n + ", eg_value" + n + ", eg_found" + n + ") ";
    }
    return codegen::define("EG_EACH(F)", text);
  }

  std::string holes() const {
    return index_.text(bindings_) + addresses_.function() + (row_vectors_ > 0 ? row_functions() : gather_function()) +
           epilogue_function() + store_.text(bindings_);
  }

  /// Of a vector of the source: vec4 or anywhere where it has one index and is read at once.
  static codegen::VectorAccess access_of(const GatherKernel& kernel, codegen::Vectors reads, bool narrow) {
    if (!one_index_a_vector(kernel.index)) return codegen::VectorAccess::gather;
    const bool anywhere = reads == codegen::Vectors::anywhere || (narrow && reads == codegen::Vectors::narrow);
    return IndexedAddresses(spec_of("", kernel.index.domain, 4), kernel.source.layout, kernel.place,
                            {kernel.length, kernel.stride, {}}, OutOfRange::flagged, true, anywhere)
        .access();
  }

  /// Vectors that an invocation has in flight; on hardware no more than leave all resident invocations some.
  int unroll(const Target& target, const GatherKernel& kernel) const {
    const int most = std::min(unroll_of(kernel.index), unroll_of(kernel.epilogue));
    if (target.software) return most;
    const int64_t each = vector_count() / std::max<int64_t>(1, target.resident_invocations);
    return each >= vectors_in_flight ? std::min(most, vectors_in_flight) : 1;
  }

  int64_t vector_count() const { return (elements_ + width_ - 1) / width_; }
  std::string value_type() const { return std::string(codegen::value_type(source_.dtype(), width_)); }

  std::string value_at(int width, const std::string& text) const {
    return codegen::from_stored(bindings_.at(source_binding_).dtype(), source_.dtype(), width, text);
  }

  /// GLSL: the vector at `address`, of which the elements up to `last` exist.
  std::string vector_at(const std::string& address, const std::string& last) const {
    if (access_ == codegen::VectorAccess::anywhere) return bindings_.read_anywhere(source_binding_, address, last);
    return bindings_.read(source_binding_, "(" + address + ") >> 2");
  }

  std::string row_functions() const {
    return "uint eg_row_address(uint number, EG_INDEX index) {\n" + addresses_.statements("number") + "  return " +
           addresses_.address(0, "index.x") + ";\n}\nEG_VALUE eg_read(uint at) { return " +
           value_at(width_, vector_at("at", "at + 3u")) + "; }\n";
  }

  std::string gather_function() const {
    const std::string type = value_type();
    const std::string nothing = type + (source_.dtype() == DType::boolean ? "(false)" : "(0)");
    std::string text = "bool eg_gather(uint number, EG_INDEX index, out EG_VALUE value) {\n" +
                       addresses_.statements("number") + "  value = " + nothing + ";\n";
    if (rows_ || width_ == 1) {
      const std::string address = addresses_.address(0, rows_ ? "index.x" : "index");
      const std::string element = rows_ ? vector_at("address", "address + " + addresses_.length_less_one())
                                        : bindings_.read(source_binding_, "address");
      text += "  uint address = " + address +
              ";\n  if (address != eg_no_address) value = " + value_at(width_, element) + ";\n";
      return text + "  return address != eg_no_address;\n}\n";
    }
    return text + elements() + "  return true;\n}\n";
  }

  /// Statements that give each component of `value` its element. A branch around each read would make them wait for one
  /// another: an index out of range reads the first element, where there is one, and drops it.
  std::string elements() const {
    std::string addresses, reads, values;
    for (int j = 0; j < width_; ++j) {
      const std::string number = std::to_string(j), component = std::string(".") + "xyzw"[j],
                        index = "index" + component, there = "address" + number + " != eg_no_address";
      // Past the last index anything may lie.
      const std::string exists = addresses_.exists(j);
      addresses += "  uint address" + number + " = " +
                   addresses_.address(j, exists.empty() ? index : exists + " ? " + index + " : 0") + ";\n  uint place" +
                   number + " = " + there + " ? address" + number + " : 0u;\n";
      const std::string read = value_at(1, bindings_.read(source_binding_, "place" + number));
      if (is_empty_) continue;
      reads += "  " + std::string(codegen::value_type(source_.dtype(), 1)) + " element" + number + " = " + read + ";\n";
      values += "  if (" + there + ") value" + component + " = element" + number + ";\n";
    }
    return addresses + reads + values;
  }

  /// The template always passes an accumulator; the expression may not read it.
  std::string epilogue_function() const {
    if (epilogue_.reads_accumulator()) return epilogue_.text(bindings_);
    const std::string type(codegen::value_type(epilogue_.dtype(), width_));
    return epilogue_.text(bindings_) + type + " eg_epilogue(uint number, EG_VALUE) { return eg_epilogue(number); }\n";
  }

  Strided source_;
  int64_t elements_;
  codegen::VectorAccess access_;
  bool rows_;            ///< vectors of the source are read at once
  int64_t row_vectors_;  ///< 0: vectors are taken one by one
  bool windowed_;
  bool is_empty_;  ///< no index is within range
  int width_;
  LoadStage index_;
  IndexedAddresses addresses_;
  LoadStage epilogue_;
  StoreStage store_;
  int64_t group_size_;
  int unroll_;
  Grid grid_;
  int source_binding_ = -1;
};

GatherKernel restricted_gather(const GatherKernel& kernel, const layout::Box& box) {
  GatherKernel boxed = kernel;
  restrict_to(boxed.index, box);
  restrict_to(boxed.epilogue, box);
  for (Strided* x : {&boxed.source, &boxed.out}) restrict_to(*x, box);
  boxed.place = layout::restrict_to(boxed.place, box);
  collapse(boxed);
  return boxed;
}

/// In the order of the axis.
std::vector<IndexWindow> windows_over(const Target& target, const GatherKernel& kernel) {
  const Cut cut = cut_along_inner(target, layouts_of(kernel), vector_width, widest_element(kernel));
  return index_windows(target, kernel.index.domain, cut, {kernel.source.layout, kernel.length, kernel.stride});
}

void search_all(Lowering& lowering, const GatherKernel& kernel) {
  const std::vector<IndexWindow> windows = windows_over(lowering.target(), kernel);
  for (auto window = windows.rbegin(); window != windows.rend(); ++window)
    search(lowering, windows.size() == 1 ? kernel : restricted_gather(kernel, window->box), window->axis);
}

}  // namespace

void gather_by_dispatch(Lowering& lowering, const GatherKernel& kernel) {
  const Flag flag = lowering.index_flag();
  const std::vector<IndexWindow> windows = windows_over(lowering.target(), kernel);
  for (const IndexWindow& window : windows) {
    const GatherKernel boxed = windows.size() == 1 ? kernel : restricted_gather(kernel, window.box);
    lowering.dispatch(GatherProgram(lowering.target(), boxed, flag, window.axis).dispatch());
  }
}

void lower(Lowering& lowering, const GatherKernel& kernel) {
  if (kernel.lookup != Lookup::element) return search_all(lowering, kernel);
  if (gathers_rows(lowering.target(), kernel))
    return lowering.gather_rows(kernel, [&](Lowering& other) { gather_by_dispatch(other, kernel); });
  gather_by_dispatch(lowering, kernel);
}

}  // namespace eglantine::lower
