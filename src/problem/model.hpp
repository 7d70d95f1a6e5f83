// A model as far as its norms are concerned: where each RMSNorm sits, how wide it is, which epsilon
// and weight offset are declared for it, and who said so. Plain data: formats reads what a
// config.json says, catalogue knows what the family adds, and the result is one Model.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/float_format.hpp"
#include "problem/case.hpp"
#include "problem/epsilon.hpp"

namespace normcert {

struct NormSite {
  std::string name;     // "model.layers.3.input_layernorm"
  std::string group;    // sites that differ by their layer only: "model.layers.{i}.input_layernorm"
  std::size_t dim = 0;  // elements of a row; 0 where nothing states it
  Epsilon epsilon;
  std::string epsilon_from;                   // "config key rms_norm_eps"
  std::optional<WeightOffset> weight_offset;  // none: nothing states it, which is not 0
  std::string recipe;                         // of the source framework; empty where unknown
  bool has_weight = true;                     // false: the family's norm has none, the gain is 1
};

// An epsilon key that stands in the config beside the one that is used.
struct UnusedEpsilon {
  std::string key;
  std::string text;  // token as it stands
};

struct Model {
  std::string source;      // the file that was read; empty where options describe the model
  std::string section;     // the sub-config that was read, "text_config"; empty: the whole file
  std::string model_type;  // as it stands in the config; empty where it is absent
  std::string family;      // name of the family; "unknown" where none covers model_type
  const FloatFormat* dtype = nullptr;  // nullptr where nothing states it
  std::size_t hidden = 0;              // 0 where nothing states it
  std::size_t layers = 0;              // 0 where nothing states it
  std::vector<NormSite> sites;
  std::vector<UnusedEpsilon> unused_epsilons;
  std::vector<std::string> other_sections;  // sub-configs that were not read, "vision_config"
};

// A family of models: what its configuration class and its code say about the norms of every model
// of these types. Read from cases/families/*.json.
struct Family {
  // A norm, or one in each layer.
  struct Site {
    // Elements of a row, from the config. A rank that the config states as null is that of a
    // projection, and of a norm, which the model does not have.
    enum class Width {
      kHidden,
      kHeadDim,
      kAllQueryHeads,
      kAllKeyHeads,
      kQueryRank,
      kKeyValueRank,
      kVisionHidden,  // hidden size of the file's vision_config
      kValueHead,     // linear_value_head_dim
      kMixer,         // of a Mamba mixer: mamba_d_ssm, else the hidden size expanded
      kMixerGroup,    // one of its groups: mamba_n_groups, mamba_ngroups
      kUnstated,      // none of the others: stays unknown
    };
    // How many there are, from the config.
    enum class Repeat { kOnce, kLayers, kDecoderLayers };
    // What a config must say for the norm to be there: one of these words, once for the model or in
    // a list with an entry for each layer ("layer_types").
    struct Condition {
      std::string key;
      std::vector<std::string> words;
      bool listed_if_absent = true;  // where the config does not hold the key
    };

    std::string name;  // "model.layers.{i}.input_layernorm"; {i} counts from 0
    Repeat repeat = Repeat::kOnce;
    Width width = Width::kHidden;
    std::vector<Condition> where;            // all of them
    std::optional<Epsilon> literal_epsilon;  // in the code, whatever the config says
    // What this norm has of its own; where unset it is the family's.
    std::optional<std::string> epsilon_key;
    std::optional<WeightOffset> weight_offset;
    std::optional<std::string> recipe;
    std::optional<bool> has_weight;
  };
  struct ModelType {
    std::string name;  // "model_type" of a config
    // What the configuration class fills in where the key is absent: told, never used.
    std::string class_default;
  };

  std::string name;
  std::vector<ModelType> model_types;
  // The key that the family's code reads; empty: none; kAnyEpsilonKey: published code and
  // transformers read different ones, so that those which a config holds have to agree.
  static constexpr std::string_view kAnyEpsilonKey = "any";
  std::string epsilon_key;
  std::optional<Epsilon> literal_epsilon;  // where it reads none
  WeightOffset weight_offset;
  std::string recipe;
  bool has_weight = true;
  std::vector<Site> sites;  // empty: all norms are alike, and their names are not listed
  // Parts of a file whose text model is resolved by itself, and the families of their norms:
  // vision_config, internvl_vision.
  struct Part {
    std::string section;
    std::string family;
  };
  bool composite = false;  // the sites and parts stand beside those of the text model
  std::vector<Part> parts;
  std::string note;
  std::string source;
};

// The model that --dim, --dtype and --epsilon describe: one site `norm`, offset 0.
[[nodiscard]] Model model_of_one_norm(std::size_t dim, const FloatFormat& dtype, Epsilon epsilon);

enum class SiteMatchKind {
  kSameName,
  kSuffix,  // one of the two names ends in the other, and only one site does so
  kShared,  // no site has the name, but all sites declare the same
};

struct SiteMatch {
  NormSite
      site;  // kShared: under the name that was asked for; what the sites do not share is unset
  SiteMatchKind kind = SiteMatchKind::kSameName;
};

// What the model declares for a site as a capture names it: the site of that name, else the only
// one whose name ends in it at a dot ("layers.3.input_layernorm", "norm"), else the longest one
// that the name ends in ("language_model.model.norm"), else the values that the sites share which
// end in it, or all sites. An empty name stands for a capture without site names. Throws InputError
// that lists the sites where they declare different epsilons.
[[nodiscard]] SiteMatch find_site(const Model& model, std::string_view name);

}  // namespace normcert
