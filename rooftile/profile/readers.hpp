// One reader per tool, and what tells their files apart; read_profile() chooses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/profile/profile.hpp"

namespace rooftile::profile {

// Whether a row of cells is the header of such a file.
bool is_ncu_header(const std::vector<std::string>& cells);
bool is_nvprof_header(const std::vector<std::string>& cells);
bool is_rocprof_header(const std::vector<std::string>& cells);
// Whether the text begins as such a file does.
bool is_chakra(std::string_view text);

// Each reads the whole text; kernels may be empty, read_profile() then says so. Errors: the file cannot be read at all.
Result<Profile> read_ncu(std::string_view text, std::string_view where, const ProfileOptions& options);
Result<Profile> read_nvprof(std::string_view text, std::string_view where, const ProfileOptions& options);
Result<Profile> read_rocprof(std::string_view text, std::string_view where, const ProfileOptions& options);
Result<Profile> read_kineto(std::string_view text, std::string_view where, const ProfileOptions& options);
Result<Profile> read_chakra(std::string_view text, std::string_view where, const ProfileOptions& options);

}  // namespace rooftile::profile
