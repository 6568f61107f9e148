#include "perf/sets.hpp"

namespace eglantine::perf {

namespace {

/// Scans, sorts, indexed reads and writes.
Works order_works(int64_t scanned, int64_t sorted, int64_t rows) {
  return {cumsum_work(scanned),          cumsum_rows_work({rows, 4096}),  sort_work(sorted, DType::u32),
          sort_work(sorted, DType::f32), sort_rows_work({rows, 1024}),    argsort_work({rows, 1024}),
          take_work(sorted, sorted / 4), take_rows_work(sorted / 64, 64), scatter_add_work(rows, 1024)};
}

/// Rates by size.
Works order_sweep(bool software) {
  Works works;
  for (int exponent = 10; exponent <= (software ? 22 : 28); exponent += 2) {
    const int64_t n = power(exponent);
    append(works, {sort_work(n, DType::u32), argsort_work({n}), take_work(n, n / 4), scatter_add_flat_work(n)});
  }
  return works;
}

/// Sums by tiles of 2^10 to `most` elements.
Works tile_works(int64_t most) {
  Works works;
  for (int64_t side = 32; side * side <= most; side *= 2) works.push_back(tile_sum_work(side));
  return works;
}

/// Every size of a scan but the one in order_works().
Works scan_sizes(int most) {
  Works works;
  for (int exponent = 10; exponent < most; exponent += 2) works.push_back(cumsum_work(power(exponent)));
  return works;
}

/// Maps, reductions, rows and movements of n elements, most of them as side x side: in every set that compares.
Works common_works(int64_t n, int64_t side) {
  return {copy_work(n),
          exp_work(n),
          mul_work(n),
          where_work(n),
          greater_work(n),
          sum_work(n),
          max_work(n),
          sum_axis_work({side, side}, 0),
          sum_axis_work({side, side}, 1),
          fused_sum_work(n),
          softmax_work({side, side}),
          transpose_work(side),
          add_row_work(side),
          add_column_work(side),
          add_permuted_work(side),
          momentum_work(n / 4),
          adam_work(n / 4)};
}

/// What a software driver is not compared by.
Works further_works(int64_t n, int64_t side) {
  return {where_compare_work(n),  log_softmax_work({side, side}),   logsumexp_work({side, side}),
          var_work({side, side}), softmax_axis0_work({side, side}), download_into_work(n)};
}

/// What every set ends with.
Works latency_works(int64_t n, int64_t chain) {
  return {chain_work(64, chain), read_number_work(), upload_work(n), download_work(n), first_result_work()};
}

Works gpu_works() {
  const int64_t n = power(28), side = 16384;
  Works works = common_works(n, side);
  append(works, further_works(n, side));
  append(works, {sum_axis_work({65536, 64, 64}, 1), argmax_work({65536, 1024}), linear_gelu_work(8192, 1024, 4096)});
  for (const int64_t size : {1024, 2048, 4096, 8192}) works.push_back(matmul_work(size, size, size));
  append(works, {matmul_work(8192, 64, 8192), matmul_work(64, 8192, 64), matmul_work(4096, 4096, 1),
                 batch_matmul_work(4096, 64), matmul_transposed_work(1021, 509, 2027)});
  append(works, order_works(n, power(26), 65536));
  append(works, latency_works(n, 1000));
  return works;
}

Works software_works() {
  const int64_t n = power(22), side = 2048;
  Works works = common_works(n, side);
  append(works, {argmax_work({4096, 1024}), matmul_work(512, 512, 512), matmul_work(1024, 1024, 1024),
                 batch_matmul_work(256, 64), training_work(), training_by_grad_work()});
  append(works, order_works(n, power(20), 1024));
  append(works, latency_works(n, 100));
  return works;
}

Work named(Work work, const std::string& operation, int64_t n) {
  work.name = operation + "/" + std::to_string(n);
  return work;
}

/// Over n x n tensors; a figure's name says n.
Works classic_works() {
  Works works;
  for (const int64_t n : {64, 128, 256, 512, 1024})
    append(works, {named(exp_work(n * n), "exp", n), named(mul_work(n * n), "mul", n),
                   named(mul_transposed_work(n), "mul_transposed_reshaped", n), matmul_work(n, n, n)});
  for (const int64_t n : {64, 128, 256, 512, 1024, 2048})
    append(works, {named(sum_axis_work({n, n}, 0), "sum_axis0", n), named(sum_work(n * n), "sum_scalar", n)});
  return works;
}

Works sweep_works(bool software) {
  Works works;
  for (int exponent = 10; exponent <= (software ? 24 : 28); exponent += 2)
    append(works, {copy_work(power(exponent)), mul_work(power(exponent)), exp_work(power(exponent)),
                   sum_work(power(exponent)), fused_sum_work(power(exponent))});
  for (int64_t n = 64; n <= (software ? 1024 : 8192); n *= 2) works.push_back(matmul_work(n, n, n));
  return works;
}

Works smoke_works() {
  const int64_t n = power(12), side = 64;
  Works works = common_works(n, side);
  append(works, further_works(n, side));
  append(works,
         {sum_axis_work({16, 8, 8}, 1), argmax_work({side, side}), tile_sum_work(side), linear_gelu_work(32, 48, 40),
          mul_transposed_work(side), matmul_work(side, side, side), batch_matmul_work(4, 16),
          matmul_transposed_work(21, 13, 27), training_work(), training_by_grad_work()});
  append(works, narrow_smoke());
  append(works, network_smoke());
  append(works, training_smoke());
  append(works, order_works(n, n, 16));
  append(works, latency_works(n, 10));
  return works;
}

}  // namespace

Works works_of(const std::string& set, const Device& device) {
  const bool software = device.info().software;
  if (set == "gpu") return gpu_works();
  if (set == "software") return software_works();
  if (set == "classic") return classic_works();
  if (set == "sweep") return sweep_works(software);
  if (set == "order") {
    Works works = software ? order_works(power(22), power(20), 1024) : order_works(power(28), power(26), 65536);
    append(works, tile_works(software ? power(22) : power(28)));
    append(works, order_sweep(software));
    append(works, scan_sizes(software ? 22 : 28));
    return works;
  }
  if (set == "narrow") return narrow_set(software);
  if (set == "network") return network_set(software);
  if (set == "training") return training_set(software);
  if (set == "smoke") return smoke_works();
  throw Error("there is no set \"" + set +
              "\"; the sets are gpu, software, classic, sweep, order, narrow, network, training and smoke, and drawn, "
              "drawn_small, drawn_software and drawn_smoke");
}

std::string set_for(const Device& device) { return device.info().software ? "software" : "gpu"; }

}  // namespace eglantine::perf
