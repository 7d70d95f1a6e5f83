#include "formats/capture.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <system_error>
#include <utility>

#include "formats/capture_checks.hpp"
#include "numeric/decimal.hpp"
#include "problem/error.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

struct Role {
  std::string_view name;
  std::optional<TensorView> CaptureSite::*member;
  bool makes_a_site;  // a weight alone is that of a checkpoint, not a capture
};

constexpr std::array kRoles = {
    Role{"x", &CaptureSite::x, true},
    Role{"weight", &CaptureSite::weight, false},
    Role{"y", &CaptureSite::y, true},
    Role{"residual", &CaptureSite::residual, true},
    Role{"gate", &CaptureSite::gate, false},
    Role{"residual_out", &CaptureSite::residual_out, true},
    Role{"y_scale", &CaptureSite::y_scale, false},
    Role{"grad_y", &CaptureSite::grad_y, true},
    Role{"grad_x", &CaptureSite::grad_x, true},
    Role{"grad_weight", &CaptureSite::grad_weight, false},
};

const Role* find_role(std::string_view name) {
  const auto found = std::find_if(kRoles.begin(), kRoles.end(),
                                  [&](const Role& role) { return role.name == name; });
  return found == kRoles.end() ? nullptr : &*found;
}

// "model.norm.x" -> "model.norm", "x"; no dot: no prefix.
struct SplitName {
  std::string_view prefix;
  std::string_view last;
};

SplitName split(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {{}, name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

std::string joined(std::string_view prefix, std::string_view last) {
  return prefix.empty() ? std::string(last) : std::string(prefix) + "." + std::string(last);
}

// The role that an unknown name may mean.
std::string nearest_role(std::string_view name) {
  std::vector<std::string_view> names;
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Role& role : kRoles) {
    if (role.name == lower) return lower;
    names.push_back(role.name);
  }
  return std::string(nearest_name(lower, names));
}

InputError capture_error(const std::string& file, std::string place, std::string found,
                         std::string expected, std::string code = {}) {
  return InputError({.code = std::move(code),
                     .file = file,
                     .place = std::move(place),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .nearest = {}});
}

// The sites of a file by their prefix, in the order of the header, still without tensors.
std::vector<CaptureSite> find_sites(const SafetensorsFile& file) {
  std::vector<CaptureSite> sites;
  std::map<std::string_view, bool> seen;
  for (const SafetensorsTensor& tensor : file.tensors) {
    const SplitName name = split(tensor.name);
    const Role* const role = find_role(name.last);
    if (!role || !role->makes_a_site || seen[name.prefix]) continue;
    seen[name.prefix] = true;
    sites.emplace_back().site = name.prefix;
  }
  return sites;
}

// What a file without any site holds instead.
InputError no_sites(const SafetensorsFile& file, CaptureKind kind) {
  std::string names;
  std::string nearest;
  bool weights = false;
  for (const SafetensorsTensor& tensor : file.tensors) {
    const SplitName name = split(tensor.name);
    names += (names.empty() ? "" : ", ") + tensor.name;
    if (find_role(name.last)) {
      weights = weights || name.last == "weight";
    } else if (nearest.empty() && !nearest_role(name.last).empty()) {
      nearest = joined(name.prefix, nearest_role(name.last));
    }
  }
  const std::string wanted = kind == CaptureKind::kCases ? "x" : "y";
  return InputError(
      {.code = {},
       .file = file.path,
       .place = {},
       .found = names.empty() ? "no tensors" : "no tensor of a capture among " + names,
       .expected = "a tensor " + wanted + " or <site>." + wanted +
                   (weights ? " (weights of a model are given with --config or --weights)" : ""),
       .nearest = nearest});
}

// Metadata keys belong to the site with the longest prefix that they begin with.
void assign_metadata(const SafetensorsFile& file, Capture& capture) {
  for (const auto& [key, value] : file.metadata) {
    CaptureSite* owner = nullptr;
    for (CaptureSite& site : capture.sites) {
      const bool belongs = !site.site.empty() && key.size() > site.site.size() + 1 &&
                           key.starts_with(site.site) && key[site.site.size()] == '.';
      if (belongs && (!owner || site.site.size() > owner->site.size())) owner = &site;
    }
    if (owner) {
      owner->metadata.emplace_back(key.substr(owner->site.size() + 1), value);
    } else {
      capture.metadata.emplace_back(key, value);
    }
  }
}

struct Declared {
  std::string key;  // as it stands in the file
  std::string text;
};

// The site's own metadata, else that of the file.
std::optional<Declared> declared(const Capture& capture, const CaptureSite& site,
                                 std::string_view key) {
  if (const std::string* own = find_text(site.metadata, key))
    return {{joined(site.site, key), *own}};
  if (const std::string* all = find_text(capture.metadata, key)) return {{std::string(key), *all}};
  return std::nullopt;
}

std::string place_of(const Declared& value) { return "__metadata__." + value.key; }

// One of the names of an enumeration of recipes, but for those before `first`.
template <typename Enum>
std::optional<Enum> read_choice(const Capture& capture, const CaptureSite& site,
                                std::string_view key, std::size_t first) {
  const auto value = declared(capture, site, key);
  if (!value) return std::nullopt;
  std::vector<std::string_view> names(EnumNames<Enum>::kNames.begin(),
                                      EnumNames<Enum>::kNames.end());
  std::string expected;
  for (std::size_t i = first; i < names.size(); ++i) {
    if (names[i] == value->text) return static_cast<Enum>(i);
    expected += (expected.empty() ? "" : " or ") + std::string(names[i]);
  }
  names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(first));
  throw InputError({.code = {},
                    .file = capture.path,
                    .place = place_of(*value),
                    .found = '"' + value->text + '"',
                    .expected = std::move(expected),
                    .nearest = std::string(nearest_name(value->text, names))});
}

// What says how a gate is used says nothing where there is none: other metadata of that name is
// kept like any other.
void read_gate(const Capture& capture, CaptureSite& site) {
  if (!site.gate) return;
  site.gate_mode = read_choice<GateMode>(capture, site, "gate", 1);
  site.gate_activation = read_choice<Activation>(capture, site, "gate_activation", 0);
}

void read_declarations(const Capture& capture, CaptureSite& site) {
  if (const auto epsilon = declared(capture, site, "epsilon");
      epsilon && epsilon->text != "none given") {
    if (epsilon->text.empty()) {
      throw capture_error(capture.path, place_of(*epsilon), "an empty text",
                          "an epsilon such as 1e-6, or \"none given\"", "epsilon_unreadable");
    }
    site.epsilon = read_epsilon(epsilon->text, capture.path, place_of(*epsilon));
  }
  if (const auto offset = declared(capture, site, "weight_offset")) {
    const auto code = read_code(offset->text, kFp64);
    if (!code || !is_finite(*code)) {
      throw capture_error(capture.path, place_of(*offset), "\"" + offset->text + "\"",
                          "a weight offset such as 0 or 1");
    }
    site.weight_offset = WeightOffset{offset->text, to_binary64(*code)};
  }
  const auto weight = declared(capture, site, "weight");
  site.weight_is_none = weight && weight->text == "none";
  if (site.weight_is_none && site.weight) {
    throw capture_error(capture.path, "tensor " + joined(site.site, "weight"),
                        "a weight although " + place_of(*weight) + " says none", "one of the two");
  }
  read_gate(capture, site);
  if (const auto name = declared(capture, site, "class")) site.class_name = name->text;
  if (const auto name = declared(capture, site, "implementation")) {
    site.implementation = name->text;
  }
}

std::string id_of(const Capture& capture, const std::string& site) {
  const std::string stem = std::filesystem::path(capture.path).stem().string();
  if (site.empty()) return stem;
  return find_text(capture.metadata, "normcert_cases") ? site : stem + "/" + site;
}

}  // namespace

Capture capture_of(const SafetensorsFile& file, CaptureKind kind) {
  Capture capture;
  capture.path = file.path;
  capture.sites = find_sites(file);
  if (capture.sites.empty()) throw no_sites(file, kind);

  std::map<std::string_view, CaptureSite*> by_prefix;
  for (CaptureSite& site : capture.sites) by_prefix.emplace(site.site, &site);
  for (const SafetensorsTensor& tensor : file.tensors) {
    const SplitName name = split(tensor.name);
    const auto site = by_prefix.find(name.prefix);
    const Role* const role = find_role(name.last);
    if (site == by_prefix.end()) {
      capture.unused.push_back({tensor.name, {}});
    } else if (!role) {
      const std::string nearest = nearest_role(name.last);
      capture.unused.push_back({tensor.name, nearest.empty() ? "" : joined(name.prefix, nearest)});
    } else {
      (site->second->*(role->member)) = checked_view(file, tensor, role->name);
    }
  }
  assign_metadata(file, capture);
  for (CaptureSite& site : capture.sites) {
    site.id = id_of(capture, site.site);
    read_declarations(capture, site);
    check_site(file, site, kind);
  }
  return capture;
}

Capture read_capture(const std::filesystem::path& path, CaptureKind kind) {
  std::error_code ignored;  // what cannot be looked at is reported by the reader
  if (std::filesystem::is_directory(path, ignored)) {
    throw capture_error(path.string(), "", "a folder", "a .safetensors file");
  }
  return capture_of(read_safetensors(path), kind);
}

Capture read_capture(std::shared_ptr<const MappedFile> file, CaptureKind kind) {
  return capture_of(read_safetensors(std::move(file)), kind);
}

}  // namespace normcert
