#include "catalogue/site_list.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace normcert {
namespace {

// 0 where the config does not say: what a configuration class fills in is not guessed.
std::size_t heads_width(const HfConfig& config, std::optional<std::size_t> heads) {
  if (!heads) return 0;
  if (const auto head_dim = config.count({"head_dim"})) return *heads * *head_dim;
  // Every class with a norm over all heads divides the hidden size where head_dim is absent
  // (transformers: olmo2, olmo3).
  const auto query_heads = config.count({"num_attention_heads"});
  if (!query_heads || !config.hidden() || *config.hidden() % *query_heads != 0) return 0;
  return *heads * (*config.hidden() / *query_heads);
}

// A count that may be written in another way (2.0) or not at all: then it says nothing here.
std::size_t count_or_none(const HfConfig& config, std::string_view key) {
  const std::vector<std::string> words = config.words(key);
  const bool plain = words.size() == 1 && !words[0].empty() && words[0].size() <= 9 &&
                     words[0].find_first_not_of("0123456789") == std::string::npos;
  return plain ? std::stoul(words[0]) : 0;
}

// mamba_d_ssm in Falcon-H1; mamba_expand in Bamba, Granite 4 and Zamba 2, expand in Mamba 2.
std::size_t mixer_width(const HfConfig& config) {
  if (const std::size_t stated = count_or_none(config, "mamba_d_ssm")) return stated;
  const std::size_t expand = count_or_none(config, "mamba_expand");
  return (expand ? expand : count_or_none(config, "expand")) * config.hidden().value_or(0);
}

std::size_t mixer_group_width(const HfConfig& config) {
  std::size_t groups = count_or_none(config, "mamba_n_groups");
  if (groups == 0) groups = count_or_none(config, "mamba_ngroups");
  const std::size_t width = mixer_width(config);
  return groups > 0 && width % groups == 0 ? width / groups : 0;
}

std::size_t vision_hidden(const HfConfig& config) {
  const auto vision = config.part("vision_config");
  return vision ? vision->hidden().value_or(0) : 0;
}

std::size_t width_of(const HfConfig& config, Family::Site::Width width) {
  using Width = Family::Site::Width;
  const auto query_heads = [&] { return config.count({"num_attention_heads"}); };
  switch (width) {
    case Width::kHidden:
      return config.hidden().value_or(0);
    case Width::kHeadDim:
      return config.count({"head_dim"}).value_or(0);
    case Width::kAllQueryHeads:
      return heads_width(config, query_heads());
    case Width::kAllKeyHeads: {
      const auto key_heads = config.count({"num_key_value_heads"});
      return heads_width(config, key_heads ? key_heads : query_heads());
    }
    case Width::kQueryRank:
      return config.count({"q_lora_rank"}).value_or(0);
    case Width::kKeyValueRank:
      return config.count({"kv_lora_rank"}).value_or(0);
    case Width::kVisionHidden:
      return vision_hidden(config);
    case Width::kValueHead:
      return count_or_none(config, "linear_value_head_dim");
    case Width::kMixer:
      return mixer_width(config);
    case Width::kMixerGroup:
      return mixer_group_width(config);
    case Width::kUnstated:
      return 0;
  }
  return 0;
}

bool fulfils(const HfConfig& config, const Family::Site::Condition& condition, std::size_t layer) {
  const std::vector<std::string> stated = config.words(condition.key);
  if (stated.empty()) return condition.listed_if_absent;
  const std::size_t entry = config.is_list(condition.key) ? layer : 0;
  return entry < stated.size() &&
         std::ranges::find(condition.words, stated[entry]) != condition.words.end();
}

bool exists(const HfConfig& config, const Family::Site& site, std::size_t layer) {
  using Width = Family::Site::Width;
  const bool without = (site.width == Width::kQueryRank && config.is_null("q_lora_rank")) ||
                       (site.width == Width::kKeyValueRank && config.is_null("kv_lora_rank"));
  return !without && std::ranges::all_of(site.where, [&](const Family::Site::Condition& condition) {
    return fulfils(config, condition, layer);
  });
}

// Copies of the site; none where the config does not say how many layers there are.
std::size_t copies_of(const HfConfig& config, Family::Site::Repeat repeat) {
  using Repeat = Family::Site::Repeat;
  switch (repeat) {
    case Repeat::kOnce:
      return 1;
    case Repeat::kLayers:
      return config.layers().value_or(0);
    case Repeat::kDecoderLayers:
      return config.decoder_layers().value_or(0);
  }
  return 0;
}

std::string with_index(std::string name, std::size_t index) {
  const std::size_t place = name.find("{i}");
  if (place != std::string::npos) name.replace(place, 3, std::to_string(index));
  return name;
}

}  // namespace

std::vector<ListedSite> listed_sites(const HfConfig& config, const Family& family) {
  std::vector<ListedSite> sites;
  // Norms that are repeated alike and stand side by side belong to one layer: layer by layer.
  for (auto first = family.sites.begin(); first != family.sites.end();) {
    const auto last = std::find_if(first, family.sites.end(), [&](const Family::Site& site) {
      return site.repeat != first->repeat;
    });
    const std::size_t copies = copies_of(config, first->repeat);
    for (std::size_t i = 0; i < copies; ++i) {
      for (auto site = first; site != last; ++site) {
        if (!exists(config, *site, i)) continue;
        sites.push_back({&*site, with_index(site->name, i), width_of(config, site->width)});
      }
    }
    first = last;
  }
  return sites;
}

bool excludes_every_site(const HfConfig& config, const Family& family) {
  const auto turned_down = [&](const Family::Site::Condition& condition) {
    return !config.is_list(condition.key) && !fulfils(config, condition, 0);
  };
  const auto excluded = [&](const Family::Site& site) {
    return std::ranges::any_of(site.where, turned_down);
  };
  return !family.sites.empty() && std::ranges::all_of(family.sites, excluded);
}

}  // namespace normcert
