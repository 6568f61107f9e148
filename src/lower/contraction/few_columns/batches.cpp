#include <algorithm>
#include <bit>
#include <numeric>

#include "layout/divide.hpp"
#include "lower/contraction/few_columns/wide_blocks.hpp"
#include "lower/program_dispatch.hpp"

/// How groups share products of many matrices of few rows: of one alone most of a group's invocations are idle, or have
/// so few products that a group's start and the adding up of its lanes take longer.
namespace eglantine::lower {
namespace {

// Longer matrices fill groups of their own, those whose vectors are of rows sooner.
constexpr int64_t most_batch_rows = 256, most_rows_by_vectors = 128, most_batch_quads = 64;
constexpr int64_t place_rows = 4, most_short_lanes = 8, trips_of_lanes = 3, lanes_of_subgroup = 32;
constexpr int64_t largest_batch_group = 256, smallest_batch_group = 64;
// Of shared memory, which leaves a multiprocessor two groups.
constexpr int64_t most_group_bytes = 24576;
// Invocations of a multiprocessor that keep it busy.
constexpr int64_t busy_invocations = 512;

struct Choice {
  FewColumnsPlan plan;
  double used = 0;  ///< of the invocations' time
};

/// Whether rows side by side are read element by element.
bool is_read_apart(const FewColumnsProduct& product) {
  return product.rows_beside && (!product.along_rows || reads_rows_one_by_one(product));
}

bool may_share_groups(const FewColumnsProduct& product) {
  const FewColumnsSizes& sizes = product.sizes;
  if (product.along_rows && !product.rows_beside) return false;
  return sizes.batches > 1 && sizes.rows <= (product.along_rows ? most_rows_by_vectors : most_batch_rows) &&
         product.quads() <= most_batch_quads &&
         (!is_read_apart(product) || (product.matrix.piecewise.empty() && product.matrix.stored.empty()));
}

int64_t places_each(const FewColumnsProduct& product) { return ceil_divide(product.sizes.rows, place_rows); }

/// The columns, the sums, and what adds up lanes: of rows side by side two columns at a time.
int64_t group_bytes(const FewColumnsProduct& product, const FewColumnsPlan& plan) {
  constexpr int64_t word = 4, vector = word * vector_width;
  const int64_t columns = product.sizes.columns, at_once = plan.along_rows ? std::min<int64_t>(2, columns) : 1;
  const int64_t slots = plan.subgroups ? 0 : plan.group_size * at_once;
  return plan.column_slots(columns) * vector + plan.block_rows() * columns * word + slots * vector;
}

/// Of as many batches as make whole vectors of results, if a group has room for those.
int64_t whole_vectors(const FewColumnsProduct& product, int64_t batches) {
  const int64_t unit = vector_width / std::gcd(vector_width, product.sizes.rows * product.sizes.columns);
  return batches < unit ? batches : batches - batches % unit;
}

Choice choice_of(const Target& target, const FewColumnsProduct& product, int64_t group, int64_t lanes,
                 double coalesced) {
  constexpr double apart = 0.7;  // results are stored one by one, narrow ones by atomics
  Choice choice;
  FewColumnsPlan& plan = choice.plan;
  plan.along_rows = product.rows_beside;
  plan.apart = is_read_apart(product);
  plan.subgroups = target.subgroup == lanes_of_subgroup && !plan.along_rows;
  plan.rows_each = place_rows;
  plan.lanes = plan.team = lanes;
  plan.group_size = group;
  plan.chunk_quads = product.quads();
  const int64_t each = places_each(product), places = plan.places();
  // Each multiprocessor has a group.
  plan.batches = whole_vectors(product, std::min(places / each, product.sizes.batches / multiprocessors_of(target)));
  const int64_t bytes = group_bytes(product, plan);
  if (plan.batches == 0 || bytes > std::min(most_group_bytes, target.max_shared_bytes)) return choice;
  const int64_t resident = 2 * most_group_bytes / bytes * group;
  const bool vectors = plan.batches * product.sizes.rows * product.sizes.columns % vector_width == 0;
  choice.used = static_cast<double>(plan.batches * each) / static_cast<double>(places) *
                static_cast<double>(product.quads()) / static_cast<double>(round_up(product.quads(), lanes)) *
                (vectors ? coalesced : coalesced * apart) * static_cast<double>(std::min(resident, busy_invocations)) /
                static_cast<double>(busy_invocations);
  return choice;
}

}  // namespace

std::optional<FewColumnsPlan> plan_batches_together(const Target& target, const FewColumnsProduct& product) {
  constexpr double least_used = 0.3;
  if (target.software || !may_share_groups(product)) return std::nullopt;
  // Along k four lanes, or more, add up four sums at a time.
  const int64_t fewest = product.rows_beside ? 2 : 4;
  const auto wanted = static_cast<uint64_t>(std::max(fewest, product.quads() / trips_of_lanes));
  const int64_t lanes = std::min(static_cast<int64_t>(std::bit_floor(wanted)), most_short_lanes);
  Choice best;
  for (int64_t group = group_size_of(target, largest_batch_group); group >= smallest_batch_group; group /= 2)
    for (int64_t each = lanes; each >= fewest; each /= 2) {
      // Fewer lanes read rows along k in shorter pieces.
      const double coalesced = product.rows_beside || each == lanes ? 1 : 0.85;
      const Choice choice = choice_of(target, product, group, each, coalesced);
      if (choice.used > best.used) best = choice;
    }
  if (best.used < least_used) return std::nullopt;
  return best.plan;
}

}  // namespace eglantine::lower
