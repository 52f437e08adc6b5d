#include <array>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/measure/on_cpu/kernel.hpp"

namespace on_cpu {
namespace {

using Words = std::vector<std::string_view>;

Words split(std::string_view text, std::string_view separators) {
  Words parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) {
      parts.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// The arguments of an instruction; those in braces or brackets are one.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = text.find_first_not_of(", "); begin < text.size();
       begin = text.find_first_not_of(", ", begin)) {
    const bool several = text[begin] == '{' || text[begin] == '[';
    const std::size_t end = std::min(text.find_first_of(several ? "}]" : ",", begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = std::min(end + 1, text.size());
    if (begin == text.size()) {
      break;
    }
  }
  return parts;
}

// The operands of one run, by their number.
struct Operands {
  std::initializer_list<Place> out;
  std::initializer_list<Value> in;

  std::uint64_t get(std::size_t number) const {
    if (number >= out.size()) {
      return in.begin()[number - out.size()].bits;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, out.begin()[number].at, out.begin()[number].bytes);
    return bits;
  }
  void set(std::size_t number, std::uint64_t bits) const {
    const Place& place = out.begin()[number];
    std::memcpy(place.at, &bits, place.bytes);
  }
};

template <class T>
T as(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
std::uint64_t bits_of(T value) {
  return Value(value).bits;
}

// 16 bits of a register as a number, and back.
template <class Number, class Raw>
struct Short {
  static double number(std::uint64_t bits) {
    Raw raw;
    raw.x = static_cast<unsigned short>(bits);
    return static_cast<float>(Number(raw));
  }
  static std::uint64_t bits(double number) { return static_cast<Raw>(Number(static_cast<float>(number))).x; }
};
using Half = Short<__half, __half_raw>;
using Bfloat = Short<__nv_bfloat16, __nv_bfloat16_raw>;

template <class Type>
std::uint64_t multiply_add_two(std::uint64_t x, std::uint64_t a, std::uint64_t b) {
  const auto part = [&](int shift) {
    return Type::bits(Type::number(x >> shift) * Type::number(a >> shift) + Type::number(b >> shift)) << shift;
  };
  return part(0) | part(16);
}

std::uint64_t multiply_add(std::string_view type, std::uint64_t x, std::uint64_t a, std::uint64_t b) {
  if (type == "f64") {
    return bits_of(std::fma(as<double>(x), as<double>(a), as<double>(b)));
  }
  if (type == "f32") {
    return bits_of(std::fma(as<float>(x), as<float>(a), as<float>(b)));
  }
  if (type == "s32") {
    return static_cast<std::uint32_t>(x * a + b);
  }
  if (type == "f16x2") {
    return multiply_add_two<Half>(x, a, b);
  }
  if (type == "bf16x2") {
    return multiply_add_two<Bfloat>(x, a, b);
  }
  throw UnknownInstruction();
}

// A product of two matrices, each of one value everywhere, as those of rate.cu: by what every element of the result
// grows. How elements lie in registers is not looked at.
double uniform_product(const Words& name, std::uint64_t a, std::uint64_t b) {
  const std::string_view shape = name[3];
  const double depth = std::stod(std::string(shape.substr(shape.rfind('k') + 1)));
  const std::string_view type = name[name.size() - 2];
  if (type == "f16") {
    return depth * Half::number(a) * Half::number(b);
  }
  if (type == "bf16") {
    return depth * Bfloat::number(a) * Bfloat::number(b);
  }
  if (type == "tf32") {
    return depth * as<float>(a) * as<float>(b);
  }
  if (type == "s8") {
    return depth * as<std::int8_t>(a) * as<std::int8_t>(b);
  }
  throw UnknownInstruction();
}

enum class Special { none, clock, timer, sm };

}  // namespace

struct Instruction::One {
  Words name;                                       // between its points
  std::vector<std::vector<std::size_t>> arguments;  // numbers of operands
  Special special = Special::none;
  void (*run)(const One&, const Operands&, Thread&) = nullptr;
  std::size_t bytes = 4;  // of an element
};

namespace {

using One = Instruction::One;

void read_special(const One& one, const Operands& operands, Thread& thread) {
  thread.wait_for_loads();
  const double seconds = now_seconds() + thread.cycles / Model::hertz;
  const double values[] = {0, thread.cycles, seconds * 1e9, static_cast<double>(thread.cta->sm)};
  operands.set(one.arguments[0][0], static_cast<std::uint64_t>(values[static_cast<int>(one.special)]));
}

void get_all(const One& one, const Operands& operands, const std::byte* from) {
  for (const std::size_t to : one.arguments[0]) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, one.bytes);
    operands.set(to, value);
    from += one.bytes;
  }
}

void put_all(const One& one, const Operands& operands, std::byte* to) {
  for (const std::size_t from : one.arguments[1]) {
    const std::uint64_t value = operands.get(from);
    std::memcpy(to, &value, one.bytes);
    to += one.bytes;
  }
}

void load_volatile(const One& one, const Operands& operands, Thread& thread) {
  get_all(one, operands, as<const std::byte*>(operands.get(one.arguments[1][0])));
  thread.cycles += Model::near_l2_cycles;
  thread.yield();  // it waits for what another thread does
}

void load_global(const One& one, const Operands& operands, Thread& thread) {
  const std::uint64_t address = operands.get(one.arguments[1][0]);
  const double cycles =
      machine().load(thread.cta->sm, address, one.bytes * one.arguments[0].size(), one.name[2] == "ca");
  if (one.bytes == 8) {           // a pointer, which the next load follows
    thread.cycles += cycles - 1;  // the first went by when it was issued
    get_all(one, operands, as<const std::byte*>(address));
    return;
  }
  thread.issue(cycles - 1);
  get_all(one, operands, as<const std::byte*>(address));
  thread.yield();  // the other lanes load beside it, not behind it
}

void store_global(const One& one, const Operands& operands, Thread& thread) {
  const std::uint64_t address = operands.get(one.arguments[0][0]);
  machine().store(address, one.bytes * one.arguments[1].size());
  put_all(one, operands, as<std::byte*>(address));
  thread.yield();
}

void load_shared(const One& one, const Operands& operands, Thread& thread) {
  get_all(one, operands, thread.cta->memory.data() + operands.get(one.arguments[1][0]));
  thread.cycles += Model::smem_cycles - 1;
}

void store_shared(const One& one, const Operands& operands, Thread& thread) {
  thread.wait_for_loads();
  put_all(one, operands, thread.cta->memory.data() + operands.get(one.arguments[0][0]));
}

void fuse(const One& one, const Operands& operands, Thread& /*thread*/) {
  const auto get = [&](std::size_t i) { return operands.get(one.arguments[i][0]); };
  operands.set(one.arguments[0][0], multiply_add(one.name.back(), get(1), get(2), get(3)));
}

void multiply_matrices(const One& one, const Operands& operands, Thread& /*thread*/) {
  const double more = uniform_product(one.name, operands.get(one.arguments[1][0]), operands.get(one.arguments[2][0]));
  for (const std::size_t element : one.arguments[0]) {
    const std::uint64_t old = operands.get(element);
    operands.set(element, one.name.back() == "s32" ? bits_of(as<std::int32_t>(old) + static_cast<std::int32_t>(more))
                                                   : bits_of(static_cast<float>(as<float>(old) + more)));
  }
}

void unknown(const One& /*one*/, const Operands& /*operands*/, Thread& /*thread*/) { throw UnknownInstruction(); }

void (*function_of(const One& one))(const One&, const Operands&, Thread&) {
  const std::string_view kind = one.name[0];
  const std::string_view where = one.name.size() > 1 ? one.name[1] : "";
  if (kind == "mov" && one.special != Special::none) {
    return read_special;
  }
  if (kind == "ld") {
    return where == "volatile" ? load_volatile : where == "global" ? load_global : load_shared;
  }
  if (kind == "st") {
    return where == "global" ? store_global : store_shared;
  }
  return kind == "fma" || kind == "mad" ? fuse : kind == "mma" ? multiply_matrices : unknown;
}

One parse(std::string_view name, std::string_view arguments) {
  constexpr std::array<std::string_view, 4> kSpecial = {"", "%%clock64", "%%globaltimer", "%%smid"};
  One one;
  one.name = split(name, ".");
  one.bytes = one.name.back() == "u64" ? 8 : 4;
  for (const std::string_view argument : split_arguments(arguments)) {
    auto& numbers = one.arguments.emplace_back();
    for (const std::string_view part : split(argument, "{}[], ")) {
      if (part.starts_with("%%")) {
        const auto found = std::find(kSpecial.begin(), kSpecial.end(), part);
        one.special = found == kSpecial.end() ? Special::none : static_cast<Special>(found - kSpecial.begin());
      } else if (part.starts_with('%')) {
        numbers.push_back(std::stoul(std::string(part.substr(1))));
      }
    }
  }
  one.run = function_of(one);
  return one;
}

}  // namespace

Instruction::Instruction(const char* text) : all_(std::make_shared<std::vector<One>>()) {
  for (std::string_view statement : split(text, ";\n\t")) {
    statement.remove_prefix(std::min(statement.find_first_not_of(' '), statement.size()));
    if (const std::size_t space = statement.find(' '); space != std::string_view::npos) {
      all_->push_back(parse(statement.substr(0, space), statement.substr(space + 1)));
    }
  }
}

void Instruction::run(std::initializer_list<Place> out, std::initializer_list<Value> in) const {
  for (const One& one : *all_) {
    me().cycles += 1;
    one.run(one, {out, in}, me());
  }
}

}  // namespace on_cpu
