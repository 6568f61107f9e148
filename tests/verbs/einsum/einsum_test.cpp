#include <algorithm>
#include <limits>
#include <map>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_einsum.hpp"

/// einsum against a loop over all labels.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, Einsum);

using Strings = std::vector<std::string>;

/// Integers have to be equal; f32 is within the documented bound.
testing::AssertionResult is_sum(const Tensor& actual, const Strings& labels, const std::string& output,
                                const std::vector<Array>& operands) {
  const Array expected = naive::einsum(labels, output, operands);
  if (!is_float(operands[0].dtype)) return matches(actual, expected);
  const auto terms =
      static_cast<double>(naive::products_summed(labels, output, operands) + static_cast<int64_t>(operands.size()));
  const Array absolutes = naive::absolute_einsum(labels, output, operands);
  return within(actual, expected, naive::map(absolutes, DType::f32, [&](double v) { return v * terms * 0x1p-23; }));
}

/// Of subscripts without an ellipsis and with an output.
void check(const std::string& text, const std::vector<Dims>& shapes, DType dtype = DType::i32) {
  SCOPED_TRACE(text);
  Strings labels{""};
  const size_t arrow = text.find("->");
  for (const char c : text.substr(0, arrow)) {
    if (c == ',')
      labels.emplace_back();
    else
      labels.back() += c;
  }
  std::vector<Array> arrays;
  std::vector<Tensor> tensors;
  for (const Dims& shape : shapes) {
    arrays.push_back(random_array(dtype, shape, arrays.size() + 1));
    tensors.push_back(upload(arrays.back()));
  }
  EXPECT_TRUE(is_sum(einsum(text, tensors), labels, text.substr(arrow + 2), arrays));
}

EG_TEST(Einsum, of_one_operand) {
  check("ij->ji", {{3, 5}});
  check("ij->", {{3, 5}});
  check("ijk->kj", {{3, 5, 4}});
  check("ii->i", {{5, 5}});
  check("iii->", {{5, 5, 5}});
  check("ijij->ji", {{3, 4, 3, 4}});
  check("->", {{}});
}

EG_TEST(Einsum, of_two_operands) {
  check("ij,jk->ik", {{13, 7}, {7, 5}}, DType::f32);
  check("bhqd,bhkd->bhqk", {{2, 3, 13, 5}, {2, 3, 7, 5}}, DType::f32);
  check("bqhd,bkhd->bhqk", {{2, 13, 3, 5}, {2, 7, 3, 5}});
  check("abc,cbd->da", {{3, 4, 5}, {5, 4, 6}});
  check("i,j->ij", {{3}, {5}}, DType::f32);
  check("ij,ij->", {{13, 5}, {13, 5}}, DType::f32);
  check("bij,bj->bi", {{5, 3, 4}, {5, 4}});
  check("j,ij->i", {{50}, {40, 50}}, DType::f32);
  check("iji,j->i", {{4, 5, 4}, {5}});
  check("ij,kl->il", {{3, 4}, {5, 6}});
}

EG_TEST(Einsum, of_several_operands) {
  check("ij,jk,kl->il", {{3, 5}, {5, 7}, {7, 2}}, DType::f32);
  check("ij,jk,ki->", {{3, 5}, {5, 7}, {7, 3}});
  check("i,i,i,i->i", {{5}, {5}, {5}, {5}});
  check("ab,cd,bc,de,e->a", {{3, 4}, {5, 6}, {4, 5}, {6, 2}, {2}});
}

EG_TEST(Einsum, lengths_of_1_broadcast_and_of_0_are_empty) {
  check("ij,jk->ik", {{3, 1}, {4, 5}});
  check("ij,ij->ij", {{3, 1}, {1, 4}});
  check("ij,jk->ik", {{3, 1}, {1, 5}});
  check("ij,jk->ik", {{3, 0}, {0, 5}});
  check("ij,jk->ik", {{3, 0}, {1, 5}});
  check("ij,jk->ik", {{0, 3}, {3, 5}});
  check("ij->j", {{0, 3}});
}

/// The label of broadcasting axis i from the end under an ellipsis.
constexpr std::string_view under = "ZYX";

/// Subscripts, and what they mean with the axes under ellipses spelled out.
struct Drawn {
  std::string text, output;
  Strings labels;
  std::vector<Dims> shapes;
};

class Drawer {
 public:
  explicit Drawer(uint64_t seed) : random_(seed) {
    for (const char label : std::string("abcdXYZ")) lengths_[label] = random_.integer(0, 20) == 0 ? 0 : draw_length();
  }

  Drawn draw() {
    Drawn drawn;
    const int64_t operands = 1 + random_.integer(0, 5) / 2;
    for (int64_t i = 0; i < operands; ++i) add_operand(drawn);
    std::string letters;
    for (const char label : all_)
      if (label >= 'a') letters += label;
    const bool is_explicit = random_.integer(0, 2) > 0;
    drawn.output = is_explicit ? some_of(letters) : once_of(letters);
    const auto place =
        static_cast<size_t>(is_explicit ? random_.integer(0, static_cast<int64_t>(drawn.output.size())) : 0);
    if (is_explicit) drawn.text += "->" + std::string(drawn.output).insert(place, any_ellipsis_ ? "..." : "");
    drawn.output.insert(place, under_last(most_under_));
    return drawn;
  }

 private:
  int64_t draw_length() { return random_.integer(0, 9) == 0 ? 1 : random_.integer(2, 5); }
  static std::string under_last(size_t count) {
    std::string labels(under.substr(0, count));
    std::reverse(labels.begin(), labels.end());
    return labels;
  }

  void add_operand(Drawn& drawn) {
    std::string letters;
    for (int64_t left = random_.integer(0, 3); left > 0; --left)
      letters += static_cast<char>('a' + random_.integer(0, 3));
    std::string text = letters;
    if (random_.integer(0, 2) == 0) {
      any_ellipsis_ = true;
      const auto count = static_cast<size_t>(random_.integer(0, 2));
      const auto place = static_cast<size_t>(random_.integer(0, static_cast<int64_t>(letters.size())));
      most_under_ = std::max(most_under_, count);
      text.insert(place, "...");
      letters.insert(place, under_last(count));
    }
    all_ += letters;
    drawn.text += (drawn.labels.empty() ? "" : ",") + text;
    drawn.labels.push_back(letters);
    drawn.shapes.push_back(shape_of(letters));
  }

  /// With some axes of length 1, but for diagonals.
  Dims shape_of(const std::string& letters) {
    Dims shape;
    for (const char label : letters) {
      const bool one = random_.integer(0, 9) == 0 && std::count(letters.begin(), letters.end(), label) == 1;
      shape.push_back(one ? 1 : lengths_[label]);
    }
    return shape;
  }

  /// Some of the letters in any order, each once.
  std::string some_of(const std::string& letters) {
    std::string output;
    for (const char label : letters)
      if (output.find(label) == std::string::npos && random_.integer(0, 1) == 0)
        output.insert(static_cast<size_t>(random_.integer(0, static_cast<int64_t>(output.size()))), 1, label);
    return output;
  }

  static std::string once_of(std::string letters) {
    std::sort(letters.begin(), letters.end());
    std::string output;
    for (const char label : letters)
      if (std::count(letters.begin(), letters.end(), label) == 1) output += label;
    return output;
  }

  Random random_;
  std::map<char, int64_t> lengths_;
  std::string all_;
  size_t most_under_ = 0;
  bool any_ellipsis_ = false;
};

/// Each in a drawn layout.
void check_drawn(const Drawn& drawn, DType dtype, Random& random) {
  std::vector<Array> arrays;
  std::vector<Tensor> tensors;
  std::string trace = "\"" + drawn.text + "\" of " + std::string(name_of(dtype));
  for (const Dims& shape : drawn.shapes) {
    const View& view =
        every_view()[static_cast<size_t>(random.integer(0, static_cast<int64_t>(every_view().size()) - 1))];
    const Sample sample = view.hold(random_array(dtype, shape, random.word()));
    arrays.push_back(sample.array);
    tensors.push_back(sample.tensor);
    trace += " " + text(shape) + " " + view.name;
  }
  SCOPED_TRACE(trace);
  EXPECT_TRUE(is_sum(einsum(drawn.text, tensors), drawn.labels, drawn.output, arrays));
}

EG_TEST(Einsum, drawn_subscripts_shapes_and_layouts) {
  const uint64_t most = on_gl() ? 160 : 800;  // each is a program or several
  Draw draw = draw_programs_one_of(10);
  for (uint64_t seed = 1; seed <= most; ++seed) {
    if (!draw.next()) continue;
    Random random(seed);
    check_drawn(Drawer(seed).draw(), seed % 4 == 0 ? DType::f32 : DType::i32, random);
  }
}

EG_TEST(Einsum, of_every_numeric_dtype) {
  Draw draw = draw_programs_one_of(3);
  for (DType dtype : numeric_dtypes) {
    if (!draw.next()) continue;
    SCOPED_TRACE(std::string(name_of(dtype)));
    const Array a = random_array(dtype, {5, 7}, 1), b = random_array(dtype, {7, 3}, 2);
    const Tensor x = upload(a), y = upload(b);
    EXPECT_TRUE(same_bits(einsum("ij,jk", {x, y}), matmul(x, y)));
    EXPECT_TRUE(same_bits(einsum("ij->j", {x}), sum(x, 0)));
    EXPECT_TRUE(same_bits(einsum("ji", {x}), is_narrow(dtype) && !is_float(dtype) ? x.transpose(0, 1).astype(DType::i32)
                                                                                  : x.transpose(0, 1)));
  }
}

EG_TEST(Einsum, several_dtypes_meet_and_round_once) {
  const Tensor h = upload(random_array(DType::f16, {5, 7}, 1)), i = upload(random_array(DType::i32, {7, 3}, 2)),
               t = upload(random_array(DType::boolean, {3}, 3)), f = h.astype(DType::f32);
  EXPECT_TRUE(same_bits(einsum("ij,jk,k->i", {h, i, t}), einsum("ij,jk,k->i", {f, i, t}).astype(DType::f16)));
  EXPECT_EQ(einsum("ij,jk", {f, i}).dtype(), DType::f32);
}

EG_TEST(Einsum, of_one_operand_is_a_view) {
  const Tensor x = arange(0, 12, 1, DType::f32).reshape({3, 4}).eval(), square = x.slice(1, 0, 3);
  EXPECT_EQ(kernels_of(einsum("ij->ji", {x})), 0);
  EXPECT_EQ(kernels_of(einsum("ii->i", {square})), 0);
  EXPECT_EQ(einsum("ii->i", {square}).layout().strides, (std::vector<int64_t>{5}));
}

/// One kernel for a pair whose groups lie as one axis each, or need not, and one copy else.
EG_TEST(Einsum, kernels_of_a_pair) {
  const auto random = [](const Dims& shape) { return upload(random_array(DType::f32, shape)); };
  const Tensor a = random({2, 3, 40, 5}), b = random({2, 3, 40, 5});
  EXPECT_EQ(kernels_of(einsum("bhqd,bhkd->bhqk", {a, b})), 1);
  EXPECT_EQ(kernels_of(einsum("bqhd,bkhd->bhqk", {a.transpose(1, 2), b.transpose(1, 2)})), 1);
  EXPECT_EQ(kernels_of(einsum("ab,bc->ca", {random({13, 5}), random({5, 7})}) + 1), 1) << "the rest of a product";
  EXPECT_EQ(kernels_of(einsum("abc,abc->b", {random({3, 4, 5}), random({3, 4, 5})}) * 2), 1);
  EXPECT_EQ(kernels_of(exp(einsum("a,b,c->cab", {random({3}), random({4}), random({5})}))), 1);
  EXPECT_EQ(kernels_of(einsum("acb,cd->abd", {random({3, 4, 5}), random({4, 6})})), 2);
}

EG_TEST(Einsum, up_to_the_largest_rank) {
  check("abcdefgh,abcdefgh->hgfedcba", {{2, 1, 2, 2, 2, 1, 2, 2}, {1, 2, 2, 2, 2, 2, 2, 2}});
  check("abcdefg,abcdefh->abcdefgh", {{2, 2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2, 3}});
  check("abcdefgh,hi->abcdefgi", {{2, 2, 2, 2, 2, 2, 2, 2}, {2, 3}});
  check("abcde,fghij,abcdefgh->i", {{2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2, 2, 2}});
}

/// Nothing of a pending expression is lost, and a sum of the same operand with itself is one of squares.
EG_TEST(Einsum, of_expressions_and_of_one_tensor_twice) {
  const Array a = random_array(DType::i32, {5, 7}, 1),
              twice = naive::map(a, DType::i32, [](double v) { return 2 * v; });
  const Tensor x = upload(a);
  EXPECT_TRUE(matches(einsum("ij,kj->ik", {x + x, x}), naive::einsum({"ij", "kj"}, "ik", {twice, a})));
  EXPECT_TRUE(matches(einsum("ij,ij", {x, x}), naive::einsum({"ij", "ij"}, "", {a, a})));
}

/// Of views of what is pending, and of the same once it is computed.
EG_TEST(Einsum, has_the_same_bits_whenever_operands_are_computed) {
  const auto sums = [](bool first) {
    const Tensor a = upload(random_array(DType::f32, {7, 5, 13}, 1)) * 0.1F,
                 b = upload(random_array(DType::f32, {7, 13, 3}, 2)) * 0.1F;
    if (first) eval({a, b});
    return einsum("jki,kil->jl", {a.permute({1, 2, 0}), b.transpose(0, 1)});
  };
  EXPECT_TRUE(same_bits(sums(true), sums(false)));
}

/// A length of 0 that is summed gives 0, whatever else is multiplied.
EG_TEST(Einsum, a_sum_over_nothing_is_0) {
  const Tensor nan = full({3}, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(einsum("i,j->i", {nan, zeros({0})}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

}  // namespace
}  // namespace eglantine::test
