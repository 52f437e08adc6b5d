// The page as it is before anything is filled in: rooftile/report/page/page.html with its style and its scripts.
// Written at build time.
#pragma once

#include <string_view>

namespace rooftile {

std::string_view embedded_page();

}  // namespace rooftile
