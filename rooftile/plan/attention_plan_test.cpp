#include "rooftile/plan/attention_plan.hpp"
