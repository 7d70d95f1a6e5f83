// Rows whose elements are chosen: constants, single spikes, the ends of a format's range.
#pragma once

#include "generate/row_list.hpp"
#include "generate/row_request.hpp"

namespace normcert {

void add_zero(const RowRequest& request, RowList& rows);
void add_constant(const RowRequest& request, RowList& rows);
void add_alternating(const RowRequest& request, RowList& rows);
void add_one_hot(const RowRequest& request, RowList& rows);
void add_q_over_epsilon(const RowRequest& request, RowList& rows);
void add_near_overflow(const RowRequest& request, RowList& rows);
void add_beyond_range(const RowRequest& request, RowList& rows);
void add_subnormal(const RowRequest& request, RowList& rows);
void add_exact_rms(const RowRequest& request, RowList& rows);

}  // namespace normcert
