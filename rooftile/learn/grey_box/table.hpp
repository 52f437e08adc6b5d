// The rows of layer tables by a grey-box model, and why it has no time of the others.
#pragma once

#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/grey_box/rows.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/validate/measured_tables.hpp"

namespace rooftile {

struct GreyBoxTimes {
  GreyBoxRows rows;  // that have a time
  std::vector<regression::Predicted> predicted;
  std::vector<RefusedRow> refused;  // table by table, by line
};

// Of tables that outlive the result. Rows of other operations, of an operation and pass that the fit had not, of a
// precision that their GPU cannot run, and those that were read as not predicted yet are refused as
// ErrorCode::unsupported; with any other code those that are wrong: of no GPU or one that is not known. Errors: a model
// that is no grey box, or none as fit_grey_box() makes it.
Result<GreyBoxTimes> grey_box_times(const regression::FittedModel& model, const std::vector<MeasuredTable>& tables);

}  // namespace rooftile
