#include "rooftile/predict/known_products.hpp"

#include <bit>
#include <cstdint>

namespace rooftile {

// By what products of a network mostly differ in.
std::size_t KnownProducts::Hash::operator()(const Key& key) const {
  constexpr std::size_t kOdd = 1099511628211;
  std::size_t hash = std::bit_cast<std::uintptr_t>(key.model) + static_cast<std::size_t>(key.pass);
  const Im2col& gemm = key.gemm;
  for (const double size : {gemm.m, gemm.n, gemm.k, gemm.groups, gemm.filter_volume, gemm.stride[1], gemm.stride[2]}) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(size)) * kOdd;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace rooftile
