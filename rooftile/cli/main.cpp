#include "rooftile/cli/app.hpp"

int main(int argc, char** argv) { return rooftile::cli::run(argc, argv); }
