#include "trust/bad_input/row.hpp"

#include <limits>

#include "eglantine/verbs/losses.hpp"
#include "eglantine/verbs/normalisation.hpp"
#include "eglantine/verbs/products.hpp"

/// What networks are made of: normalisations, losses, and the small products.
namespace eglantine::test::bad_input {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
using OfEps = std::function<Tensor(float eps)>;

void add_eps(Rows& rows, const std::string& name, const OfEps& call) {
  for (const auto& [eps, said] : std::vector<std::pair<float, std::string>>{{-1, "-1"}, {nan, "nan"}})
    rows.push_back(row<Error>(
        name, "an eps of " + said, [call, eps = eps] { return call(eps); },
        "[" + name + "] eps is finite as f32 and not negative, got " + said));
}

/// A parameter of another length than axis `along` of x = (2, 6, 5), whose lengths it takes from there, one of another
/// rank, and one of another device.
void add_parameter_of_two(Rows& rows, const std::string& name, const std::string& parameter, const OfTwo& call,
                          int along) {
  const bool has_last = along == 2;
  const auto wrong = [&](const std::string& what, const Shape& shape, const std::string& message) {
    rows.push_back(row<ShapeError>(
        name, parameter + what,
        [=] {
          return call(of({2, 6, 5}), of(shape));
        },
        "[" + name + "] " + message));
  };
  const Shape longer = has_last ? Shape{6, 7} : Shape{7};
  wrong(" of another length", longer,
        "axis " + std::to_string(along - 1) + " of " + parameter + " is 7, axis " + std::to_string(along) +
            " of x is " + (has_last ? "5" : "6") + ": " + to_string(longer) + " and (2, 6, 5)");
  wrong(" of another rank", {6, 5, 1},
        "for " + std::string(has_last ? "axes (1, 2)" : "axis 1") + " of x, (2, 6, 5), " + parameter + " must be " +
            (has_last ? "(6, 5)" : "(6,)") + ", got (6, 5, 1)");
  add_two_devices(rows, name, call);
}

void add_channels(Rows& rows, const std::string& name, const OfOne& call) {
  rows.push_back(row<ShapeError>(
      name, "no channels", [=] { return call(of({3})); }, "[" + name + "] takes (n, channels, ...), got (3,)"));
  add_moved_from(rows, name, call);
}

void add_row_norms(Rows& rows) {
  add_axes(rows, "layer_norm", [](const Tensor& x, Axes axes) { return layer_norm(x, axes); });
  add_axes(rows, "rms_norm", [](const Tensor& x, Axes axes) { return rms_norm(x, axes); });
  add_moved_from(rows, "layer_norm", [](const Tensor& x) { return layer_norm(x, {}); });
  add_moved_from(rows, "rms_norm", [](const Tensor& x) { return rms_norm(x, {}); });
  add_eps(rows, "layer_norm", [](float eps) { return layer_norm(of({3}), 0, {}, {}, eps); });
  add_eps(rows, "rms_norm", [](float eps) { return rms_norm(of({3}), 0, {}, eps); });
  const auto last = [](const Tensor& x) { return x.rank() == 3 ? Axes{1, 2} : Axes{0}; };
  add_parameter_of_two(
      rows, "layer_norm", "weight", [=](const Tensor& x, const Tensor& w) { return layer_norm(x, last(x), w); }, 2);
  add_parameter_of_two(
      rows, "layer_norm", "bias", [=](const Tensor& x, const Tensor& b) { return layer_norm(x, last(x), {}, b); }, 2);
  add_parameter_of_two(
      rows, "rms_norm", "weight", [=](const Tensor& x, const Tensor& w) { return rms_norm(x, last(x), w); }, 2);
}

/// x of rank 1, as rows on two devices have it, with channels.
Tensor with_channels(const Tensor& x) { return x.rank() == 1 ? x.unsqueeze(0) : x; }

void add_group_norm(Rows& rows) {
  add_channels(rows, "group_norm", [](const Tensor& x) { return group_norm(x, 1); });
  add_eps(rows, "group_norm", [](float eps) { return group_norm(of({2, 3}), 1, {}, {}, eps); });
  for (int64_t groups : {int64_t{4}, int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
    const std::string given = std::to_string(groups);
    rows.push_back(row<ShapeError>(
        "group_norm", given + " groups",
        [=] {
          return group_norm(of({2, 6, 5}), groups);
        },
        "[group_norm] " + (groups < 1
                               ? "groups are at least 1, got " + given
                               : "axis 1 of (2, 6, 5) has 6 channels, which do not fall into " + given + " groups")));
  }
  add_parameter_of_two(
      rows, "group_norm", "weight", [](const Tensor& x, const Tensor& w) { return group_norm(with_channels(x), 1, w); },
      1);
  add_parameter_of_two(
      rows, "group_norm", "bias",
      [](const Tensor& x, const Tensor& b) { return group_norm(with_channels(x), 1, {}, b); }, 1);
}

void add_batch_norm(Rows& rows) {
  add_channels(rows, "batch_norm", [](const Tensor& x) { return batch_norm(x, of({3}), of({3})); });
  add_eps(rows, "batch_norm", [](float eps) { return batch_norm(of({2, 3}), of({3}), of({3}), {}, {}, eps); });
  const auto own = [](const Tensor& x) { return ones({with_channels(x).shape()[1]}, DType::f32, x.device()); };
  add_parameter_of_two(
      rows, "batch_norm", "mean",
      [=](const Tensor& x, const Tensor& m) { return batch_norm(with_channels(x), m, own(x)); }, 1);
  add_parameter_of_two(
      rows, "batch_norm", "var",
      [=](const Tensor& x, const Tensor& v) { return batch_norm(with_channels(x), own(x), v); }, 1);
  add_parameter_of_two(
      rows, "batch_norm", "weight",
      [=](const Tensor& x, const Tensor& w) { return batch_norm(with_channels(x), own(x), own(x), w); }, 1);
  add_parameter_of_two(
      rows, "batch_norm", "bias",
      [=](const Tensor& x, const Tensor& b) { return batch_norm(with_channels(x), own(x), own(x), {}, b); }, 1);
}

void add_local_response_norm(Rows& rows) {
  const std::string name = "local_response_norm";
  add_channels(rows, name, [](const Tensor& x) { return local_response_norm(x, 3); });
  for (int64_t size : {int64_t{0}, INT64_MIN})
    rows.push_back(row<ShapeError>(
        name, "a window of " + std::to_string(size),
        [=] {
          return local_response_norm(of({2, 3}), size);
        },
        "[local_response_norm] a window of " + std::to_string(size) + " channels; it has at least 1"));
}

using LabelLoss = Tensor (*)(const Tensor&, const Tensor&, const CrossEntropyOptions&);

void add_labels(Rows& rows, const std::string& name, LabelLoss loss) {
  const std::string start = "[" + name + "] ";
  const auto labels = [](const Shape& shape) { return zeros(shape, DType::i32); };
  add_axis(rows, name, [=](const Tensor& x, int axis) { return loss(x, labels({2}), {.axis = axis}); });
  add_moved_from(rows, name, [=](const Tensor& x) { return loss(x, labels({}), {}); });
  add_two_devices(rows, name, [=](const Tensor& x, const Tensor& y) { return loss(x, y.astype(DType::i32), {}); });
  add_two_devices(rows, name, [=](const Tensor& x, const Tensor& w) { return loss(x, labels({}), {.weight = w}); });
  for (DType dtype : {DType::f32, DType::u32, DType::boolean})
    rows.push_back(row<DTypeError>(
        name, "labels of " + std::string(name_of(dtype)),
        [=] {
          return loss(of({2, 3}), of({2}, dtype), {});
        },
        start + "labels are i32, got " + std::string(name_of(dtype)) + "; convert with astype"));
  const auto wrong = [&](const std::string& what, const std::function<Tensor()>& call, const std::string& message) {
    rows.push_back(row<ShapeError>(name, what, call, start + message));
  };
  wrong(
      "labels of another shape",
      [=] {
        return loss(of({2, 3}), labels({3}), {});
      },
      "axis 0 of labels is 3, axis 0 of x is 2: (3,) and (2, 3)");
  wrong(
      "labels of another length behind the classes",
      [=] {
        return loss(of({2, 3, 4}), labels({2, 5}), {.axis = 1});
      },
      "axis 1 of labels is 5, axis 2 of x is 4: (2, 5) and (2, 3, 4)");
  wrong(
      "labels of another rank",
      [=] {
        return loss(of({2, 3}), labels({2, 1}), {});
      },
      "for axis 0 of x, (2, 3), labels must be (2,), got (2, 1)");
  wrong(
      "labels of one row", [=] { return loss(of({3}), labels({1}), {.axis = 0}); },
      "for no axis of x, (3,), labels must be (), got (1,)");
  wrong(
      "weights of another shape",
      [=] {
        return loss(of({2, 3}), labels({2}), {.weight = of({2})});
      },
      "axis 0 of weight is 2, axis 1 of x is 3: (2,) and (2, 3)");
  wrong(
      "no classes",
      [=] {
        return loss(of({2, 0}), labels({2}), {});
      },
      "axis 1 of (2, 0) has 0 classes; i32 labels tell from 1 to 2^31 - 1");
  wrong(
      "too many classes", [=] { return loss(huge({int64_t{1} << 31}), labels({}), {}); },
      "axis 0 of (2147483648,) has 2147483648 classes; i32 labels tell from 1 to 2^31 - 1");
  for (const auto& [smoothing, said] :
       std::vector<std::pair<double, std::string>>{{1.5, "1.5"}, {-1, "-1"}, {nan, "nan"}})
    rows.push_back(row<Error>(
        name, "a smoothing of " + said,
        [=, smoothing = smoothing] {
          return loss(of({2, 3}), labels({2}), {.label_smoothing = smoothing});
        },
        start + "label_smoothing lies in [0, 1], got " + said));
  rows.push_back(row<Error>(
      name, "no reduction",
      [=] {
        return loss(of({2, 3}), labels({2}), {.reduction = static_cast<LossReduction>(7)});
      },
      start + "7 is no LossReduction: mean, sum or none"));
  for (int32_t label : {-1, 3})
    rows.push_back(row<IndexError>(
        name, "a label of " + std::to_string(label),
        [=] {
          return loss(of({2, 3}), Tensor::from({0, label}, {2}), {}).item<float>();
        },
        start + "index " + std::to_string(label) + " at (1,) lies outside [0, 3): axis 1 of (2, 3)"));
}

using PairLoss = std::function<Tensor(const Operand&, const Operand&, LossReduction)>;

void add_pair(Rows& rows, const std::string& name, const PairLoss& loss) {
  const OfTwo of_two = [=](const Tensor& x, const Tensor& y) { return loss(x, y, LossReduction::mean); };
  add_differing_dtypes(rows, name, of_two);
  add_broadcast(rows, name, of_two);
  add_two_devices(rows, name, of_two);
  add_moved_from(rows, name, [=](const Tensor& x) { return of_two(x, of({3})); });
  rows.push_back(row<Error>(
      name, "no reduction", [=] { return loss(of({3}), of({3}), static_cast<LossReduction>(-1)); },
      "[" + name + "] -1 is no LossReduction: mean, sum or none"));
}

void add_losses(Rows& rows) {
  add_labels(rows, "cross_entropy", cross_entropy);
  add_labels(rows, "nll_loss", nll_loss);
  add_pair(rows, "mse_loss", mse_loss);
  add_pair(rows, "l1_loss", l1_loss);
  add_pair(rows, "binary_cross_entropy_with_logits", binary_cross_entropy_with_logits);
  add_pair(rows, "kl_div", kl_div);
  add_pair(rows, "huber_loss",
           [](const Operand& x, const Operand& y, LossReduction reduction) { return huber_loss(x, y, 1, reduction); });
  for (const auto& [delta, said] : std::vector<std::pair<double, std::string>>{{0, "0"}, {-1, "-1"}, {nan, "nan"}})
    rows.push_back(row<Error>(
        "huber_loss", "a delta of " + said, [delta = delta] { return huber_loss(of({3}), of({3}), delta); },
        "[huber_loss] delta is finite as f32 and positive, got " + said));
  const std::string cosine = "cosine_similarity";
  const OfTwo of_two = [](const Tensor& x, const Tensor& y) { return cosine_similarity(x, y); };
  add_axis(rows, cosine, [](const Tensor& x, int axis) { return cosine_similarity(x, x, axis); });
  add_differing_dtypes(rows, cosine, of_two);
  add_broadcast(rows, cosine, of_two);
  add_two_devices(rows, cosine, of_two);
  add_moved_from(rows, cosine, [=](const Tensor& x) { return of_two(x, of({3})); });
  add_eps(rows, cosine, [](float eps) { return cosine_similarity(of({3}), of({3}), 0, eps); });
}

void add_products_of_layers(Rows& rows) {
  for (const auto& [name, call] : std::vector<std::pair<std::string, Tensor (*)(const Tensor&, const Tensor&)>>{
           {"outer", outer}, {"inner", inner}}) {
    add_differing_dtypes(rows, name, call);
    add_two_devices(rows, name, call);
    add_moved_from(rows, name, [call = call](const Tensor& x) { return call(x, x); });
  }
  const int64_t large = int64_t{1} << 40;
  rows.push_back(row<ShapeError>(
      "outer", "an overflowed product of sizes", [=] { return outer(huge({large}), huge({large})); },
      "[outer] shape (1099511627776, 1099511627776)" + too_many));
  const auto wrong = [&](const std::string& what, const Shape& a, const Shape& b, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "inner", what, [=] { return inner(huge(a), huge(b)); }, "[inner] " + message));
  };
  wrong("last axes", {2, 3}, {3, 2}, "last axes differ: axis 1 of a is 3, axis 1 of b is 2: (2, 3) and (3, 2)");
  wrong("vectors of two lengths", {3}, {4}, "last axes differ: axis 0 of a is 3, axis 0 of b is 4: (3,) and (4,)");
  wrong("a rank of 9", {1, 1, 1, 1, 1, 3}, {1, 1, 1, 1, 3},
        "of (1, 1, 1, 1, 1, 3) and (1, 1, 1, 1, 3) has a rank above 8");
  wrong("an overflowed product of sizes", {large, 1}, {large, 1}, "shape (1099511627776, 1099511627776)" + too_many);
  add_dtypes(
      rows, "inner", [](const Tensor& x) { return inner(x, x); }, Types::numeric);
}

}  // namespace

void add_network(Rows& rows) {
  add_row_norms(rows);
  add_group_norm(rows);
  add_batch_norm(rows);
  add_local_response_norm(rows);
  add_losses(rows);
  add_products_of_layers(rows);
}

}  // namespace eglantine::test::bad_input
