// SHA-256 (FIPS 180-4), by OpenSSL.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "problem/tensor.hpp"

namespace normcert {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  // The same bytes as `bytes`, read from `offset` of `source` where it has them: a mapped file is
  // read in a third of the time that its page faults take.
  void update(std::span<const std::byte> bytes, const ByteSource* source, std::size_t offset);
  // 64 lower-case hexadecimal digits; the object is used up.
  [[nodiscard]] std::string hex_digest();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::string sha256_hex(std::string_view text);
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes, const ByteSource& source);

}  // namespace normcert
