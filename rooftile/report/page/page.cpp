#include "rooftile/report/page/page.hpp"

#include <string_view>

#include "rooftile/report/page/embedded.hpp"
#include "rooftile/report/page/page_view.hpp"
#include "rooftile/report/svg.hpp"

namespace rooftile {

// What is put in is not searched again: a name that reads {{data}} stays a name.
std::string page(std::span<const PageView> views) {
  constexpr std::string_view kTitle = "{{title}}", kData = "{{data}}";
  const std::string title = svg_escaped(views.front().view.title), data = page_data(views);
  std::string text;
  std::string_view rest = embedded_page();
  while (true) {
    const std::size_t place = rest.find("{{");
    text += rest.substr(0, place);
    if (place == std::string_view::npos) return text;
    rest.remove_prefix(place);
    if (rest.starts_with(kTitle)) {
      text += title;
      rest.remove_prefix(kTitle.size());
    } else if (rest.starts_with(kData)) {
      text += data;
      rest.remove_prefix(kData.size());
    } else {
      text += rest.substr(0, 2);
      rest.remove_prefix(2);
    }
  }
}

std::string file_name_of(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string name;
  for (const char c : text.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name.empty() ? "rooftile" : name;
}

}  // namespace rooftile
