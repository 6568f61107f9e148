#include "lower/attention/text.hpp"

#include "codegen/source.hpp"
#include "lower/attention/forward_text.hpp"

/// Names: s<row>_<h> are the scores, then the shares, of four columns, o<row>_<g> the sums of four results. Column i of
/// vector h of lane x is number (4 h + i) lanes_x + x of the step; vector g of results number g lanes_x + x.
namespace eglantine::lower {
namespace {

class AttentionText {
 public:
  explicit AttentionText(const AttentionTile& tile) : tile_(tile) {}

  std::string all() const {
    using codegen::define;
    std::string text = define("EG_ROWS", u(tile_.rows)) + define("EG_TILE_ROWS", u(tile_.tile_rows())) +
                       define("EG_TILE_COLUMNS", u(tile_.tile_columns())) + define("EG_DECLARE", declare()) +
                       define("EG_CLEAR", clear()) + define("EG_DECLARE_LARGEST", declare_largest()) +
                       define("EG_MASK(first)", mask()) + define("EG_SHARES", shares());
    return text + (tile_.serial() ? serial() : shared());
  }

 private:
  std::string serial() const {
    using codegen::define;
    return define("EG_GROUP_SIZE", int64_t{tile_.lanes_y}) + define("EG_RESULTS", u(4 * tile_.result_vectors)) +
           define("EG_SCORE(f)", score_from_memory()) + define("EG_ADD(first)", add_from_memory()) +
           define("EG_STORE", store_text(tile_, "row + ", "1u", "0u", "e"));
  }

  std::string shared() const {
    using codegen::define;
    const int rows = tile_.tile_rows(), lanes = tile_.lanes_x;
    return define("EG_GROUP_SIZE", int64_t{tile_.group_size()}) + define("EG_LANES_X", u(lanes)) +
           define("EG_SLOTS", u(tile_.slots)) + define("EG_VALUE_SLOTS", u(tile_.value_slots)) +
           define("EG_VECTORS", u(tile_.tile_vectors())) +
           define("EG_STEPS", u(tile_.score_vectors * lanes / tile_.value_slots)) +
           (tile_.shuffles ? define("EG_SUBGROUPS") : "") + define("EG_APART", u(tile_.apart())) +
           define("EG_SHARED", int64_t{tile_.shared_vectors()}) + define("EG_KEYS", u(rows * tile_.slots)) +
           define("EG_VALUES", u(rows * tile_.value_slots)) +
           define("EG_SYNC", tile_.bare ? "barrier();" : "memoryBarrierShared(); barrier();") +
           define("EG_SCORE(j)", score_from_tile()) + score_of_first() + define("EG_PUT_SHARES(n)", put_shares()) +
           define("EG_ADD(j)", add_from_tile()) + define("EG_LARGEST", across_lanes("own", true)) +
           define("EG_PLAIN", plain()) + define("EG_TOTAL", across_lanes("total", false)) +
           define("EG_STORE", store_text(tile_, "tile_row + line + ", u(tile_.apart()), "x", "x * 4u"));
  }

  std::string add_product(const std::string& to, const std::string& scalar, const std::string& vector) const {
    return plus_product(tile_.fused, to, scalar, vector);
  }

  std::string declare() const {
    return each(tile_.rows, [&](int r) {
      return "float " + of_row("largest", r) + " = -eg_infinity(), " + of_row("total", r) + " = 0.0; " +
             each(tile_.result_vectors, [&](int g) { return "vec4 " + sum(r, g) + " = vec4(0.0); "; });
    });
  }

  std::string clear() const {
    return each(tile_.rows, [&](int r) {
      return each(tile_.score_vectors, [&](int h) { return "vec4 " + score(r, h) + " = vec4(0.0); "; });
    });
  }

  std::string line(int r) const {
    return tile_.serial() ? "row + " + u(r) : "tile_row + line + " + u(r * tile_.apart());
  }
  std::string column(int h, int i) const {
    const std::string number = u((4 * h + i) * tile_.lanes_x);
    return "first + " + number + (tile_.serial() ? "" : " + x");
  }

  std::string declare_largest() const {
    return each(tile_.rows, [&](int r) { return "float " + of_row("own", r) + " = -eg_infinity(); "; });
  }

  /// Dot products to scores, and the largest of the invocation's, of each row; where none is hidden.
  std::string plain() const {
    return each(tile_.rows, [&](int r) {
      const std::string own = of_row("own", r);
      return each(tile_.score_vectors,
                  [&](int h) {
                    const std::string s = score(r, h);
                    return s + " *= EG_SCALE; " + own + " = eg_largest(" + own + ", " + s + "); ";
                  }) +
             own + " = eg_counted(" + own + "); ";
    });
  }

  /// The same, of a step that hides some.
  std::string mask() const {
    return each(tile_.rows, [&](int r) {
      return each(tile_.score_vectors, [&](int h) {
        return each(4, [&](int i) {
          const std::string at = score(r, h) + component(i);
          return at + " = eg_score(" + line(r) + ", " + column(h, i) + ", " + at + ", " + of_row("own", r) + "); ";
        });
      });
    });
  }

  /// Scores to shares, relative to the largest score so far, by which the sums so far are scaled.
  std::string shares() const {
    return each(tile_.rows, [&](int r) {
      const std::string largest = of_row("largest", r), total = of_row("total", r), own = of_row("own", r);
      std::string text = "{ float before = " + largest + "; " + largest + " = max(" + largest + ", " + own +
                         "); float base = eg_base(" + largest + "), scale = eg_rescale(before, " + largest +
                         "); vec4 all = vec4(0.0); ";
      text += each(tile_.score_vectors, [&](int h) {
        const std::string s = score(r, h);
        return s + " = eg_shares(" + s + " - base); all += " + s + "; ";
      });
      text += total + " = " + total + " * scale + ((all.x + all.y) + (all.z + all.w)); ";
      return text + each(tile_.result_vectors, [&](int g) { return sum(r, g) + " *= scale; "; }) + "} ";
    });
  }

  /// The four features of four keys, each as a vector over the keys.
  std::string transposed_keys(int h) const {
    return each(4, [&](int f) {
      const std::string c = component(f), k = "k" + text_of(h) + "_";
      return "vec4 t" + text_of(h) + "_" + text_of(f) + " = vec4(" + k + "0" + c + ", " + k + "1" + c + ", " + k + "2" +
             c + ", " + k + "3" + c + "); ";
    });
  }

  std::string keys(const std::function<std::string(int h, int i)>& key) const {
    return each(tile_.score_vectors, [&](int h) {
      return each(4, [&](int i) { return "vec4 k" + text_of(h) + "_" + text_of(i) + " = " + key(h, i) + "; "; }) +
             transposed_keys(h);
    });
  }

  std::string multiply_keys(int r) const {
    return each(4, [&](int f) {
      return each(tile_.score_vectors, [&](int h) {
        return add_product(score(r, h), "q" + component(f), "t" + text_of(h) + "_" + text_of(f));
      });
    });
  }

  std::string score_from_memory() const {
    return keys([&](int h, int i) { return "eg_k(eg_column(" + column(h, i) + "), f)"; }) +
           each(tile_.rows,
                [&](int r) { return "{ vec4 q = eg_q(eg_row(" + line(r) + "), f); " + multiply_keys(r) + "} "; });
  }

  std::string score_from_tile() const {
    const std::string key_at = "uint ka = EG_KEYS + x * EG_SLOTS + eg_swizzled(x, j, EG_SLOTS, 8u); ",
                      query_at = "uint qa = line * EG_SLOTS + eg_swizzled(line, j, EG_SLOTS, EG_APART); ";
    return key_at + query_at +
           keys([&](int h, int i) { return "eg_tile[ka + " + u((4 * h + i) * tile_.lanes_x * tile_.slots) + "]"; }) +
           each(tile_.rows, [&](int r) {
             return "{ vec4 q = eg_tile[qa + " + u(r * tile_.apart() * tile_.slots) + "]; " + multiply_keys(r) + "} ";
           });
  }

  /// Of the first of two vectors of scores alone.
  std::string score_of_first() const {
    if (tile_.score_vectors != 2) return "";
    AttentionTile first = tile_;
    first.score_vectors = 1;
    return codegen::define("EG_SCORE_FIRST(j)", AttentionText(first).score_from_tile());
  }

  std::string add_from_memory() const {
    return each(4 * tile_.score_vectors, [&](int c) {
      const int h = c / 4, i = c % 4;
      return "{ uint column = " + column(h, i) + "; " +
             each(tile_.result_vectors,
                  [&](int g) {
                    return "vec4 v" + text_of(g) + " = eg_value(column, e + " + u(4 * g) + ", end); " +
                           each(tile_.rows, [&](int r) {
                             return add_product(sum(r, g), score(r, h) + component(i), "v" + text_of(g));
                           });
                  }) +
             "} ";
    });
  }

  std::string put_shares() const {
    return each(tile_.score_vectors, [&](int h) {
      return "{ uint slot = " + u(h * tile_.lanes_x) +
             " + x - (n) * EG_VALUE_SLOTS; if (slot < EG_VALUE_SLOTS) { "
             "uint at = line * EG_VALUE_SLOTS + eg_swizzled(line, slot, EG_VALUE_SLOTS, EG_APART); " +
             each(tile_.rows,
                  [&](int r) {
                    return "eg_tile[at + " + u(r * tile_.apart() * tile_.value_slots) + "] = " + score(r, h) + "; ";
                  }) +
             "} } ";
    });
  }

  std::string add_from_tile() const {
    const auto value = [](int g, int i) { return "v" + text_of(g) + "_" + text_of(i); };
    return "uint pa = line * EG_VALUE_SLOTS + eg_swizzled(line, j, EG_VALUE_SLOTS, EG_APART), va = EG_VALUES + (j) * "
           "4u * "
           "EG_VECTORS + x; " +
           each(tile_.result_vectors,
                [&](int g) {
                  return each(4, [&](int i) {
                    return "vec4 " + value(g, i) + " = eg_tile[va + " +
                           u(i * tile_.tile_vectors() + g * tile_.lanes_x) + "]; ";
                  });
                }) +
           each(tile_.rows, [&](int r) {
             return "{ vec4 p = eg_tile[pa + " + u(r * tile_.apart() * tile_.value_slots) + "]; " +
                    each(4,
                         [&](int i) {
                           return each(tile_.result_vectors,
                                       [&](int g) { return add_product(sum(r, g), "p" + component(i), value(g, i)); });
                         }) +
                    "} ";
           });
  }

  /// Combines a number of each row over the lanes that share it, in their order: all of them get the same.
  std::string across_lanes(const char* name, bool largest) const {
    if (tile_.shuffles) return across_lanes_by_shuffles(name, largest);
    const int vectors = tile_.rows / 4;
    std::string text = "EG_SYNC ";
    for (int v = 0; v < vectors; ++v) {
      text += "eg_tile[(y * EG_LANES_X + x) * " + u(vectors) + " + " + u(v) + "] = vec4(";
      for (int i = 0; i < 4; ++i) text += (i > 0 ? ", " : "") + of_row(name, 4 * v + i);
      text += "); ";
    }
    text += "EG_SYNC ";
    for (int v = 0; v < vectors; ++v) {
      const std::string all = "all" + text_of(v),
                        at = "eg_tile[(y * EG_LANES_X + lane) * " + u(vectors) + " + " + u(v) + "]";
      text += "vec4 " + all + " = " + (largest ? "vec4(-eg_infinity())" : "vec4(0.0)") +
              "; for (uint lane = 0u; lane < EG_LANES_X; ++lane) " + all +
              (largest ? " = max(" + all + ", " + at + "); " : " += " + at + "; ");
      for (int i = 0; i < 4; ++i) text += of_row(name, 4 * v + i) + " = " + all + component(i) + "; ";
    }
    return text;
  }

  /// The same, where the lanes of a row are in one subgroup. Distances double: the bits are those of pairs of lanes.
  std::string across_lanes_by_shuffles(const char* name, bool largest) const {
    return each(tile_.rows, [&](int r) {
      const std::string x = of_row(name, r);
      std::string text;
      for (int apart = 2; apart <= tile_.lanes_x; apart *= 2) {
        const std::string other = "subgroupShuffleXor(" + x + ", " + u(apart) + ")";
        text += x + (largest ? " = max(" + x + ", " + other + "); " : " += " + other + "; ");
      }
      return text;
    });
  }

  const AttentionTile& tile_;
};

}  // namespace

std::string attention_text(const AttentionTile& tile) {
  return tile.form == AttentionTile::Form::rows ? attention_rows_text(tile) : AttentionText(tile).all();
}

}  // namespace eglantine::lower
