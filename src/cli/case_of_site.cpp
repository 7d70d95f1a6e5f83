#include <algorithm>
#include <utility>

#include "catalogue/recipes.hpp"
#include "cli/case_list.hpp"
#include "inference/stored_format.hpp"
#include "numeric/decimal.hpp"
#include "numeric/rounding.hpp"
#include "problem/error.hpp"
#include "problem/recipe_names.hpp"

namespace normcert {
namespace {

class SiteReader {
 public:
  SiteReader(const Capture& capture, const CaptureSite& site, const SubjectOptions& options,
             SubjectModel& model, std::vector<ReportFinding>& findings)
      : capture_(capture),
        site_(site),
        options_(options),
        model_(model),
        findings_(findings),
        name_(site.site) {}

  JudgedCase read() {
    if (site_.y_scale) {
      throw error("unsupported", "a y_scale",
                  "outputs without one: scaled outputs are not judged yet");
    }
    // Prefixes of files that normcert cases wrote are ids of cases; their metadata name the site.
    const bool written_cases = find_text(capture_.metadata, "normcert_cases") != nullptr;
    const std::string* named = written_cases ? find_text(site_.metadata, "site") : nullptr;
    if (named != nullptr) name_ = *named;
    if (model_.model) match_ = find_site(*model_.model, name_);
    JudgedCase judged;
    judged.file = capture_.path;
    Case& value = judged.value;
    value.id = site_.id;
    // Only files that `normcert cases` wrote name classes; a capture cannot exempt itself.
    const bool generated = find_text(capture_.metadata, "normcert_cases") != nullptr;
    const bool has_class = generated && !site_.class_name.empty();
    value.class_name = has_class ? site_.class_name : "captured";
    value.site = match_ ? match_->site.name : name_;
    const bool is_of_model = match_ && match_->kind == SiteMatchKind::kSameName;
    if (named != nullptr && is_of_model) judged.covers = sites_alike(*model_.model, match_->site);
    value.x = *site_.x;
    value.residual = site_.residual;
    value.gate = gate();
    value.epsilon = epsilon();
    const std::optional<WeightOffset> offset = weight_offset();
    value.weight_offset = offset.value_or(WeightOffset{});
    value.weight_offset_given = offset.has_value();
    value.weight = weight(value.x.width);
    value.weight_none = site_.weight_is_none || (match_ && !match_->site.has_weight);
    if (value.weight) require_finite(*value.weight);
    value.output = site_.y ? site_.y->format : site_.x->format;
    check_width(value.x.width);
    if (match_) judged.source_recipe = match_->site.recipe;
    if (site_.y || site_.residual_out) {
      judged.observed = Outputs{site_.y, site_.residual_out};
      judged.observed_file = capture_.path;
    }
    judged.metadata = capture_.metadata;
    judged.metadata.insert(judged.metadata.end(), site_.metadata.begin(), site_.metadata.end());
    return judged;
  }

 private:
  [[nodiscard]] std::string place() const { return site_.site.empty() ? "" : "site " + site_.site; }

  [[nodiscard]] InputError error(const char* code, std::string found, std::string expected) const {
    return InputError({.code = code,
                       .file = capture_.path,
                       .place = place(),
                       .found = std::move(found),
                       .expected = std::move(expected),
                       .nearest = ""});
  }

  Epsilon epsilon() {
    if (match_ && site_.epsilon && !options_.epsilon) {
      const Epsilon& declared = match_->site.epsilon;
      if (!(declared.as(kFp32) == site_.epsilon->as(kFp32))) {
        findings_.push_back({"declarations-disagree", "warning", match_->site.name,
                             "the model declares epsilon " + declared.text + " (" +
                                 match_->site.epsilon_from + "), the capture says " +
                                 site_.epsilon->text + "; the model's is used"});
      }
    }
    if (options_.epsilon) return *options_.epsilon;
    if (match_) return match_->site.epsilon;
    if (site_.epsilon) return *site_.epsilon;
    if (options_.declarations_may_be_missing) return {};
    throw error("missing_epsilon", "no epsilon",
                "one from --epsilon, --config, or the capture's metadata");
  }

  // None where nothing states it and that is allowed.
  std::optional<WeightOffset> weight_offset() {
    if (options_.weight_offset) return *options_.weight_offset;
    const bool model_states_it = match_ && match_->site.weight_offset;
    if (site_.weight_offset) {
      if (model_states_it &&
          site_.weight_offset->binary64 != match_->site.weight_offset->binary64) {
        findings_.push_back({"offset_contradicts", "warning", match_->site.name,
                             "the model's family has weight offset " +
                                 match_->site.weight_offset->text + ", the capture says " +
                                 site_.weight_offset->text + "; the capture's is used"});
      }
      return *site_.weight_offset;
    }
    if (model_states_it) return *match_->site.weight_offset;
    // Without a weight there is nothing to add it to.
    if (site_.weight_is_none) return WeightOffset{};
    if (options_.declarations_may_be_missing) return std::nullopt;
    throw error(
        "missing_weight_offset", "no weight offset: the gain may be w or 1 + w",
        "--weight-offset 0 or 1, metadata weight_offset, or a --config whose family is known");
  }

  // What the capture says of its gate, else what the recipe of the model's norm does with one.
  std::optional<Gate> gate() {
    const Recipe* const recipe = match_ ? find_recipe(match_->site.recipe) : nullptr;
    const bool is_gated = recipe != nullptr && recipe->gate != GateMode::kNone;
    if (!site_.gate) {
      if (!is_gated) return std::nullopt;
      throw error(
          "missing_gate", "no gate",
          "a tensor gate: as " + recipe->name + " the norm " + match_->site.name + " has one");
    }
    if (!is_gated && !(site_.gate_mode && site_.gate_activation)) {
      throw error("missing_gate_mode",
                  site_.gate_mode ? "a gate without metadata gate_activation"
                                  : "a gate without metadata gate",
                  "gate: before or after (the norm), and gate_activation: silu or sigmoid");
    }
    Gate gate{.values = *site_.gate};
    gate.mode = site_.gate_mode.value_or(is_gated ? recipe->gate : GateMode::kAfter);
    gate.activation =
        site_.gate_activation.value_or(is_gated ? recipe->activation.kind : Activation::kSilu);
    const bool is_other = recipe != nullptr &&
                          (gate.mode != recipe->gate || gate.activation != recipe->activation.kind);
    if (is_other) {
      warn("declarations-disagree",
           "the model's norm is " + recipe->name + " (gate " + std::string(name_of(recipe->gate)) +
               "), the capture says gate " + std::string(name_of(gate.mode)) + ", " +
               std::string(name_of(gate.activation)) + "; the capture's is used");
    }
    return gate;
  }

  std::optional<TensorView> weight(std::size_t width) {
    if (site_.weight_is_none && match_ && match_->site.has_weight) {
      warn("declarations-disagree", "the model's norm has a weight, the capture says it has none");
    }
    if (site_.weight) {
      compare_with_model(*site_.weight);
      return site_.weight;
    }
    if (site_.weight_is_none) return std::nullopt;
    auto found = site_weight(model_, match_ ? match_->site.name : name_);
    if (!found) {
      if (match_ && !match_->site.has_weight) return std::nullopt;
      if (options_.declarations_may_be_missing) return std::nullopt;
      throw error("missing_weight", "no weight",
                  "a tensor weight, <site>.weight in the --config or --weights folder, or metadata "
                  "weight: none");
    }
    if (found->width != width) {
      throw error("shape_mismatch", "a weight of " + std::to_string(found->width) + " elements",
                  std::to_string(width) + ", the width of x");
    }
    return found;
  }

  // Rows of x may hold NaN (they are set apart); a gain that is none leaves nothing to judge.
  void require_finite(const TensorView& weight) const {
    for (std::size_t i = 0; i < weight.width; ++i) {
      if (is_finite(weight.at(0, i))) continue;
      throw error("non_finite_input",
                  "weight[" + std::to_string(i) + "] = " + hex_text(weight.at(0, i)),
                  "finite weights");
    }
  }

  void warn(const char* rule, std::string text) {
    findings_.push_back(
        {rule, "warning", match_ ? match_->site.name : site_.site, std::move(text)});
  }

  // The capture's weight is judged with; that it is the model's, rounded to its dtype, is checked.
  void compare_with_model(const TensorView& weight) {
    const auto stored = site_weight(model_, match_ ? match_->site.name : site_.site);
    if (!stored) return;
    std::size_t others = stored->width == weight.width ? 0 : weight.width;
    const FloatFormat* const narrow = narrower_format_of(weight);  // of a float32 dump
    for (std::size_t i = 0; others == 0 && i < weight.width; ++i) {
      Code code = stored->at(0, i);
      if (narrow != nullptr) code = convert(code, *narrow);
      if (!same_bits(convert(code, *weight.format), weight.at(0, i))) others = i + 1;
    }
    if (others == 0) return;
    warn("declarations-disagree", "the capture's weight is not the model's (first at element " +
                                      std::to_string(others - 1) + "); the capture's is used");
  }

  void check_width(std::size_t width) const {
    if (!match_ || match_->site.dim == 0 || match_->site.dim == width) return;
    throw error("shape_mismatch", "rows of width " + std::to_string(width),
                std::to_string(match_->site.dim) + ", the width of " + match_->site.name);
  }

  const Capture& capture_;
  const CaptureSite& site_;
  const SubjectOptions& options_;
  SubjectModel& model_;
  std::vector<ReportFinding>& findings_;
  std::string name_;  // of the norm, as far as the capture names it
  std::optional<SiteMatch> match_;
};

}  // namespace

JudgedCase case_of_site(const Capture& capture, const CaptureSite& site,
                        const SubjectOptions& options, SubjectModel& model,
                        std::vector<ReportFinding>& findings) {
  return SiteReader(capture, site, options, model, findings).read();
}

}  // namespace normcert
