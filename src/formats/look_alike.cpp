#include "formats/look_alike.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace normcert {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kConvertTorch =
    R"(convert it with python: import torch, safetensors.torch as st; )"
    R"(st.save_file({k: v.contiguous() for k, v in )"
    R"(torch.load("IN", map_location="cpu", weights_only=True).items()}, "OUT.safetensors"))";

struct Signature {
  std::string_view bytes;
  std::size_t offset;
  std::string_view what;
};

// GGML and its successors before GGUF: a 32-bit word written little-endian, so its letters stand
// reversed (llama.cpp, convert-llama-ggml-to-gguf.py).
constexpr std::array kSignatures = {
    Signature{"version https://git-lfs.github.com/spec/", 0,
              "a Git LFS pointer (run git lfs pull)"},
    Signature{"version https://hawser.github.com/spec/", 0, "a Git LFS pointer (run git lfs pull)"},
    Signature{"GGUF", 0, "a GGUF file"},
    Signature{"FUGG", 0, "a big-endian GGUF file"},
    Signature{"lmgg", 0, "a GGML file from before GGUF (convert it to GGUF)"},
    Signature{"fmgg", 0, "a GGML file from before GGUF (convert it to GGUF)"},
    Signature{"tjgg", 0, "a GGML file from before GGUF (convert it to GGUF)"},
    Signature{"algg", 0, "a GGML adapter from before GGUF (convert it to GGUF)"},
    Signature{"\x93NUMPY", 0, "a .npy array"},
    Signature{"\x1F\x8B", 0, "a gzip archive (unpack it first)"},
    Signature{"\x28\xB5\x2F\xFD", 0, "a zstd archive (unpack it first)"},
    Signature{"\xFD\x37zXZ\0"sv, 0, "an xz archive (unpack it first)"},
    Signature{"BZh", 0, "a bzip2 archive (unpack it first)"},
    Signature{"7z\xBC\xAF\x27\x1C", 0, "a 7z archive (unpack it first)"},
    Signature{"ustar", 257, "a tar archive (unpack it first)"},
    Signature{"\x89HDF\r\n\x1A\n", 0, "an HDF5 file"},
    Signature{"\x89PNG\r\n\x1A\n", 0, "a PNG picture"},
    Signature{"\xFF\xD8\xFF", 0, "a JPEG picture"},
    Signature{"%PDF-", 0, "a PDF document"},
    Signature{"\x7F"
              "ELF",
              0, "an ELF program or library"},
    Signature{"\xFF\xFE", 0, "a text in UTF-16 (save it as UTF-8)"},
    Signature{"\xFE\xFF", 0, "a text in UTF-16 (save it as UTF-8)"},
};

bool starts_with_any_case(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char wanted, char got) {
           return wanted == static_cast<char>(std::tolower(static_cast<unsigned char>(got)));
         });
}

bool is_html(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return starts_with_any_case(head, "<!doctype html") || starts_with_any_case(head, "<html") ||
         starts_with_any_case(head, "<head");
}

// PKZIP application note, 4.3.7: the first local header holds the length of a member's name at
// byte 26 and the name from byte 30. PyTorch's first member is <folder>/data.pkl.
std::string zip_archive(std::string_view head) {
  constexpr std::size_t kNameOffset = 30;
  if (head.size() < kNameOffset) return "a zip archive";
  const std::size_t length = static_cast<unsigned char>(head[26]) +
                             std::size_t{256} * static_cast<unsigned char>(head[27]);
  const std::string_view name = head.substr(kNameOffset, length);
  if (name.ends_with(".npy")) return "an .npz archive";
  if (name.ends_with("/data.pkl") || name.ends_with("/.format_version") ||
      name.ends_with("/version") || name.ends_with("/byteorder")) {
    return "a PyTorch checkpoint (" + std::string(kConvertTorch) + ")";
  }
  return "a zip archive (if it is a PyTorch checkpoint, " + std::string(kConvertTorch) + ")";
}

// Protocol 2 to 5: PROTO, the number, and an opcode that begins a value (pickletools). Old PyTorch
// files begin with a long integer, LONG1 of 10 bytes.
std::optional<std::string> pickle(std::string_view head) {
  if (head.size() < 3 || head[0] != '\x80' || head[1] < 2 || head[1] > 5) return std::nullopt;
  if (head.substr(2).starts_with("\x8A\x0A\x6C\xFC\x9C\x46\xF9")) {
    return "an old PyTorch checkpoint (" + std::string(kConvertTorch) + ")";
  }
  constexpr std::string_view kFirstOpcodes = "\x95}](cX\x8A\x8CKMJGNC\x88\x89)\x8F\x80qU";
  if (kFirstOpcodes.find(head[2]) == std::string_view::npos) return std::nullopt;
  return "a Python pickle, which can run programs and is not read here (if it is a PyTorch "
         "checkpoint, " +
         std::string(kConvertTorch) + ")";
}

// Eight bytes of header length, then the header, a JSON object.
bool is_safetensors(std::string_view head) {
  return head.size() > 9 && head[8] == '{' && head.substr(5, 3) == "\0\0\0"sv &&
         (head[9] == '"' || head[9] == '}' || head[9] == ' ' || head[9] == '\n');
}

}  // namespace

std::optional<std::string> look_alike(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.empty()) return "an empty file";
  for (const Signature& signature : kSignatures) {
    if (text.substr(std::min(signature.offset, text.size())).starts_with(signature.bytes)) {
      return std::string(signature.what);
    }
  }
  if (is_html(text)) return "an HTML page (a web page was saved in place of the file)";
  if (text.starts_with("PK\x03\x04")) return zip_archive(text);
  if (text.starts_with("PK\x05\x06")) return "an empty zip archive";
  if (is_safetensors(text)) return "a safetensors file";
  return pickle(text);
}

}  // namespace normcert
