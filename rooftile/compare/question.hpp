// What people ask of a comparison, answered in sentences with the reason.
//
//     const Question question = parse_question("cheapest that trains this in 24 h").value();
//     assert(question.kind == Question::Kind::cheapest && question.within == Seconds(86400));
//     assert(!parse_question("why"));
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/compare/compare.hpp"

namespace rooftile {

struct Question {
  enum class Kind { cheapest, fastest, upgrade, batch };
  Kind kind = Kind::cheapest;
  std::optional<Seconds> within;       // of all samples
  std::optional<double> usd_per_hour;  // at most
  std::optional<Dollars> budget;       // for all samples
  std::string from, to;                // of an upgrade: GPUs
};

// "cheapest in 24 h", "fastest for less than 2 dollars an hour", "fastest under 500 USD", "is it worth upgrading from
// t4 to l4", "which batch". Errors: none of these; a word that means nothing here, since an answer that passes over it
// may answer another question; a number without a unit, another currency than USD, an upgrade without two GPUs.
Result<Question> parse_question(std::string_view text);

// One sentence a model; of batches, one a model, GPU and precision. Errors: a bound on what all samples take, and no
// number of samples.
Result<std::vector<std::string>> answers(const Question& question, const Comparison& comparison);

}  // namespace rooftile
