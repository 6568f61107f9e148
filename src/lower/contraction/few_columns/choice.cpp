#include "lower/contraction/few_columns/choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <stdexcept>

#include "codegen/addresses/runs.hpp"
#include "layout/divide.hpp"
#include "lower/contraction/schedule/tile_choice.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// Fewer loads in flight than the fewest leave the memory idle.
constexpr int64_t most_results_of_a_choice = 64, most_loaded_quads = 16, fewest_loaded_quads = 4, usual_subgroup = 32;
constexpr std::array<int64_t, 4> all_rows{1, 2, 4, 8};
constexpr std::array<int64_t, 7> all_lanes{4, 8, 16, 32, 64, 128, 256};
constexpr std::array<int64_t, 3> all_teams{8, 16, 32};
constexpr std::array<int64_t, 3> all_groups{128, 256, 512};
constexpr int64_t largest_group_along_k = 256;
constexpr std::array<int64_t, 3> all_unrolls{1, 2, 4}, all_runs{1, 2, 4};

int64_t run_of(const FewColumnsProduct& product) {
  return product.along_rows ? 1 : codegen::run_length(matrix_spec(product), product.matrix);
}

int64_t shared_bytes(const FewColumnsChoice& choice, const FewColumnsProduct& product) {
  constexpr int64_t word = 4;
  const int64_t teams = product.along_rows ? 1 : choice.lanes / choice.team;
  const int64_t sums = teams * choice.group_size / choice.lanes * choice.rows_each * product.sizes.columns;
  return word * (sums + choice.group_size * vector_width * (product.along_rows ? 2 : 1));
}

/// All lanes of a place, or as many as divide its lanes and leave each subgroup to one team of several places.
std::vector<int64_t> teams_of(int64_t lanes, int64_t group) {
  std::vector<int64_t> teams{std::min(lanes, usual_subgroup)};
  for (const int64_t team : all_teams)
    if (team < teams.front() && lanes / team * usual_subgroup <= group) teams.push_back(team);
  return teams;
}

/// All choices that a file may name.
std::vector<FewColumnsChoice> all_choices() {
  std::vector<FewColumnsChoice> all;
  for (const int64_t rows : all_rows)
    for (const int64_t lanes : all_lanes)
      for (const int64_t group : all_groups)
        for (const int64_t unroll : all_unrolls)
          for (const int64_t run : all_runs)
            for (const int64_t team : lanes <= group ? teams_of(lanes, group) : std::vector<int64_t>{})
              all.push_back({rows, lanes, team, group, unroll, run});
  return all;
}

}  // namespace

bool FewColumnsChoice::suits(const Target& target, const FewColumnsProduct& product) const {
  const int64_t runs = std::max<int64_t>(product.quads() / run, vector_width), loaded = rows_each * unroll * run;
  const bool divides_k =
      group_size <= largest_group_along_k && lanes <= runs && lanes >= std::min(all_teams.front(), runs / 2);
  const bool divides_rows = rows_each == vector_width && team == std::min(lanes, usual_subgroup);
  return (product.along_rows ? divides_rows : divides_k) && group_size <= target.max_invocations &&
         rows_each * product.sizes.columns <= most_results_of_a_choice && loaded <= most_loaded_quads &&
         loaded >= fewest_loaded_quads && (run == 1 || run == run_of(product)) &&
         shared_bytes(*this, product) <= target.max_shared_bytes;
}

void FewColumnsChoice::apply_to(FewColumnsPlan& plan, const Target& target, const FewColumnsProduct& product) const {
  plan.rows_each = product.along_rows ? vector_width : rows_each;
  while (plan.rows_each > 1 && !product.along_rows && plan.rows_each * product.sizes.columns > most_results_of_a_choice)
    plan.rows_each /= 2;
  plan.group_size = group_size_of(target, group_size);
  plan.lanes = std::min(lanes, plan.group_size);
  plan.team = std::min(team, plan.lanes);
  while (plan.team < std::min(plan.lanes, usual_subgroup) && plan.lanes / plan.team * usual_subgroup > plan.group_size)
    plan.team *= 2;
  plan.unroll = unroll;
  plan.run = run > 1 ? run_of(product) : 1;
}

FewColumnsChoice FewColumnsChoice::of(const FewColumnsPlan& plan) {
  return {plan.rows_each, plan.lanes, plan.team, plan.group_size, plan.unroll, plan.run};
}

std::vector<FewColumnsChoice> choices_for(const Target& target, const FewColumnsProduct& product) {
  std::vector<FewColumnsChoice> suitable;
  for (const FewColumnsChoice& choice : all_choices())
    if (choice.suits(target, product)) suitable.push_back(choice);
  return suitable;
}

FewColumnsClass class_of(const FewColumnsProduct& product) {
  const FewColumnsSizes& sizes = product.sizes;
  int64_t bytes = 4;
  for (const Strided& operand : product.matrix.operands) bytes = std::min<int64_t>(bytes, bytes_of(operand.storage));
  return {nearest_power(sizes.rows),
          nearest_power(sizes.length),
          nearest_power(sizes.columns),
          nearest_power(sizes.batches),
          bytes,
          product.along_rows};
}

std::string text_of(const FewColumnsChoice& choice) {
  return std::to_string(choice.rows_each) + " rows, " + std::to_string(choice.lanes) + " lanes of " +
         std::to_string(choice.group_size) + " in teams of " + std::to_string(choice.team) + ", " +
         std::to_string(choice.unroll) + " runs of " + std::to_string(choice.run);
}

FewColumnsChoice parse_few_columns_choice(std::string_view text) {
  for (const FewColumnsChoice& choice : all_choices())
    if (text_of(choice) == text) return choice;
  throw std::invalid_argument("no way to divide products with few columns is called \"" + std::string(text) + "\"");
}

std::string text_of(const FewColumnsClass& product) {
  return std::to_string(product.rows) + "x" + std::to_string(product.length) + "x" + std::to_string(product.columns) +
         " of " + std::to_string(product.batches) + " with " + std::to_string(product.bytes) + " bytes along " +
         (product.along_rows ? "rows" : "k");
}

FewColumnsClass parse_few_columns_class(std::string_view text) {
  const std::string whole(text);
  long long rows = 0, length = 0, columns = 0, batches = 0, bytes = 0;
  std::sscanf(whole.c_str(), "%lldx%lldx%lld of %lld with %lld bytes", &rows, &length, &columns, &batches, &bytes);
  const FewColumnsClass product{rows, length, columns, batches, bytes, whole.ends_with("rows")};
  const auto is_power = [](int64_t n) { return n > 0 && std::has_single_bit(static_cast<uint64_t>(n)); };
  // A text that is not exactly a class's own does not come back the same.
  if (text_of(product) != text || !is_power(rows) || !is_power(length) || !is_power(columns) || !is_power(batches) ||
      !is_power(bytes) || bytes > 4)
    throw std::invalid_argument("no class of products with few columns is called \"" + whole + "\"");
  return product;
}

}  // namespace eglantine::lower
