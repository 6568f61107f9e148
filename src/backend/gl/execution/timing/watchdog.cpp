#include "backend/gl/execution/timing/watchdog.hpp"

#include <algorithm>

#include "backend/gl/context/environment.hpp"

namespace eglantine::gl {
namespace {

constexpr int64_t millisecond = 1'000'000;
constexpr double share_of_limit = 0.5;        // groups differ in their times, and a machine may slow down
constexpr double worth_measuring = 1.0 / 64;  // dispatches far below the limit are not worth a wait
constexpr int64_t first_window = 32;          // a program's first dispatch runs 1 / first_window of the groups

}  // namespace

double Watchdog::predicted(const Rate& rate, int64_t groups, int64_t count) const {
  return rate.nanoseconds_per_element * work_ * static_cast<double>(count) / static_cast<double>(groups);
}

int64_t Watchdog::groups_of_next(const Rate& rate, int64_t groups, int64_t left) const {
  if (!watches()) return left;
  if (rate.nanoseconds_per_element == 0) return measures_as_it_goes_ ? std::min(left, 1 + groups / first_window) : left;
  const double most = share_of_limit * static_cast<double>(limit_), all = predicted(rate, groups, left);
  if (all <= most) return left;
  const auto count = static_cast<int64_t>(static_cast<double>(left) * (most / all));
  return std::min(left, std::max(count, fewest_groups_));
}

bool Watchdog::wants_time(const Rate& rate, int64_t groups, int64_t count) const {
  if (!watches()) return false;
  return rate.nanoseconds_per_element == 0 ||
         predicted(rate, groups, count) > worth_measuring * static_cast<double>(limit_);
}

void Watchdog::measured(Rate& rate, double work, int64_t groups, int64_t count, int64_t nanoseconds) {
  const double whole = static_cast<double>(std::max<int64_t>(1, nanoseconds)) * static_cast<double>(groups);
  rate.nanoseconds_per_element = whole / static_cast<double>(count) / work;
}

int64_t longest_dispatch() { return longest_dispatch_setting().value_or(500) * millisecond; }

}  // namespace eglantine::gl
