#include <bit>
#include <limits>

#include "evaluate/pending.hpp"
#include "layout/layout.hpp"
#include "verbs/composite.hpp"
#include "verbs/index/gathered_first.hpp"
#include "verbs/index/index.hpp"
#include "verbs/index/picked.hpp"
#include "verbs/network/losses.hpp"
#include "verbs/operand_lengths.hpp"
#include "verbs/own_rule.hpp"
#include "verbs/reduce/row.hpp"

/// Losses of labels: the label's logit (or log-probability) is gathered, and nothing of the classes' size is stored.
namespace eglantine {

namespace {

using check::fail;

/// Checked arguments.
struct Labelled {
  std::string_view function;
  Tensor x;     ///< f32
  DType dtype;  ///< of the loss
  int axis;     ///< of the classes
  Tensor labels;
  const CrossEntropyOptions& options;

  int64_t classes() const { return x.shape()[axis]; }
};

void require_labels(const Labelled& given) {
  const auto& [function, x, dtype, axis, labels, options] = given;
  check::require_same_device(function, x, labels);
  if (labels.dtype() != DType::i32)
    fail<DTypeError>(function, "labels are i32, got ", name_of(labels.dtype()), "; convert with astype");
  Axes others;
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) others.push_back(i);
  verbs::require_lengths_of(function, {"labels", labels.shape()}, {"x", x.shape()}, others);
  verbs::require_indices(function, x, labels);
}

void require_options(const Labelled& given) {
  const auto& [function, x, dtype, axis, labels, options] = given;
  verbs::require_reduction(function, options.reduction);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
    fail<Error>(function, "label_smoothing lies in [0, 1], got ", Scalar(options.label_smoothing).text());
  if (!options.weight.defined()) return;
  check::require_same_device(function, x, options.weight);
  verbs::require_lengths_of(function, {"weight", options.weight.shape()}, {"x", x.shape()}, {axis});
}

Labelled checked(std::string_view function, const Tensor& x, const Tensor& labels, const CrossEntropyOptions& options) {
  const DType dtype = verbs::real_dtype({x, options.weight});
  const Labelled given{function, verbs::to_f32(x), dtype, check::axis_of(function, options.axis, x.shape()),
                       labels,   options};
  if (given.classes() == 0 || given.classes() > std::numeric_limits<int32_t>::max())
    fail<ShapeError>(function, "axis ", std::to_string(given.axis), " of ", to_string(x.shape()), " has ",
                     std::to_string(given.classes()), " classes; i32 labels tell from 1 to 2^31 - 1");
  require_labels(given);
  require_options(given);
  return given;
}

/// The labels that count.
Tensor valid(const Labelled& given) { return given.labels != given.options.ignore_index; }

/// Where to read: 0 for what is ignored. A negative label must not count from the end: less the number of classes it is
/// out of range (IndexCheck::from_end).
Tensor index_of(const Labelled& given) {
  const auto classes = static_cast<int32_t>(given.classes());
  const Tensor low = maximum(given.labels, std::numeric_limits<int32_t>::min() + classes) - classes;
  return where(valid(given), where(given.labels < 0, low, given.labels), 0);
}

/// The source's elements at the labels; axes: nodes::Gather's. reads_rows: so does what is made of them.
Tensor gathered(const Labelled& given, const Tensor& source, const IntList& axes, int axis, bool reads_rows = false) {
  const Tensor index = index_of(given);
  if (index.size() == 0) return zeros(index.shape(), DType::f32, index.device());
  IndexCheck check{std::string(given.function),
                   given.x.shape(),
                   given.axis,
                   index.shape(),
                   layout::contiguous(index.shape()),
                   {},
                   false};
  const auto shared = std::make_shared<const IndexCheck>(std::move(check));
  const auto gather = [&](const NodePtr& x, const IntList& along, int indexed) {
    return pend(make_gather({x, index.node(), along, indexed, shared}));
  };
  if (reads_rows && !source.node()->is_traced() && verbs::can_pick(source, axis, index.shape(), axes))
    return verbs::picked(source, axis, index.shape(), axes, gather);
  const std::optional<Tensor> first = verbs::gathered_first(source, axis, index.shape(), axes, gather);
  return first ? *first : gather(source.node(), axes, axis);
}

/// x's element of each label.
Tensor logit_of_label(const Labelled& given, bool reads_rows) {
  IntList axes;
  for (int i = 0; i < given.labels.rank(); ++i) axes.push_back(i < given.axis ? i : i + 1);
  return gathered(given, given.x, axes, given.axis, reads_rows);
}

/// The weight of each label, 0 of what is ignored.
Tensor weight_of_label(const Labelled& given) {
  if (!given.options.weight.defined()) return valid(given).astype(DType::f32);
  IntList axes;
  for (int i = 0; i < given.labels.rank(); ++i) axes.push_back(-1);
  return where(valid(given), gathered(given, verbs::to_f32(given.options.weight), axes, 0), 0.0F);
}

/// weights: weight_of_label.
Tensor reduced(const Labelled& given, const Tensor& losses, const Tensor& weights) {
  const bool weighted = given.options.weight.defined();
  const Tensor count = weighted ? sum(weights) : sum(valid(given)).astype(DType::f32);
  return verbs::reduced(losses, given.options.reduction, count).astype(given.dtype);
}

/// own: -log p of each label. each: -log p of each class, in x's shape.
Tensor loss(const Labelled& given, const Tensor& own, const Tensor& each) {
  const bool weighted = given.options.weight.defined();
  const auto smoothing = static_cast<float>(given.options.label_smoothing);
  const Tensor weights = weight_of_label(given);
  Tensor losses = weighted ? own * weights : own;
  if (smoothing > 0) {
    Shape at = each.shape();
    for (int i = 0; i < at.rank(); ++i) at[i] = i == given.axis ? at[i] : 1;
    const Tensor shares = weighted ? each * verbs::to_f32(given.options.weight).reshape(at) : each;
    losses = (1 - smoothing) * losses + smoothing / static_cast<float>(given.classes()) * sum(shares, {given.axis});
  }
  return reduced(given, where(valid(given), losses, 0.0F), weights);
}

Tensor cross_entropy_of(const Labelled& given) {
  const BuiltWhole whole;
  // The largest logit less the label's is added to the logarithm of the sum: large logits do not round the loss.
  const Tensor own = logit_of_label(given, true), shift = verbs::as_constant(where(isfinite(own), own, 0.0F)),
               of_row = shift.unsqueeze(given.axis);
  const Tensor total = verbs::logsumexp_less(given.x, of_row, {given.axis});
  // The difference is built anew: a value with two readers would be stored.
  return loss(given, total.squeeze(given.axis) - (own - shift), total - (given.x - of_row));
}

Tensor nll_loss_of(const Labelled& given) { return loss(given, -logit_of_label(given, false), -given.x); }

/// Of f32 logits, labels and, if there are, weights; and of what the options say besides.
template <Tensor (*loss_of)(const Labelled&)>
NodePtr loss_parts(const nodes::Composite& of) {
  const std::vector<int64_t>& numbers = of.numbers;
  CrossEntropyOptions options{.axis = static_cast<int>(numbers[0]),
                              .label_smoothing = std::bit_cast<double>(numbers[1]),
                              .ignore_index = static_cast<int32_t>(numbers[2]),
                              .reduction = static_cast<LossReduction>(numbers[3])};
  if (of.args.size() > 2) options.weight = Tensor(of.args[2]);
  const std::string_view function = numbers[5] != 0 ? "cross_entropy" : "nll_loss";
  return loss_of(
             {function, Tensor(of.args[0]), static_cast<DType>(numbers[4]), options.axis, Tensor(of.args[1]), options})
      .node();
}

template <Tensor (*loss_of)(const Labelled&)>
Tensor loss_as_one(std::string_view function, const Tensor& x, const Tensor& labels,
                   const CrossEntropyOptions& options) {
  constexpr int64_t nodes_of_parts = 40;
  const Labelled given = checked(function, x, labels, options);
  nodes::Composite of{loss_parts<loss_of>,
                      {given.x.node(), labels.node()},
                      {given.axis, std::bit_cast<int64_t>(options.label_smoothing), options.ignore_index,
                       static_cast<int64_t>(options.reduction), static_cast<int64_t>(given.dtype),
                       int64_t{function == "cross_entropy"}},
                      nodes_of_parts};
  if (options.weight.defined()) of.args.push_back(options.weight.node());
  const Shape shape = options.reduction == LossReduction::none ? labels.shape() : Shape{};
  return verbs::composite(given.dtype, shape, std::move(of));
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options) {
  return loss_as_one<cross_entropy_of>("cross_entropy", logits, labels, options);
}

Tensor nll_loss(const Tensor& log_probabilities, const Tensor& labels, const CrossEntropyOptions& options) {
  return loss_as_one<nll_loss_of>("nll_loss", log_probabilities, labels, options);
}

}  // namespace eglantine
