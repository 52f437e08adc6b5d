#include "rooftile/timing/attention_time.hpp"
