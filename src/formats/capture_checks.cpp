#include "formats/capture_checks.hpp"

#include <array>
#include <string>
#include <utility>

#include "problem/error.hpp"

namespace normcert {
namespace {

// Tensors of one site, for messages and checks.
struct Named {
  std::string_view role;
  const std::optional<TensorView>& tensor;
};

std::string tensor_name(const CaptureSite& site, std::string_view role) {
  return site.site.empty() ? std::string(role) : site.site + "." + std::string(role);
}

std::string shown(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

InputError tensor_error(const SafetensorsFile& file, const std::string& name, std::string code,
                        std::string found, std::string expected) {
  return InputError({.code = std::move(code),
                     .file = file.path,
                     .place = "tensor " + name,
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = {}});
}

bool is_one_byte(const FloatFormat& format) { return format.storage_bytes == 1; }

void require_shape(const SafetensorsFile& file, const CaptureSite& site, const Named& named,
                   const std::vector<std::size_t>& shape, std::string_view like) {
  if (!named.tensor || named.tensor->shape == shape) return;
  throw tensor_error(file, tensor_name(site, named.role), "shape_mismatch",
                     shown(named.tensor->shape), shown(shape) + ", as " + std::string(like));
}

// One scale for all elements, or one for every row.
void check_scale(const SafetensorsFile& file, const CaptureSite& site, const TensorView& like) {
  if (!site.y_scale) {
    if (!site.y || !is_one_byte(*site.y->format)) return;
    throw tensor_error(file, tensor_name(site, "y"), "unknown_dtype",
                       std::string(safetensors_dtype(*site.y->format).value()) + " without y_scale",
                       "the scale of an 8-bit output as " + tensor_name(site, "y_scale"));
  }
  if (site.y_scale->size() == 1 || site.y_scale->size() == like.rows) return;
  throw tensor_error(file, tensor_name(site, "y_scale"), "shape_mismatch",
                     shown(site.y_scale->shape),
                     "one element, or one for each of the " + std::to_string(like.rows) + " rows");
}

}  // namespace

TensorView checked_view(const SafetensorsFile& file, const SafetensorsTensor& tensor,
                        std::string_view role) {
  // 8-bit numbers are storage: weights are widened, outputs have been divided by a scale.
  const bool may_be_one_byte = role == "weight" || role == "y";
  if (!tensor.format || (is_one_byte(*tensor.format) && !may_be_one_byte)) {
    throw tensor_error(file, tensor.name, "unknown_dtype", tensor.dtype,
                       may_be_one_byte ? "one of F64, F32, BF16, F16, F8_E4M3, F8_E5M2"
                                       : "one of F64, F32, BF16, F16");
  }
  return file.view(tensor);
}

void check_site(const SafetensorsFile& file, const CaptureSite& site, CaptureKind kind) {
  // Rows of the site, by the tensors that give them.
  const std::array rows = {Named{"x", site.x},
                           Named{"y", site.y},
                           Named{"residual_out", site.residual_out},
                           Named{"residual", site.residual},
                           Named{"gate", site.gate},
                           Named{"grad_y", site.grad_y},
                           Named{"grad_x", site.grad_x}};
  if (kind == CaptureKind::kCases && !site.x) {
    throw tensor_error(file, tensor_name(site, "x"), "", "no tensor of this name",
                       "the input of the norm");
  }
  if (kind == CaptureKind::kObserved && !site.y && !site.residual_out) {
    throw tensor_error(file, tensor_name(site, "y"), "", "no tensor of this name",
                       "the output of the norm");
  }
  if (kind == CaptureKind::kCases && site.residual_out && !site.residual) {
    throw tensor_error(file, tensor_name(site, "residual_out"), "", "no residual beside it",
                       "the residual that was added, as " + tensor_name(site, "residual"));
  }
  const Named* first = nullptr;
  for (const Named& named : rows) {
    if (!named.tensor) continue;
    const std::vector<std::size_t>& shape = named.tensor->shape;
    if (first) {
      require_shape(file, site, named, first->tensor->shape, first->role);
      continue;
    }
    first = &named;
    if (shape.empty()) {
      throw tensor_error(file, tensor_name(site, named.role), "shape_mismatch", "a single number",
                         "rows of numbers");
    }
    if (named.tensor->size() == 0) {
      throw tensor_error(file, tensor_name(site, named.role), "empty",
                         shown(shape) + ", no elements",
                         "at least one row of at least one element");
    }
  }
  const std::vector<std::size_t> width{first->tensor->width};
  require_shape(file, site, {"weight", site.weight}, width,
                "the width of " + std::string(first->role));
  require_shape(file, site, {"grad_weight", site.grad_weight}, width,
                "the width of " + std::string(first->role));
  check_scale(file, site, *first->tensor);
}

}  // namespace normcert
