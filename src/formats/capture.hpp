// Captures: what went into norms and what came out of them. A .safetensors file with the tensors
//
//   x [..., n]  weight [n]  y [..., n]  residual, residual_out [..., n]  gate [..., n]  y_scale
//   grad_y, grad_x [..., n]  grad_weight [n]
//
// under these names, or under `<site>.x` and so on where the file holds several norms. Leading
// dimensions are rows. Metadata: epsilon, weight_offset, `weight: none`, implementation, class;
// of a gated norm `gate` (before or after) and `gate_activation` (silu or sigmoid);
// `<site>.epsilon` is that of one site, an unprefixed key that of all. Anything else is kept.
//
// Nothing is assumed: a weight, an epsilon or an offset that the file does not give stays unset.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/file_bytes.hpp"
#include "formats/safetensors.hpp"
#include "problem/case.hpp"
#include "problem/epsilon.hpp"
#include "problem/tensor.hpp"

namespace normcert {

struct CaptureSite {
  std::string site;  // the tensors' prefix; empty where they have none
  // The file's stem, `stem/site` where there is a prefix; the prefix alone in files that `normcert
  // cases` wrote (their prefixes are the ids of cases).
  std::string id;
  std::optional<TensorView> x;  // absent only in observed outputs
  std::optional<TensorView> weight;
  std::optional<TensorView> y;
  std::optional<TensorView> residual;
  std::optional<TensorView> residual_out;
  std::optional<TensorView> gate;  // before its activation
  std::optional<TensorView> y_scale;
  std::optional<TensorView> grad_y;
  std::optional<TensorView> grad_x;
  std::optional<TensorView> grad_weight;
  std::optional<Epsilon> epsilon;  // metadata; "none given" declares nothing
  std::optional<WeightOffset> weight_offset;
  bool weight_is_none = false;                // metadata `weight: none`: the norm has no weight
  std::optional<GateMode> gate_mode;          // metadata `gate`
  std::optional<Activation> gate_activation;  // metadata `gate_activation`
  TextPairs metadata;                         // the site's own, without its prefix

  // Metadata of the site, else of the file; what `normcert cases` calls "class".
  std::string class_name;
  std::string implementation;
};

struct UnusedTensor {
  std::string name;
  std::string nearest;  // the known name that it may be a misspelling of, with its prefix; or empty
};

struct Capture {
  std::string path;
  TextPairs metadata;              // of the file: what belongs to no single site
  std::vector<CaptureSite> sites;  // in the order in which the header first names them
  std::vector<UnusedTensor> unused;
};

enum class CaptureKind {
  kCases,     // every site has x; y where the same file holds the outputs
  kObserved,  // every site has y or residual_out
};

// Throws InputError; codes: empty, shape_mismatch, unknown_dtype, those of epsilons.
[[nodiscard]] Capture read_capture(const std::filesystem::path& path, CaptureKind kind);
[[nodiscard]] Capture read_capture(std::shared_ptr<const MappedFile> file, CaptureKind kind);
[[nodiscard]] Capture capture_of(const SafetensorsFile& file, CaptureKind kind);

}  // namespace normcert
