#include "rooftile/ingest/gzip.hpp"

#include <algorithm>
#include <limits>
#include <zlib.h>

#include <fmt/format.h>

#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

// Added to the window's size: a gzip header is expected or written (zlib.h, inflateInit2, deflateInit2).
constexpr int kGzipWrapper = 16;

// Hands zlib what is left, as much as it takes at once.
void refill(z_stream& stream, std::string_view& left) {
  const std::size_t count = std::min<std::size_t>(left.size(), std::numeric_limits<uInt>::max());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(count);
  left.remove_prefix(count);
}

// zlib's stream of one member after the other.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : left_(bytes) {
    ready_ = inflateInit2(&stream_, kGzipWrapper + MAX_WBITS) == Z_OK;
  }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<std::string> run(std::size_t limit) {
    std::string result;
    std::string chunk(std::size_t{1} << 16, '\0');
    while (ready_) {
      if (stream_.avail_in == 0) refill(stream_, left_);
      stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream_.avail_out = static_cast<uInt>(chunk.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END) break;  // Z_BUF_ERROR: there should be more
      result.append(chunk, 0, chunk.size() - stream_.avail_out);
      if (result.size() > limit) return bad_input(fmt::format("holds more than {} MiB uncompressed", limit >> 20));
      if (status == Z_STREAM_END) {
        if (stream_.avail_in == 0 && left_.empty()) return result;
        inflateReset(&stream_);
      }
    }
    return bad_input("is a damaged or incomplete gzip file");
  }

 private:
  std::string_view left_;
  z_stream stream_{};
  bool ready_ = false;
};

class Deflater {
 public:
  explicit Deflater(std::string_view bytes) : left_(bytes) {
    constexpr int kMemory = 8;  // zlib's own default
    ready_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWrapper + MAX_WBITS, kMemory,
                          Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() {
    if (ready_) deflateEnd(&stream_);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  Result<std::string> run() {
    std::string result;
    std::string chunk(std::size_t{1} << 16, '\0');
    while (ready_) {
      if (stream_.avail_in == 0) refill(stream_, left_);
      stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream_.avail_out = static_cast<uInt>(chunk.size());
      const int status = deflate(&stream_, left_.empty() ? Z_FINISH : Z_NO_FLUSH);
      result.append(chunk, 0, chunk.size() - stream_.avail_out);
      if (status == Z_STREAM_END) return result;
      if (status == Z_STREAM_ERROR) break;
    }
    return bad_input("cannot be compressed: no memory");
  }

 private:
  std::string_view left_;
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; }

Result<std::string> gunzip(std::string_view bytes, std::size_t limit) { return Inflater(bytes).run(limit); }

Result<std::string> gzip(std::string_view bytes) { return Deflater(bytes).run(); }

}  // namespace rooftile
