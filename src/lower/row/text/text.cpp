#include "lower/row/text/text.hpp"

#include <algorithm>

#include "lower/row/text/writer.hpp"

namespace eglantine::lower {

std::string name_of_step(size_t i) { return "eg_s" + std::to_string(i); }
std::string name_of_store(size_t i) { return "eg_o" + std::to_string(i); }

std::string row_functions(const RowPlan& plan, const RowChain& chain) { return RowWriter(plan, chain).text(); }

std::string RowWriter::text() const {
  std::string text = prototypes();
  if (plan_.staged) return text + staged_text();
  if (!plan_.register_resident) return text + make("") + take_alone("");
  return text + tiles_put() + read() + make(parameters("")) +
         (plan_.prefetch ? take_ahead() : take_alone(declarations("")));
}

const RowStep* RowWriter::partner_of(const RowStep& x, size_t* number) const {
  const RowStep* found = joined_with(chain_, x);
  if (found != nullptr && number != nullptr) *number = static_cast<size_t>(found - chain_.steps.data());
  return found;
}

bool RowWriter::is_of_round(int value) const {
  return std::any_of(chain_.steps.begin(), chain_.steps.end(),
                     [&](const RowStep& x) { return is_joined(x) && x.of_elements == value; });
}

std::string RowWriter::read() const {
  std::string rows, loads, across;
  for_each_read([&](size_t i) {
    const std::string n = step(i).of_row ? row_value(step(i).value) : kept(step(i).value);
    if (step(i).of_row)
      rows += "  " + n + " = " + call(i, "at") + ";\n";
    else
      (plan_.across.contains(i) ? across : loads) += for_steps("    " + n + "[u] = " + elements(i) + ";\n");
  });
  return tiles() + "void eg_read(uint item" + parameters("out ") + ") {\n  uint at = min(item, EG_ITEMS - 1u);\n" +
         addresses(true) + rows + loads_across() + loads + exchange_across() + across + "}\n";
}

std::string RowWriter::make(const std::string& read) const {
  std::string text = "void eg_make(uint item, bool mine" + read + ") {\n  uint at = min(item, EG_ITEMS - 1u);\n" +
                     addresses(false) + take_row();
  for (int pass = 0; pass < chain_.passes; ++pass) text += rows_of(pass) + elements_of(pass) + folds_of(pass);
  text += give_row();
  // Where folds alternate, the next item's first one would use the memory that the last one still reads.
  return text + (fold_pairs_of(plan_, chain_).size() % 2 == 1 ? "  eg_separate();\n" : "") + "}\n";
}

std::string RowWriter::take_alone(const std::string& declared) const {
  // A loop of one round keeps the driver from arranging loads: 8192 rows of 4097 took 7 % longer.
  std::string text = "void eg_take(uint start, uint end) {\n" + declared +
                     (plan_.alone ? "  uint item = start;\n  {\n"
                                  : "  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {\n");
  if (plan_.register_resident) text += "    eg_read(item + eg_place" + arguments("") + ");\n";
  return text + "    eg_make(item + eg_place, item + eg_place < end" + (plan_.register_resident ? arguments("") : "") +
         ");\n  }\n}\n";
}

std::string RowWriter::take_ahead() const {
  std::string moves;
  for_each_read([&](size_t i) {
    const int n = step(i).value;
    moves += step(i).of_row
                 ? "    " + row_value(n) + " = next_" + row_value(n) + ";\n"
                 : "    for (uint u = 0u; u < uint(EG_VECTORS); ++u) " + kept(n) + "[u] = next_" + kept(n) + "[u];\n";
  });
  return "void eg_take(uint start, uint end) {\n" + declarations("") + "  eg_read(start + eg_place" + arguments("") +
         ");\n  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {\n" + declarations("next_") +
         "    eg_read(item + EG_ITEMS_AT_ONCE < end ? item + EG_ITEMS_AT_ONCE + eg_place : item + eg_place" +
         arguments("next_") + ");\n    eg_make(item + eg_place, item + eg_place < end" + arguments("") + ");\n" +
         moves + "  }\n}\n";
}

}  // namespace eglantine::lower
