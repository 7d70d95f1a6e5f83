// Safetensors files from hostile hands: read every byte of every tensor as a file of weights, as
// cases and as outputs, or refuse the file in printable words.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "formats/capture.hpp"
#include "formats/safetensors.hpp"
#include "fuzz/hostile_input.hpp"

namespace normcert {
namespace {

void touch(const TensorView& view) {
  require(view.bytes.size() == view.size() * static_cast<std::size_t>(view.format->storage_bytes));
  if (view.size() == 0) return;
  (void)view.at(0, 0);
  (void)view.at(view.rows - 1, view.width - 1);
  (void)view.row_bytes(view.rows - 1);
}

void read_capture_of(const SafetensorsFile& file, CaptureKind kind) {
  try {
    const Capture capture = capture_of(file, kind);
    require(!capture.sites.empty());
    for (const CaptureSite& site : capture.sites) {
      require(site.x || kind == CaptureKind::kObserved);
      for (const auto& tensor : {site.x, site.y, site.residual, site.residual_out, site.weight}) {
        if (tensor) touch(*tensor);
      }
    }
  } catch (const InputError& error) {
    check_message(error, "f.safetensors", 10000);
  }
}

void read(const std::string& content) {
  const auto owned = std::make_shared<const std::string>(content);
  try {
    const SafetensorsFile file =
        parse_safetensors("f.safetensors", std::as_bytes(std::span(*owned)), owned);
    std::size_t bytes = 0;
    for (const SafetensorsTensor& tensor : file.tensors) {
      bytes += tensor.bytes.size();
      if (tensor.format) touch(file.view(tensor));
    }
    require(bytes < content.size());
    read_capture_of(file, CaptureKind::kCases);
    read_capture_of(file, CaptureKind::kObserved);
  } catch (const InputError& error) {
    check_message(error, "f.safetensors", 10000);
  }
}

// The same with the length that the header has: chance rarely finds it again after a change.
void read_with_length(std::string content) {
  constexpr std::size_t kLengthBytes = 8;
  const std::size_t end = content.rfind('}');
  if (end == std::string::npos || end < kLengthBytes) return;
  std::size_t length = end + 1 - kLengthBytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i, length >>= 8) {
    content[i] = static_cast<char>(length & 0xFF);
  }
  read(content);
}

}  // namespace
}  // namespace normcert

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  normcert::read(content);
  normcert::read_with_length(content);
  return 0;
}
