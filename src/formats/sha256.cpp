#include "formats/sha256.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <vector>

namespace normcert {
namespace {

void require(int status) {
  if (status != 1) throw std::runtime_error("OpenSSL failed to compute a SHA-256");
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
  Context() {
    if (handle == nullptr) throw std::bad_alloc();
  }
  ~Context() { EVP_MD_CTX_free(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  require(EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr));
}
Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()));
}
void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

void Sha256::update(std::span<const std::byte> bytes, const ByteSource* source,
                    std::size_t offset) {
  constexpr std::size_t kStretch = std::size_t{1} << 18;  // stays in the processor's cache
  std::vector<std::byte> buffer(source == nullptr ? 0 : std::min(kStretch, bytes.size()));
  while (!bytes.empty()) {
    const std::span<std::byte> stretch(buffer.data(), std::min(buffer.size(), bytes.size()));
    if (stretch.empty() || !source->read(offset, stretch)) break;
    update(std::span<const std::byte>(stretch));
    offset += stretch.size();
    bytes = bytes.subspan(stretch.size());
  }
  update(bytes);
}

std::string Sha256::hex_digest() {
  std::array<unsigned char, 32> digest{};
  unsigned length = 0;
  require(EVP_DigestFinal_ex(context_->handle, digest.data(), &length));
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}
std::string sha256_hex(std::span<const std::byte> bytes, const ByteSource& source) {
  Sha256 hash;
  hash.update(bytes, &source, 0);
  return hash.hex_digest();
}
std::string sha256_hex(std::string_view text) { return sha256_hex(std::as_bytes(std::span(text))); }

}  // namespace normcert
