#include "numeric/random.hpp"

#include <cmath>

namespace normcert {
namespace {

std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// FNV-1a of 64 bits: names become numbers the same way on every machine.
std::uint64_t hash(std::string_view name) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : name) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return value;
}

// ln(v) for a positive normal v, relative error around 1e-15: ln(m 2^e) = e ln 2 + 2 atanh((m-1)/
// (m+1)) with m in [sqrt(1/2), sqrt(2)], the series cut where its terms fall below 2^-56. libm's
// log may differ in the last bit between machines; this one cannot.
double natural_logarithm(double v) {
  int exponent = 0;
  double m = std::frexp(v, &exponent);  // exact
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --exponent;
  }
  const double t = (m - 1) / (m + 1);
  const double t_squared = t * t;
  double series = 0;
  for (int k = 21; k >= 1; k -= 2) series = series * t_squared + 1.0 / k;
  return exponent * 0x1.62e42fefa39efp-1 + 2 * t * series;
}

}  // namespace

PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  const std::uint64_t name_hash = hash(name);
  key_ = {static_cast<std::uint32_t>(seed) ^ static_cast<std::uint32_t>(name_hash >> 32),
          static_cast<std::uint32_t>(seed >> 32)};
  stream_ = static_cast<std::uint32_t>(name_hash);
}

PhiloxCounter RandomStream::block(std::uint64_t index, std::uint32_t attempt) const {
  return philox4x32_10({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                        stream_, attempt},
                       key_);
}

std::uint64_t RandomStream::bits(std::uint64_t index) const {
  const PhiloxCounter words = block(index, 0);
  return join(words[0], words[1]);
}

double RandomStream::uniform(std::uint64_t index) const { return unit_interval(bits(index)); }

double RandomStream::normal(std::uint64_t index) const {
  for (std::uint32_t attempt = 1;; ++attempt) {
    const PhiloxCounter words = block(index, attempt);
    const double u = 2 * unit_interval(join(words[0], words[1])) - 1;
    const double v = 2 * unit_interval(join(words[2], words[3])) - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * natural_logarithm(s) / s);
  }
}

}  // namespace normcert
