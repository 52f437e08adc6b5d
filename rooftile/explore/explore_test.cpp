#include "rooftile/explore/explore.hpp"
