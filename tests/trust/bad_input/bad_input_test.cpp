#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "support/devices.hpp"
#include "trust/bad_input/row.hpp"

/// Tries every row of the table, and holds the table against the functions that the library shows.
namespace eglantine::test::bad_input {
namespace {

EG_ON_EACH_DEVICE(Trust, BadInput);

/// Made from the library by public_functions: every function in a namespace or class that users can call.
const std::set<std::string> public_functions = {
#include "public_functions.inc"
};

/// Those that have no wrong arguments, and why.
const std::map<std::string, std::string> never_wrong = {
    {"Axes::fail_axis", "throws"},
    {"Device::fail_moved_from", "throws"},
    {"Device::current", "no arguments"},
    {"Device::list", "no arguments"},
    {"Index::fail_place", "throws"},
    {"IntList::fail_position", "throws"},
    {"IntList::operator==", "compares any two"},
    {"PartitionView::Grid::at", "not for users: PartitionView asks it about checked indices"},
    {"PartitionView::Iterator::operator*", "an iterator at the end is not dereferenced, as with any iterator"},
    {"PartitionView::Iterator::operator++", "as above"},
    {"PerAxis::fail_number", "throws"},
    {"PartitionView::max", "every dtype and shape has one"},
    {"PartitionView::min", "every dtype and shape has one"},
    {"PartitionView::sum", "every dtype and shape has one"},
    {"Profile::operator=", "takes what the library made"},
    {"Profile::~Profile", "no arguments"},
    {"Scalar::dtype", "no arguments"},
    {"Scalar::dtype_beside", "every dtype has one"},
    {"Scalar::text", "no arguments"},
    {"Tensor::Tensor", "any float will do"},
    {"Tensor::fail_undefined", "throws"},
    {"Tensor::from_booleans", "a part of Tensor::from, which has rows"},
    {"Tensor::from_span", "as above"},
    {"Tensor::read_item", "a part of Tensor::item, which has rows"},
    {"Tensor::read_to", "of Tensor::copy_to"},
    {"Tensor::read_vector", "of Tensor::to_vector"},
    {"optim::Adagrad::state", "no arguments"},
    {"optim::Adam::state", "no arguments"},
    {"optim::AdamW::state", "no arguments"},
    {"optim::Lion::state", "no arguments"},
    {"optim::RmsProp::state", "no arguments"},
    {"optim::Sgd::state", "no arguments"},
    {"optim::constant", "any number will do"},
    {"optim::exponential", "any numbers will do"},
    {"same", "compares any two"},
    {"split_seed", "any two numbers will do"},
    {"stop_gradient", "any tensor will do"},
    {"to_string", "any list will do"},
};

Rows all_rows() {
  Rows rows;
  for (auto* add : {add_creation,   add_random,        add_elementwise,  add_activations,     add_movement,
                    add_reductions, add_statistics,    add_contractions, add_scans_and_order, add_indices,
                    add_indexing,   add_segments,      add_counting,     add_shape,           add_tensor,
                    add_custom,     add_tiles,         add_devices,      add_files,           add_network,
                    add_pooling,    add_interpolation, add_convolution,  add_conv_transpose,  add_tensor_products,
                    add_attention,  add_grad,          add_models,       add_blocks,          add_optimisers})
    add(rows);
  return rows;
}

/// What is wrong with what a row's call throws; "" when it is as the row says.
std::string complaint(const Row& row) {
  try {
    row.call();
  } catch (const Error& error) {
    if (std::type_index(typeid(error)) != row.type)
      return "throws another type, and says: " + std::string(error.what());
    return error.what() == row.message ? "" : "says: " + std::string(error.what());
  } catch (const std::exception& error) {
    return "throws nothing of Eglantine's, but: " + std::string(error.what());
  }
  return "throws nothing";
}

/// The function that a message names: what stands in brackets at its start.
std::string named_in(const std::string& message) { return message.substr(1, message.find(']') - 1); }

EG_TEST(BadInput, is_refused_with_the_type_and_the_message_of_its_row) {
  const Rows rows = all_rows();
  for (const Row& row : rows) {
    const std::string problem = complaint(row);
    EXPECT_EQ(problem, "") << row.function << ", " << row.wrong << "; wanted: " << row.message;
  }
  RecordProperty("bad_inputs", static_cast<int>(rows.size()));
  std::cout << rows.size() << " bad inputs tried on " << device().info().spec << std::endl;
}

EG_TEST(BadInput, leaves_the_device_as_it_was) {
  for (const Row& row : all_rows()) complaint(row);
  try {
    device().synchronize();  // tells of the indices out of range
  } catch (const IndexError&) {
  }
  EXPECT_NO_THROW(device().synchronize());
  EXPECT_EQ((ones({3}) + 1).to_vector<float>(), (std::vector<float>{2, 2, 2}));
}

EG_TEST(BadInput, names_the_function) {
  // Where values are refused before the function that they are for is called, or known.
  const std::set<std::string> earlier = {"Tensor", "Device", "Shape", "Axes", "nn::parameters"};
  const std::map<std::string, std::string> operators = {{"operator+", "add"},
                                                        {"operator-", "sub neg"},
                                                        {"operator*", "mul"},
                                                        {"operator/", "div"},
                                                        {"Tensor::operator[]", "index"}};
  for (const Row& row : all_rows()) {
    ASSERT_TRUE(row.message.starts_with("[")) << row.message;
    const std::string named = named_in(row.message);
    const auto as = operators.find(row.function);
    const bool of_verb = as != operators.end() && as->second.find(named) != std::string::npos;
    const bool of_operator = of_verb || row.function == "operator" + named;
    const bool of_list = row.function.starts_with("IntList::") && named.starts_with("Shape");
    const bool of_type = row.function.starts_with(named + "::");
    EXPECT_TRUE(row.function == named || row.function.ends_with("::" + named) || of_type || earlier.contains(named) ||
                of_operator || of_list || row.function == "Scalar::bits")
        << row.function << ": " << row.message;
  }
}

TEST(BadInputTable, has_a_row_for_each_public_function) {
  ASSERT_GT(public_functions.size(), 100U);
  Device::set_current(open_device(device_specs().front()));
  std::set<std::string> tried;
  for (const Row& row : all_rows()) tried.insert(row.function);
  for (const std::string& function : public_functions)
    EXPECT_TRUE(tried.contains(function) || never_wrong.contains(function))
        << function << " has no row in tests/trust/bad_input, and is not among those that have no wrong arguments";
  for (const auto& [function, why] : never_wrong) {
    EXPECT_TRUE(public_functions.contains(function)) << function << " is no public function";
    EXPECT_FALSE(tried.contains(function) && !public_functions.contains(function)) << function;
  }
}

}  // namespace
}  // namespace eglantine::test::bad_input
