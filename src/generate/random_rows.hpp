// Rows of normal deviates. Everything is computed with IEEE 754 basic operations and square roots
// in binary64, in a fixed order, so that the bits are the same on every machine.
#pragma once

#include "generate/row_list.hpp"
#include "generate/row_request.hpp"

namespace normcert {

void add_tiny_or_small(const RowRequest& request, RowList& rows);
void add_ordinary(const RowRequest& request, RowList& rows);
void add_large(const RowRequest& request, RowList& rows);
void add_mixed_scale(const RowRequest& request, RowList& rows);
void add_outlier_channel(const RowRequest& request, RowList& rows);
void add_amplitude(const RowRequest& request, RowList& rows);
void add_normal(const RowRequest& request, RowList& rows);

}  // namespace normcert
