#include <algorithm>

#include "support/reference/naive.hpp"

namespace eglantine::test::naive {

Array reduce_tiles(const Array& x, const Dims& tile, DType result,
                   const std::function<double(const std::vector<double>&)>& f) {
  Dims tiles = x.shape;
  for (size_t i = 0; i < tiles.size(); ++i) tiles[i] = (x.shape[i] + tile[i] - 1) / tile[i];
  return generate(result, tiles, [&](const Dims& index) {
    Pairs start_stop;
    for (size_t i = 0; i < index.size(); ++i)
      start_stop.emplace_back(index[i] * tile[i], std::min(x.shape[i], (index[i] + 1) * tile[i]));
    return f(crop(x, start_stop).values);
  });
}

}  // namespace eglantine::test::naive
