#include "lower/attention/gradient/text.hpp"

#include "codegen/source.hpp"
#include "lower/attention/text_parts.hpp"

/// Names: s<line>_<h> are the scores, then the shares, of four others, d<line>_<h> their gradients, a<line>_<g> sums of
/// four elements of the gradient of q or k, b<line>_<g> of v's. Other i of vector h of lane x is number (4 h + i)
/// lanes_x + x of the step; vector g of a sum number g lanes_x + x.
namespace eglantine::lower {
namespace {

using codegen::define;

std::string name(char letter, int i) { return letter + std::to_string(i); }
std::string name(char letter, int i, int j) { return name(letter, i) + "_" + std::to_string(j); }

class GradientText {
 public:
  explicit GradientText(const AttentionGradientTile& tile) : tile_(tile) {}

  std::string all() const {
    std::string text = define("EG_GROUP_SIZE", int64_t{tile_.group_size()}) +
                       define("EG_TILE_LINES", u(tile_.tile_lines())) +
                       define("EG_TILE_OTHERS", u(tile_.tile_others())) + define("EG_DECLARE", declare()) +
                       define("EG_CLEAR", clear()) + define("EG_MASK(first)", shares(true)) +
                       define("EG_GRADIENTS(first)", gradients()) + define("EG_STORE", store());
    if (tile_.of_keys) text += define("EG_SECOND");
    return text + (tile_.serial ? serial() : shared());
  }

 private:
  std::string serial() const {
    return define("EG_LINES", u(tile_.lines)) +
           define("EG_ELEMENTS", u(4 * std::max(tile_.out_vectors, tile_.second_vectors))) +
           define("EG_SCORE(f)", products_from_memory('s', "A")) +
           define("EG_PRODUCT(f)", products_from_memory('d', "B")) +
           define("EG_ADD(first)", add_from_memory('d', 'a', "A", tile_.out_vectors)) +
           define("EG_ADD_SECOND(first)", add_from_memory('s', 'b', "B", tile_.second_vectors));
  }

  std::string shared() const {
    const int lines = tile_.tile_lines();
    return define("EG_LANES_X", u(tile_.lanes_x)) + define("EG_SLOTS", u(tile_.slots)) +
           define("EG_SUM_SLOTS", u(tile_.sum_slots)) + define("EG_VECTORS", u(tile_.tile_out())) +
           define("EG_SECOND_VECTORS", u(tile_.tile_second())) +
           define("EG_STEPS", u(tile_.score_vectors * tile_.lanes_x / tile_.sum_slots)) +
           define("EG_PERIOD", u(std::min(tile_.lanes_y, 8))) + define("EG_SHARED", int64_t{tile_.shared_vectors()}) +
           define("EG_OTHERS_AT", u(lines * tile_.slots)) + define("EG_VALUES_AT", u(lines * tile_.sum_slots)) +
           define("EG_SYNC", tile_.bare ? "barrier();" : "memoryBarrierShared(); barrier();") +
           define("EG_SCORE(j)", products_from_tile('s')) + define("EG_PRODUCT(j)", products_from_tile('d')) +
           define("EG_PLAIN(first)", shares(false)) + define("EG_PUT(n)", put('d')) +
           define("EG_PUT_SECOND(n)", put('s')) +
           define("EG_ADD(j)", add_from_tile({'a', tile_.lines, tile_.out_vectors, tile_.tile_out()})) +
           define("EG_ADD_SECOND(j)", add_from_tile({'b', tile_.lines, tile_.second_vectors, tile_.tile_second()})) +
           (tile_.of_all ? of_others() : "");
  }

  /// By the others' sums, c<other>_<g>, of others lanes_y apart: all but the group's own sums.
  std::string of_others() const {
    const int vectors = tile_.out_vectors, others = tile_.tile_others() / tile_.lanes_y;
    return define("EG_OF_ALL") + define("EG_LANES_Y", u(tile_.lanes_y)) + define("EG_LINE_SLOTS", u(tile_.line_slots)) +
           define("EG_LINE_STEPS", u(tile_.lanes_y / tile_.line_slots)) +
           define("EG_LINES_AT", u(tile_.tile_others() * tile_.line_slots)) +
           define("EG_CLEAR_OTHERS", zeros('c', others, vectors)) + define("EG_PUT_LINES(n)", put_lines()) +
           define("EG_ADD_LINES(j)",
                  add_from_tile({'c', others, vectors, tile_.tile_out(), "EG_LINE_SLOTS", "EG_LINES_AT"})) +
           define("EG_STORE_OTHERS(first, adds)", store_others(others));
  }

  std::string add_product(const std::string& to, const std::string& scalar, const std::string& vector) const {
    return plus_product(tile_.fused, to, scalar, vector);
  }

  static std::string zeros(char letter, int lines, int vectors) {
    return each(lines, [&](int r) {
      return each(vectors, [&](int g) { return "vec4 " + name(letter, r, g) + " = vec4(0.0); "; });
    });
  }
  std::string declare() const {
    return zeros('a', tile_.lines, tile_.out_vectors) + zeros('b', tile_.lines, tile_.second_vectors);
  }
  std::string clear() const {
    return zeros('s', tile_.lines, tile_.score_vectors) + zeros('d', tile_.lines, tile_.score_vectors);
  }

  std::string line(int r) const { return tile_.serial ? "line + " + u(r) : "first_line + y + " + u(r * tile_.lanes_y); }
  std::string other(int h, int i) const {
    return "first + " + u((4 * h + i) * tile_.lanes_x) + (tile_.serial ? "" : " + x");
  }

  /// A number of each row, eg_base or eg_delta: of each line, or of each four others.
  std::string of_rows(const char* function, char letter) const {
    const auto call = [&](const std::string& row) { return std::string(function) + "(" + row + ")"; };
    if (!tile_.of_keys)
      return each(tile_.lines, [&](int r) { return "float " + name(letter, r) + " = " + call(line(r)) + "; "; });
    return each(tile_.score_vectors, [&](int h) {
      return "vec4 " + name(letter, h) + " = vec4(" + call(other(h, 0)) + ", " + call(other(h, 1)) + ", " +
             call(other(h, 2)) + ", " + call(other(h, 3)) + "); ";
    });
  }
  std::string of_row(char letter, int r, int h) const { return name(letter, tile_.of_keys ? h : r); }

  std::string over_scores(const std::function<std::string(int r, int h)>& text) const {
    return each(tile_.lines, [&](int r) { return each(tile_.score_vectors, [&](int h) { return text(r, h); }); });
  }

  /// Products to shares; `hides`: of a step that hides some.
  std::string shares(bool hides) const {
    return "{ " + of_rows("eg_base", 'l') + over_scores([&](int r, int h) {
             const std::string s = name('s', r, h), base = of_row('l', r, h);
             if (!hides) return s + " = eg_shares(" + s + ", " + base + "); ";
             return each(4, [&](int i) {
               return s + component(i) + " = eg_share(" + line(r) + ", " + other(h, i) + ", " + s + component(i) +
                      ", " + base + (tile_.of_keys ? component(i) : "") + "); ";
             });
           }) +
           "} ";
  }

  std::string gradients() const {
    return "{ " + of_rows("eg_delta", 'l') + over_scores([&](int r, int h) {
             const std::string d = name('d', r, h);
             return d + " = " + name('s', r, h) + " * (" + d + " - " + of_row('l', r, h) + "); ";
           }) +
           "} ";
  }

  /// Four features of four others, each as a vector over the others.
  std::string transposed(const std::function<std::string(int h, int i)>& vector) const {
    return each(tile_.score_vectors, [&](int h) {
      return each(4, [&](int i) { return "vec4 " + name('k', h, i) + " = " + vector(h, i) + "; "; }) +
             each(4, [&](int f) {
               std::string text = "vec4 " + name('t', h, f) + " = vec4(";
               for (int i = 0; i < 4; ++i) text += (i == 0 ? "" : ", ") + name('k', h, i) + component(f);
               return text + "); ";
             });
    });
  }

  std::string multiply(char to, int r) const {
    return each(4, [&](int f) {
      return each(tile_.score_vectors,
                  [&](int h) { return add_product(name(to, r, h), "q" + component(f), name('t', h, f)); });
    });
  }

  std::string products_from_memory(char to, const std::string& operand) const {
    return transposed([&](int h, int i) { return "EG_OTHER_" + operand + "(" + other(h, i) + ", f)"; }) +
           each(tile_.lines, [&](int r) {
             return "{ vec4 q = EG_LINE_" + operand + "(" + line(r) + ", f); " + multiply(to, r) + "} ";
           });
  }

  std::string products_from_tile(char to) const {
    return "uint ka = EG_OTHERS_AT + x * EG_SLOTS + eg_swizzled(x, j, EG_SLOTS, 8u), qa = y * EG_SLOTS + "
           "eg_swizzled(y, j, EG_SLOTS, EG_PERIOD); " +
           transposed(
               [&](int h, int i) { return "eg_tile[ka + " + u((4 * h + i) * tile_.lanes_x * tile_.slots) + "]"; }) +
           each(tile_.lines, [&](int r) {
             return "{ vec4 q = eg_tile[qa + " + u(r * tile_.lanes_y * tile_.slots) + "]; " + multiply(to, r) + "} ";
           });
  }

  std::string add_from_memory(char scores, char to, const std::string& operand, int vectors) const {
    return each(4 * tile_.score_vectors, [&](int c) {
      const int h = c / 4, i = c % 4;
      return "{ uint other = " + other(h, i) + "; " +
             each(vectors,
                  [&](int g) {
                    return "vec4 v" + std::to_string(g) + " = EG_VALUE_" + operand + "(other, e + " + u(4 * g) +
                           ", end); " + each(tile_.lines, [&](int r) {
                             return add_product(name(to, r, g), name(scores, r, h) + component(i), name('v', g));
                           });
                  }) +
             "} ";
    });
  }

  std::string put(char scores) const {
    return each(tile_.score_vectors, [&](int h) {
      return "{ uint slot = " + u(h * tile_.lanes_x) +
             " + x - (n) * EG_SUM_SLOTS; if (slot < EG_SUM_SLOTS) { uint at = y * EG_SUM_SLOTS + eg_swizzled(y, slot, "
             "EG_SUM_SLOTS, EG_PERIOD); " +
             each(tile_.lines,
                  [&](int r) {
                    return "eg_tile[at + " + u(r * tile_.lanes_y * tile_.sum_slots) + "] = " + name(scores, r, h) +
                           "; ";
                  }) +
             "} } ";
    });
  }

  /// The four lines of an invocation are a vector, of slot y, for each of its others.
  std::string put_lines() const {  // of a tile of four
    return "{ uint slot = y - (n) * EG_LINE_SLOTS; if (slot < EG_LINE_SLOTS) { " +
           each(4 * tile_.score_vectors,
                [&](int c) {
                  const std::string i = component(c % 4);
                  return "{ uint at = " + u(c * tile_.lanes_x) +
                         " + x; eg_tile[at * EG_LINE_SLOTS + eg_swizzled(at, slot, EG_LINE_SLOTS, EG_PERIOD)] = vec4(" +
                         name('d', 0, c / 4) + i + ", " + name('d', 1, c / 4) + i + ", " + name('d', 2, c / 4) + i +
                         ", " + name('d', 3, c / 4) + i + "); } ";
                }) +
           "} } ";
  }

  /// Sums of so many lines, lanes_y apart, and vectors, of `wide` of a line in the tile.
  struct Sums {
    char to;
    int lines, vectors, wide;
    const char *slots = "EG_SUM_SLOTS", *values_at = "EG_VALUES_AT";
  };

  std::string add_from_tile(const Sums& sums) const {
    const std::string slots = sums.slots;
    return "uint pa = y * " + slots + " + eg_swizzled(y, j, " + slots + ", EG_PERIOD), va = " + sums.values_at +
           " + (j) * " + u(4 * sums.wide) + " + x; " +
           each(sums.vectors,
                [&](int g) {
                  return each(4, [&](int i) {
                    return "vec4 " + name('v', g, i) + " = eg_tile[va + " + u(i * sums.wide + g * tile_.lanes_x) +
                           "]; ";
                  });
                }) +
           each(sums.lines, [&](int r) {
             return "{ vec4 p = eg_tile[pa + " + u(r * tile_.lanes_y) + " * " + slots + "]; " +
                    each(4,
                         [&](int i) {
                           return each(sums.vectors, [&](int g) {
                             return add_product(name(sums.to, r, g), "p" + component(i), name('v', g, i));
                           });
                         }) +
                    "} ";
           });
  }

  std::string store_others(int others) const {
    return each(others, [&](int r) {
      return "{ uint at = first + y + " + u(r * tile_.lanes_y) + "; if (at < EG_ALL_OTHERS) { " +
             each(tile_.out_vectors,
                  [&](int g) {
                    return "eg_put_other(at, x * 4u + " + u(4 * tile_.lanes_x * g) + ", " + name('c', r, g) +
                           " * EG_SCALE, adds); ";
                  }) +
             "} } ";
    });
  }

  std::string store() const {
    const auto element = [&](int g) {
      return tile_.serial ? "e + " + u(4 * g) : "x * 4u + " + u(4 * tile_.lanes_x * g);
    };
    return each(tile_.lines, [&](int r) {
      return "{ uint at = " + line(r) + "; if (at < EG_ALL_LINES) { " +
             each(tile_.out_vectors,
                  [&](int g) { return "eg_put(at, " + element(g) + ", " + name('a', r, g) + " * EG_SCALE); "; }) +
             each(tile_.second_vectors,
                  [&](int g) { return "eg_put_second(at, " + element(g) + ", " + name('b', r, g) + "); "; }) +
             "} } ";
    });
  }

  const AttentionGradientTile& tile_;
};

}  // namespace

std::string attention_gradient_text(const AttentionGradientTile& tile) { return GradientText(tile).all(); }

}  // namespace eglantine::lower
