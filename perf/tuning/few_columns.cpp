#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "eglantine/half.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "perf/inputs.hpp"
#include "perf/tuning/trial.hpp"

namespace eglantine::perf {
namespace {

using lower::FewColumnsChoice;

/// A language model's: square, wide, narrow, of a vocabulary, and of one head.
struct Matrix {
  int64_t rows, length;
};
constexpr std::array matrices{Matrix{4096, 4096}, Matrix{14336, 4096}, Matrix{4096, 14336}, Matrix{128256, 2048},
                              Matrix{1024, 1024}};
constexpr std::array<int64_t, 5> column_counts{1, 2, 4, 8, 16};
/// i8 with an f16 scale for each 32 elements of a row, the others as they are.
constexpr std::array storages{StorageType::f32, StorageType::f16, StorageType::i8};

/// A matrix times few columns, whose division tuning chooses.
class FewColumnsTrial : public Trial {
 public:
  FewColumnsTrial(gl::GlRuntime& device, const Matrix& matrix, int64_t columns, StorageType storage)
      : Trial(device), matrix_(matrix), columns_(columns), storage_(storage) {
    const int64_t bytes = matrix.rows * matrix.length * bytes_of(storage);
    const auto copies = std::max<int64_t>(2, static_cast<int64_t>(rotation_bytes) / bytes);
    for (int64_t i = 0; i < copies; ++i) add_kernel(static_cast<uint32_t>(i));
  }

  std::string name() const override { return "few columns " + text_of(product_class()); }

  std::vector<Choice> choices() const override {
    const lower::FewColumnsProduct product = first_product();
    const FewColumnsChoice own = FewColumnsChoice::of(plan_few_columns(untuned(), product));
    std::vector<Choice> choices;
    for (const FewColumnsChoice& choice : choices_for(untuned(), product)) {
      if (choice == own) continue;
      auto tuning = std::make_shared<lower::Tuning>();
      tuning->few_columns.emplace(class_of(product), choice);
      choices.push_back({text_of(choice), tuning});
    }
    return choices;
  }

  double tolerance() const override {
    const auto k = static_cast<double>(matrix_.length);
    return 8 * (std::sqrt(k) + 4) * 0x1p-23 * k *
           (storage_ == StorageType::i8    ? 256
            : storage_ == StorageType::f16 ? 4
                                           : 1);
  }

 private:
  static constexpr int64_t block = 32;

  lower::FewColumnsProduct first_product() const {
    return lower::product_of(std::get<FewColumnsKernel>(kernels_.front()));
  }
  lower::FewColumnsClass product_class() const { return class_of(first_product()); }

  BufferPtr elements(int64_t count, StorageType storage, uint32_t seed) {
    if (storage == StorageType::f32) return random_floats(count, seed);
    std::vector<std::byte> bytes = random_bytes(count * bytes_of(storage), seed);
    if (storage == StorageType::f16)  // below 2: no infinity, no NaN
      for (size_t i = 1; i < bytes.size(); i += 2) bytes[i] &= std::byte{0xbf};
    return uploaded(std::move(bytes));
  }

  void add_kernel(uint32_t seed) {
    const int64_t blocks = matrix_.length / block;
    const Shape domain{matrix_.rows, blocks, block}, results{matrix_.rows * columns_};
    ExpressionBuilder prologue(domain), epilogue(results);
    int x = prologue.load(
        {elements(matrix_.rows * matrix_.length, storage_, seed), storage_, {domain, {matrix_.length, block, 1}, 0}});
    if (storage_ == StorageType::i8) {
      const Strided scales{
          elements(matrix_.rows * blocks, StorageType::f16, seed + 1), StorageType::f16, {domain, {blocks, 1, 0}, 0}};
      x = prologue.operation(Op::cast, DType::f32, {x, -1, -1});
      prologue.operation(Op::mul, DType::f32, {x, prologue.load(scales), -1});
    }
    epilogue.accumulator(DType::f32);
    FewColumnsKernel kernel;
    kernel.prologue = prologue.take();
    kernel.kept_rank = 1;
    // As a user has them: (k, columns), of the matrix's type where that is a float.
    const bool bytes = storage_ == StorageType::i8;
    const int64_t count = columns_ * matrix_.length;
    kernel.vectors = {bytes ? random_floats(count, seed + 2) : elements(count, storage_, seed + 2),
                      bytes ? StorageType::f32 : storage_,
                      {domain, {0, block * columns_, columns_}, 0}};
    kernel.columns = {{columns_}, {1}, 0};
    kernel.epilogue = epilogue.take();
    kernel.out = results_over(results);
    if (kernels_.empty()) first_results_ = kernel.out;
    collapse(kernel);
    kernels_.emplace_back(std::move(kernel));
  }

  Matrix matrix_;
  int64_t columns_;
  StorageType storage_;
};

}  // namespace

size_t few_columns_trials(bool software) {
  return software ? 0 : matrices.size() * column_counts.size() * storages.size();
}

std::unique_ptr<Trial> few_columns_trial(gl::GlRuntime& device, size_t i) {
  const StorageType storage = storages[i % storages.size()];
  const int64_t columns = column_counts[i / storages.size() % column_counts.size()];
  return std::make_unique<FewColumnsTrial>(device, matrices[i / storages.size() / column_counts.size()], columns,
                                           storage);
}

}  // namespace eglantine::perf
