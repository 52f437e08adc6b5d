#include "rooftile/explore/space_file.hpp"
