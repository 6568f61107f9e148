#pragma once

/// The style sheet of the report: one column, narrow screens and dark mode included.
extern const char* const report_style;
