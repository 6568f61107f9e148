#include "lower/index/search.hpp"

#include <algorithm>
#include <bit>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/stage/stage.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// As in map/lower.cpp; smaller on hardware, for the searches' many steps.
constexpr int64_t software_search_group = 8, hardware_search_group = 128;

codegen::AddressSpec spec_of(const char* name, const Shape& domain) { return {name, domain, {{0, domain.rank()}}, 1}; }

/// The steps of a binary search.
int64_t steps_over(int64_t length) { return std::bit_width(static_cast<uint64_t>(length)); }

/// A search's program over a window of the rows, with its bindings and uniforms.
class SearchProgram : public BoundProgram {
 public:
  SearchProgram(const Target& target, const GatherKernel& kernel, const Window& window)
      : BoundProgram(target),
        source_(kernel.source),
        lookup_(kernel.lookup),
        key_(spec_of("eg_value", kernel.index.domain), kernel.index, codegen::Vectors::none),
        rows_(spec_of("eg_row", kernel.index.domain)),
        epilogue_(spec_of("eg_epilogue", kernel.index.domain), kernel.epilogue, codegen::Vectors::none),
        store_(spec_of("eg_store", kernel.index.domain), kernel.out, false),
        group_size_(group_size_of(target, target.software ? software_search_group : hardware_search_group)),
        grid_(resident_grid(target, kernel.index.domain.elements(), group_size_, group_size_,
                            steps_over(window.count) + std::max(trips_of(kernel.index), trips_of(kernel.epilogue)))) {
    const std::vector<Window> all{{0, kernel.index.domain.elements()}};
    rows_.add(source_.layout, false);
    key_.bind(bindings_, all);
    source_binding_ = bindings_.add_read(source_.buffer.get(), source_.storage, false, reached(kernel, window));
    epilogue_.bind(bindings_, all);
    store_.bind(bindings_, all);
    for (int64_t number : {all.front().count, grid_.chunk, window.first, window.count, kernel.length, kernel.stride})
      uniforms_.add(number);
    key_.add_uniforms(bindings_, all, uniforms_);
    rows_.add_uniforms({bindings_.first_element(source_binding_)}, all.front().count - 1, uniforms_);
    epilogue_.add_uniforms(bindings_, all, uniforms_);
    store_.add_uniforms(bindings_, all, uniforms_);
  }

  Dispatch dispatch() const {
    using codegen::define;
    const std::string defines = define("EG_GROUP_SIZE", group_size_) + define("EG_KEYS", "eg_u[0]") +
                                define("EG_CHUNK", "eg_u[1]") + define("EG_FIRST", "eg_u[2]") +
                                define("EG_COUNT", "eg_u[3]") + define("EG_LENGTH", "eg_u[4]");
    Dispatch result = dispatch_of("search " + std::string(name_of(source_.dtype())), {"search.comp", defines, holes()},
                                  bindings_, uniforms_);
    result.groups[0] = static_cast<uint32_t>(grid_.groups);
    return result;
  }

 private:
  /// All elements of the window in every row.
  layout::Reach reached(const GatherKernel& kernel, const Window& window) const {
    layout::Reach reach = rows_.reached(0, {{0, kernel.index.domain.elements()}});
    const int64_t first = window.first * kernel.stride, last = first + (window.count - 1) * kernel.stride;
    reach.first += std::min(first, last);
    reach.last += std::max(first, last);
    return reach;
  }

  std::string ordered(const std::string& value) const {
    return "eg_sort_key_" + std::string(name_of(source_.dtype())) + "(" + codegen::to_bits(source_.dtype(), value) +
           ", 0u)";
  }

  std::string holes() const {
    const std::string element = codegen::from_stored(bindings_.at(source_binding_).dtype(), source_.dtype(), 1,
                                                     bindings_.read(source_binding_, "address"));
    const std::string before = lookup_ == Lookup::lower_bound ? "element < key" : "element <= key";
    return key_.text(bindings_) + "uint eg_key(uint at) { return " + ordered("eg_value(at)") +
           "; }\nuint eg_element(uint at, uint place) {\n" + rows_.statements("at") +
           "  uint address = " + rows_.element(0, 0) + " + place * eg_u[5];\n  return " + ordered(element) +
           ";\n}\nbool eg_before(uint element, uint key) { return " + before + "; }\n" + epilogue_function() +
           store_.text(bindings_);
  }

  /// The template always passes an accumulator; the expression may not read it.
  std::string epilogue_function() const {
    if (epilogue_.reads_accumulator()) return epilogue_.text(bindings_);
    const std::string type(codegen::value_type(epilogue_.dtype(), 1));
    return epilogue_.text(bindings_) + type + " eg_epilogue(uint number, int) { return eg_epilogue(number); }\n";
  }

  Strided source_;
  Lookup lookup_;
  codegen::LoadStage key_;
  codegen::Addresses rows_;
  codegen::LoadStage epilogue_;
  codegen::StoreStage store_;
  int64_t group_size_;
  Grid grid_;
  int source_binding_ = -1;
};

}  // namespace

void search(Lowering& lowering, const GatherKernel& kernel, const Window& window) {
  lowering.dispatch(SearchProgram(lowering.target(), kernel, window).dispatch());
}

}  // namespace eglantine::lower
