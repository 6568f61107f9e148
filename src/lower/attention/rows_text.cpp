#include "codegen/source.hpp"
#include "lower/attention/forward_text.hpp"
#include "lower/attention/row_lanes.hpp"

/// Names beside those of forward_text.hpp: q<row>_<v> are four features. Vector v of features, or g of results, is
/// number v lanes_x + x of the row.
namespace eglantine::lower {
namespace {

class AttentionRowsText {
 public:
  explicit AttentionRowsText(const AttentionTile& tile)
      : tile_(tile), lanes_{tile.lanes_x, tile.rows, 4 * tile.score_vectors, tile.fused} {}

  std::string all() const {
    using codegen::define;
    const int columns = tile_.tile_columns(), keys = tile_.key_vectors(), apart = tile_.apart();
    const std::string tile_at = tile_.heads > 1 ? "tile_at + " : "";
    return (tile_.heads > 1 ? define("EG_HEADS", u(tile_.heads)) : "") +
           define("EG_GROUP_SIZE", int64_t{tile_.group_size()}) + define("EG_LANES", u(tile_.lanes_x)) +
           define("EG_APART", u(apart)) + (tile_.shuffles ? define("EG_SUBGROUPS") : "") +
           define("EG_ROWS", u(tile_.rows)) + define("EG_TILE_ROWS", u(tile_.tile_rows())) +
           define("EG_TILE_COLUMNS", u(columns)) + define("EG_CHUNK", u(lanes_.chunk)) +
           define("EG_KEY_VECTORS", u(keys)) + define("EG_VECTORS", u(tile_.tile_vectors())) +
           define("EG_SHARED", int64_t{tile_.shared_vectors()}) + define("EG_VALUES", u(columns * keys)) +
           define("EG_SYNC", tile_.bare ? "barrier();" : "memoryBarrierShared(); barrier();") +
           define("EG_DECLARE", declare()) +
           define("EG_SCORE(c)", lanes_.products('s', 'q', {tile_at, keys, tile_.feature_vectors})) +
           define("EG_ACROSS", lanes_.combined('s', 't')) + define("EG_DECLARE_LARGEST", declare_largest()) +
           define("EG_PLAIN", plain()) + define("EG_MASK(first)", mask()) + define("EG_SHARES", shares()) +
           define("EG_ADD(c)",
                  lanes_.spread('t', 's') +
                      lanes_.sums('o', 's', {tile_at + "EG_VALUES + ", tile_.tile_vectors(), tile_.result_vectors})) +
           define("EG_TOTAL", each(tile_.rows, [&](int r) { return lanes_.over_lanes(of_row("total", r), false); })) +
           define("EG_STORE", store_text(tile_, "tile_row + line + ", u(apart), "x", "x * 4u"));
  }

 private:
  std::string line(int r) const { return "tile_row + line + " + u(r * tile_.apart()); }
  std::string own_score(int r, int m) const { return lanes_.own('t', r, m); }

  std::string declare() const {
    return lanes_.declare_columns(tile_.key_vectors(), tile_.tile_vectors()) + each(tile_.rows, [&](int r) {
             return "float " + of_row("largest", r) + " = -eg_infinity(), " + of_row("total", r) + " = 0.0; " +
                    each(tile_.feature_vectors,
                         [&](int v) {
                           return "vec4 " + lanes_.vector('q', r, v) + " = eg_q(eg_row(" + line(r) + "), (" +
                                  u(v * tile_.lanes_x) + " + x) * 4u) * EG_QUERY_SCALE; ";
                         }) +
                    each(tile_.result_vectors, [&](int g) { return "vec4 " + sum(r, g) + " = vec4(0.0); "; });
           });
  }

  std::string declare_largest() const {
    return each(tile_.rows, [&](int r) { return "float " + of_row("own", r) + " = -eg_infinity(); "; });
  }

  /// The largest of each row, where none is hidden.
  std::string plain() const {
    return each(tile_.rows, [&](int r) {
      const std::string own = of_row("own", r);
      return each(lanes_.columns(), [&](int m) { return own + " = max(" + own + ", " + own_score(r, m) + "); "; }) +
             own + " = eg_counted(" + own + "); " + lanes_.over_lanes(own, true);
    });
  }

  /// The same, of a chunk that hides some.
  std::string mask() const {
    return each(tile_.rows, [&](int r) {
      const std::string own = of_row("own", r);
      return each(lanes_.columns(),
                  [&](int m) {
                    return own_score(r, m) + " = eg_score(" + line(r) + ", first + " + u(m * tile_.lanes_x) + " + x, " +
                           own_score(r, m) + ", " + own + "); ";
                  }) +
             lanes_.over_lanes(own, true);
    });
  }

  /// Scores to shares, relative to the base, which is raised first where a score is far above it.
  std::string shares() const {
    return each(tile_.rows, [&](int r) {
      const std::string base = of_row("largest", r), total = of_row("total", r), own = of_row("own", r);
      return "if (" + own + " > " + base + " + 8.0) { float scale = eg_rescale(" + base + ", " + own + "); " + base +
             " = " + own + "; " + total + " *= scale; " +
             each(tile_.result_vectors, [&](int g) { return sum(r, g) + " *= scale; "; }) +
             "} { float base = eg_base(" + base + "); " +
             each(lanes_.columns(),
                  [&](int m) {
                    const std::string t = own_score(r, m);
                    return t + " = eg_weight(" + t + " - base); " + total + " += " + t + "; ";
                  }) +
             "} ";
    });
  }

  const AttentionTile& tile_;
  RowLanes lanes_;
};

}  // namespace

std::string attention_rows_text(const AttentionTile& tile) { return AttentionRowsText(tile).all(); }

}  // namespace eglantine::lower
