#pragma once

#include <string>

#include "lower/attention/schedule.hpp"
#include "lower/attention/text_parts.hpp"

/// Parts of the texts of attention's forms. s<row>_<h> are the scores, then the shares, of four columns, o<row>_<g> the
/// sums of four results.
namespace eglantine::lower {

std::string text_of(int number);
std::string score(int row, int h);
std::string sum(int row, int g);
std::string of_row(const char* name, int row);

/// EG_STORE: row r is `first` + r `step`, vector g of lane `lane` begins at `element` + 4 g lanes.
std::string store_text(const AttentionTile& tile, const std::string& first, const std::string& step,
                       const std::string& lane, const std::string& element);

/// The holes of attention_rows.comp that are text over an invocation's rows.
std::string attention_rows_text(const AttentionTile& tile);

}  // namespace eglantine::lower
