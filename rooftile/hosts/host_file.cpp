#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/toml_choice.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/hosts/embedded.hpp"
#include "rooftile/hosts/host_machine.hpp"

namespace rooftile {
namespace {

// A number of a host: where it goes, and what it may be.
struct HostKey {
  std::string_view name, example;
  double least, most;
  std::optional<double> (*read)(std::string_view text);
  void (*put)(HostMachine& host, double value);
  bool needed = true;
};

template <class Q>
std::optional<double> quantity(std::string_view text) {
  const auto value = parse<Q>(text);
  return value ? std::optional(value->value()) : std::nullopt;
}

std::optional<double> count(std::string_view text) { return parse_number(text); }

constexpr std::array kKeys = {
    HostKey{"cores", "16", 1, 1e5, count, [](HostMachine& host, double value) { host.cores = value; }},
    HostKey{"pcie_generation", "4", 1, 20, count,
            [](HostMachine& host, double value) { host.pcie_generation = static_cast<int>(value); }},
    HostKey{"disk", "500 MB/s", 1e3, 1e15, quantity<BytesPerSecond>,
            [](HostMachine& host, double value) { host.disk = BytesPerSecond(value); }},
    HostKey{"decode", "5 ms", 1e-9, 1e3, quantity<Seconds>,
            [](HostMachine& host, double value) { host.decode = Seconds(value); }},
    HostKey{"augment", "18 ms", 1e-9, 1e3, quantity<Seconds>,
            [](HostMachine& host, double value) { host.augment = Seconds(value); }},
    HostKey{"tokenise", "2 s", 1e-9, 1e6, quantity<Seconds>,
            [](HostMachine& host, double value) { host.tokenise = Seconds(value); }},
    HostKey{"environment_step", "2.6 ms", 1e-9, 1e3, quantity<Seconds>,
            [](HostMachine& host, double value) { host.environment_step = Seconds(value); }},
    HostKey{"launch_ratio", "0.8", 0.01, 100, count, [](HostMachine& host, double value) { host.launch_ratio = value; },
            false},
    HostKey{"single_thread", "2100", 100, 1e6, count,
            [](HostMachine& host, double value) { host.single_thread = value; }, false},
    HostKey{"price", "3000 USD", 1, 1e9, quantity<Dollars>,
            [](HostMachine& host, double value) { host.price = Dollars(value); }, false},
};

class HostReader : TomlReader {
 public:
  explicit HostReader(std::string_view where) : TomlReader(where), where_(where) {}

  Result<HostMachine> read(const toml::table& root) {
    TRY(read_sources(root));
    HostMachine host;
    for (auto&& [key, node] : root) {
      if (key.str() == "id") {
        host.id = TRY(words(node, "id"));
      } else if (key.str() == "name") {
        host.name = TRY(words(node, "name"));
      } else if (key.str() == "host") {
        TRY(read_facts(node, host));
      } else if (key.str() != "sources") {
        return unknown(key, "", {"id", "name", "sources", "host"});
      }
    }
    if (host.id.empty()) return missing("id");
    if (host.name.empty()) host.name = host.id;
    for (const HostKey& key : kKeys) {
      const auto is = [&](const Fact& fact) { return fact.key == key.name; };
      if (key.needed && std::none_of(host.facts.begin(), host.facts.end(), is)) return missing(key.name);
    }
    return host;
  }

 private:
  tl::unexpected<Error> missing(std::string_view key) const {
    return fail(ErrorCode::bad_input, fmt::format("{} is missing", key), std::string(where_));
  }

  Result<void> read_facts(const toml::node& node, HostMachine& host) {
    const auto* table = node.as_table();
    if (table == nullptr) return error(node.source(), "'host' must be a table: [host]");
    for (auto&& [name, value] : *table) {
      const std::string_view key_name = name.str();
      const auto known =
          std::find_if(kKeys.begin(), kKeys.end(), [&](const HostKey& key) { return key.name == key_name; });
      if (known == kKeys.end()) {
        std::vector<std::string> names;
        for (const HostKey& key : kKeys) names.emplace_back(key.name);
        return unknown(name, " in [host]", names);
      }
      const HostKey& host_key = *known;
      Fact fact;
      fact.key = name.str();
      TRY(read_fact(value, host_key.example, 1 + static_cast<std::size_t>(FactKind::own), fact,
                    [&](const toml::node& part) -> Result<void> {
                      fact.text = TRY(words(part, "value"));
                      const auto number = host_key.read(fact.text);
                      if (number && *number >= host_key.least && *number <= host_key.most) {
                        host_key.put(host, *number);
                        return {};
                      }
                      return error(part.source(), fmt::format("'{}' is no {}; write \"{}\"", one_line(fact.text),
                                                              host_key.name, host_key.example));
                    }));
      host.facts.push_back(std::move(fact));
    }
    return {};
  }

  std::string_view where_;
};

}  // namespace

std::vector<std::string> host_machine_ids() { return toml_ids(embedded_hosts()); }

Result<HostMachine> parse_host_machine(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a host file"));
  return HostReader(where).read(root);
}

Result<HostMachine> find_host_machine(std::string_view selector) {
  const ChosenToml chosen = TRY(choose_toml(embedded_hosts(), selector, "host"));
  return parse_host_machine(chosen.text, chosen.where);
}

}  // namespace rooftile
