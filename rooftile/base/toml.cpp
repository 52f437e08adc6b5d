// toml++'s own code, compiled once.
#define TOML_IMPLEMENTATION
#include "rooftile/base/toml.hpp"
