#include "perf/drawn/lengths.hpp"

#include <algorithm>

namespace eglantine::perf::drawn {

namespace {

bool is_prime(int64_t number) {
  for (int64_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

int64_t prime_from(int64_t number) {
  while (!is_prime(number)) ++number;
  return number;
}

int64_t near_multiple(int64_t length, int64_t of) {
  return 2 * length < of ? length : std::max<int64_t>(1, (length + of / 2) / of) * of;
}

}  // namespace

int64_t root_of(int64_t number) { return int64_t{1} << ((std::bit_width(static_cast<uint64_t>(number)) - 1) / 2); }

int64_t styled(Dice& dice, int64_t length) {
  switch (dice.below(6)) {
    case 0:
      return length;
    case 1:
      return length | 1;
    case 2:
      return length < 3 ? length : prime_from(length);
    case 3:
      return near_multiple(length, 4);
    case 4:
      return near_multiple(length, 32);
    default:
      return near_multiple(length, 1024);
  }
}

Shape drawn_shape(Dice& dice, int64_t elements, int least_rank, int most_rank) {
  const auto rank = static_cast<int>(dice.between(least_rank, most_rank));
  Shape shape;
  int64_t rest = std::max<int64_t>(1, elements);
  for (int left = rank; left > 1; --left) {
    // The octaves that are left, shared out: none of the axes takes more than twice its part.
    const int octaves = std::bit_width(static_cast<uint64_t>(rest)) - 1;
    const int64_t length = styled(dice, dice.log_between(1, int64_t{1} << (2 * octaves / left)));
    shape.insert(static_cast<int>(dice.between(0, shape.rank())), std::min(length, rest));
    rest = std::max<int64_t>(1, rest / std::min(length, rest));
  }
  if (rank == 0) return shape;
  // One after the other: the order in which arguments are computed is a compiler's.
  const int64_t last = styled(dice, rest);
  shape.insert(static_cast<int>(dice.between(0, shape.rank())), last);
  return shape;
}

}  // namespace eglantine::perf::drawn
