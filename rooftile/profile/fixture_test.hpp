// Profiles of tests/profiles, for the readers' tests.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/profile/profile.hpp"

namespace rooftile::profile {

inline std::string fixture_text(const std::string& name) {
  const auto text = read_text_file("tests/profiles/" + name);
  EXPECT_TRUE(text.has_value()) << name;
  return text.value_or("");
}

inline Profile read_fixture(const std::string& name, const ProfileOptions& options = {}) {
  const auto profile = read_profile(fixture_text(name), name, options);
  EXPECT_TRUE(profile.has_value()) << profile.error().text();
  return profile.value_or(Profile{});
}

}  // namespace rooftile::profile
