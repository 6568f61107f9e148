#include "verbs/einsum/labels.hpp"

#include <algorithm>

#include "check/check.hpp"

namespace eglantine::verbs {

namespace {

std::string axes_text(int64_t count) { return std::to_string(count) + (count == 1 ? " axis" : " axes"); }

std::string name_of(Label label) {
  return label < 0 ? "an axis under \"...\"" : std::string("label '") + static_cast<char>(label) + "'";
}

/// How many axes of operand i stand under its ellipsis.
int64_t axes_under_ellipsis(const Subscript& subscript, size_t i, const Shape& shape) {
  const auto letters = static_cast<int64_t>(subscript.letters.size());
  if (subscript.ellipsis ? letters > shape.rank() : letters != shape.rank())
    check::fail<ShapeError>("einsum", "\"", to_string(subscript), "\" is for ", subscript.ellipsis ? "at least " : "",
                            axes_text(letters), ", operand ", std::to_string(i), " is ", to_string(shape));
  return shape.rank() - letters;
}

/// A subscript with `count` axes in the ellipsis' place, which align at the last one.
Labels expanded(const Subscript& subscript, int64_t count) {
  Labels labels(subscript.letters.begin(), subscript.letters.end());
  Labels under;
  for (int64_t axis = -count; axis < 0; ++axis) under.push_back(static_cast<Label>(axis));
  const auto place = static_cast<std::ptrdiff_t>(subscript.ellipsis.value_or(0));
  labels.insert(labels.begin() + place, under.begin(), under.end());
  return labels;
}

/// An axis of an operand, for errors.
struct Place {
  size_t operand = 0;
  int axis = 0;
  Shape shape{};

  int64_t length() const { return shape[axis]; }
  std::string text() const {
    return std::to_string(length()) + " along axis " + std::to_string(axis) + " of operand " + std::to_string(operand) +
           ", " + to_string(shape);
  }
};

[[noreturn]] void fail_lengths(Label label, const Place& a, const Place& b) {
  check::fail<ShapeError>("einsum", name_of(label), " has length ", a.text(), ", and ", b.text());
}

/// A label that an operand has twice names a diagonal, of equal lengths; 1 does not broadcast there.
void require_diagonals(const Labels& labels, size_t operand, const Shape& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto end = labels.begin() + axis;
    const auto first = static_cast<int>(std::find(labels.begin(), end, *end) - labels.begin());
    if (shape[first] != shape[axis]) fail_lengths(*end, {operand, first, shape}, {operand, axis, shape});
  }
}

/// Between operands 1 broadcasts: the place is of an axis that is longer, where there is one.
void add_axis(std::map<Label, Place>& places, Label label, const Place& here) {
  Place& place = places.emplace(label, here).first->second;
  if (place.length() != here.length() && place.length() != 1 && here.length() != 1) fail_lengths(label, place, here);
  if (place.length() == 1) place = here;
}

Labels label_output(const Subscripts& subscripts, const std::vector<Labels>& operands,
                    const std::vector<Shape>& shapes) {
  int64_t most = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const int64_t under = std::count_if(operands[i].begin(), operands[i].end(), [](Label label) { return label < 0; });
    if (under > 0 && !subscripts.output.ellipsis)
      check::fail<ShapeError>("einsum", "\"", subscripts.text, "\": the output has no \"...\", which stands for ",
                              axes_text(under), " of operand ", std::to_string(i), ", ", to_string(shapes[i]));
    most = std::max(most, under);
  }
  Labels output = expanded(subscripts.output, most);
  if (output.size() > max_rank)
    check::fail<ShapeError>("einsum", "\"", subscripts.text, "\" gives ", std::to_string(output.size()),
                            " axes, a tensor has at most ", std::to_string(max_rank));
  return output;
}

}  // namespace

bool contains(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

double elements_of(const Labels& labels, const Lengths& lengths) {
  double count = 1;
  for (const Label label : labels) count *= static_cast<double>(lengths.at(label));
  return count;
}

Shape shape_of(const Labels& labels, const Lengths& lengths) {
  Shape shape;
  for (const Label label : labels) shape.push_back(lengths.at(label));
  return shape;
}

SumOfProducts label_axes(const Subscripts& subscripts, const std::vector<Shape>& shapes) {
  if (subscripts.operands.size() != shapes.size())
    check::fail<Error>("einsum", "\"", subscripts.text, "\" is for ", std::to_string(subscripts.operands.size()),
                       subscripts.operands.size() == 1 ? " operand" : " operands", ", got ",
                       std::to_string(shapes.size()));
  SumOfProducts result;
  std::map<Label, Place> places;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Subscript& subscript = subscripts.operands[i];
    result.operands.push_back(expanded(subscript, axes_under_ellipsis(subscript, i, shapes[i])));
    require_diagonals(result.operands[i], i, shapes[i]);
    for (int axis = 0; axis < shapes[i].rank(); ++axis)
      add_axis(places, result.operands[i][static_cast<size_t>(axis)], {i, axis, shapes[i]});
  }
  result.output = label_output(subscripts, result.operands, shapes);
  for (const auto& [label, place] : places) result.lengths[label] = place.length();
  return result;
}

}  // namespace eglantine::verbs
