// Reads what kind of op a JSON object is, and the attributes of that kind.
#pragma once

#include <optional>
#include <vector>

#include "rooftile/base/json_fields.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// The kind that "op" names, with nothing filled in. Throws an Error, as Fields does.
OpKind read_kind(Fields& fields);

// Fills in the attributes, and what follows from the shapes of the inputs. `shape` is set where the attributes decide
// the shape of the result. Throws an Error, as Fields does.
void read_attributes(Fields& fields, const std::vector<Shape>& inputs, OpKind& kind, std::optional<Shape>& shape);

}  // namespace rooftile
