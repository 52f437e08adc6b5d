// Errors at the borders (files, command line, API): one clear line that says what is wrong and where.
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     const Result<Gpu> gpu = find_gpu("titan-xq");
//     assert(!gpu);
//     assert(gpu.error().code == ErrorCode::not_found);
//     assert(gpu.error().text() == "no GPU 'titan-xq' in the catalogue; did you mean 'titan-xp'?");
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace rooftile {

enum class ErrorCode {
  bad_input,    // the file or text is wrong
  not_found,    // a name that nothing answers to
  unsupported,  // understood, but not built
  io,           // the operating system said no
  usage,        // the command line is wrong
  interrupted,  // the caller asked it to stop
};

struct Error {
  ErrorCode code = ErrorCode::bad_input;
  std::string message;  // what is wrong, with the nearest valid choice where there is one
  std::string where;    // file, line, layer or flag; may be empty

  // "where: message", the one line that a person sees.
  std::string text() const { return where.empty() ? message : where + ": " + message; }

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string where = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(where)});
}

}  // namespace rooftile
