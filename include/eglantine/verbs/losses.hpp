#pragma once

#include <cstdint>

#include "eglantine/operand.hpp"

/// Losses, as PyTorch's, and cosine similarity. All are f32; of f16 and bf16 what the floats
/// among the operands meet in; integers and booleans are converted. Operands broadcast.
/// Sums and means of losses add as sum() does, which adds its error to that of each loss.
namespace eglantine {

/// What becomes of the losses: their mean (NaN over nothing), their sum, or each by itself.
enum class LossReduction { mean, sum, none };

struct CrossEntropyOptions {
  int axis = -1;                ///< of the classes
  double label_smoothing = 0;   ///< in [0, 1], else Error
  int32_t ignore_index = -100;  ///< a label whose place does not count: a loss of 0
  Tensor weight = {};           ///< of each class, shape (classes); none: 1
  LossReduction reduction = LossReduction::mean;
};

/// -log softmax(logits)[label] for each label y: w[y] (logsumexp(x) - x[y]). With smoothing s of C classes
/// (1 - s) w[y] (logsumexp(x) - x[y]) + s / C * sum over c of w[c] (logsumexp(x) - x[c]) (Szegedy and others,
/// "Rethinking the inception architecture", 2016). mean: the sum divided by the sum of w[y] over the labels that count;
/// NaN if none does. labels: i32, else DTypeError, of logits' shape without the class axis, else ShapeError. A label
/// that is neither ignore_index nor in [0, C) is an IndexError on reading the result, or a gradient, at the latest;
/// negative labels do not count from the end. Within 2e-6 of each loss, relative or absolute, also for large logits.
/// One pass over the logits, two with smoothing; nothing of their size is stored.
EGLANTINE_API Tensor cross_entropy(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options = {});

/// The same of logarithms of probabilities, as log_softmax gives them: -w[y] x[y], (1 - s) and s / C as above.
EGLANTINE_API Tensor nll_loss(const Tensor& log_probabilities, const Tensor& labels,
                              const CrossEntropyOptions& options = {});

// Of two operands, element by element, in one kernel.

/// (x - y)^2. Each within 3 eps relative.
EGLANTINE_API Tensor mse_loss(const Operand& x, const Operand& y, LossReduction reduction = LossReduction::mean);

/// |x - y|. Each correctly rounded.
EGLANTINE_API Tensor l1_loss(const Operand& x, const Operand& y, LossReduction reduction = LossReduction::mean);

/// d^2 / 2 where d = |x - y| is at most delta, else delta (d - delta / 2). delta is finite and positive, else Error.
/// Each within 4 eps relative. Huber, "Robust estimation of a location parameter" (1964).
EGLANTINE_API Tensor huber_loss(const Operand& x, const Operand& y, double delta = 1,
                                LossReduction reduction = LossReduction::mean);

/// -(y log sigmoid(x) + (1 - y) log sigmoid(-x)), finite for finite x: max(x, 0) - x y + log1p(exp(-|x|)). Each within
/// 2e-6 of the largest of the three terms.
EGLANTINE_API Tensor binary_cross_entropy_with_logits(const Operand& x, const Operand& y,
                                                      LossReduction reduction = LossReduction::mean);

/// y (log y - log_x), 0 where y is 0. Each within 2e-6 of the larger of |y log y| and |y log_x|. mean is over all
/// elements.
EGLANTINE_API Tensor kl_div(const Operand& log_x, const Operand& y, LossReduction reduction = LossReduction::mean);

/// sum(a b) / (max(|a|, eps) max(|b|, eps)) along `axis` of the shape that a and b broadcast to, |a| = sqrt(sum(a^2)).
/// As norm, nothing is scaled: squares that add up beyond 3.4e38 make a length infinite, and the result 0 or NaN; those
/// below 1.2e-38 may count as 0. eps is finite as f32 and not negative, else Error.
EGLANTINE_API Tensor cosine_similarity(const Tensor& a, const Tensor& b, int axis = -1, double eps = 1e-8);

}  // namespace eglantine
