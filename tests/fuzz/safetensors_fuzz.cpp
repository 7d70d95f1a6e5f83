// Safetensors files from hostile hands: read every byte of every tensor as a file of weights, as
// cases and as outputs, or refuse the file in printable words.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/capture.hpp"
#include "formats/safetensors.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

constexpr std::size_t kEverything = std::size_t{1} << 30;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_message(const InputError& error) {
  const std::string message = error.what();
  require(printable(message, kEverything) == message);
  require(message.starts_with("f.safetensors: "));
  require(message.size() < 10000);
  require(!error.parts().found.empty() && !error.parts().expected.empty());
}

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
    check_message(error);
  }
}

void read(const std::uint8_t* data, std::size_t size) {
  const auto owned = std::make_shared<const std::vector<std::uint8_t>>(data, data + size);
  try {
    const SafetensorsFile file =
        parse_safetensors("f.safetensors", std::as_bytes(std::span(*owned)), owned);
    std::size_t bytes = 0;
    for (const SafetensorsTensor& tensor : file.tensors) {
      bytes += tensor.bytes.size();
      if (tensor.format) touch(file.view(tensor));
    }
    require(bytes < size);
    read_capture_of(file, CaptureKind::kCases);
    read_capture_of(file, CaptureKind::kObserved);
  } catch (const InputError& error) {
    check_message(error);
  }
}

}  // namespace
}  // namespace normcert

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  normcert::read(data, size);
  return 0;
}
