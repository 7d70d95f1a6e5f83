// The norms of a family that a model has by its config: one for each layer, only in layers of one
// type, only where a key asks for them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/hf_config.hpp"
#include "problem/model.hpp"

namespace normcert {

struct ListedSite {
  const Family::Site* site = nullptr;
  std::string name;     // with the number of its layer
  std::size_t dim = 0;  // elements of a row; 0 where nothing states it
};

// Layer by layer. None where the config does not say how many layers there are, or the family does
// not list its norms.
[[nodiscard]] std::vector<ListedSite> listed_sites(const HfConfig& config, const Family& family);

// Whether the config turns down every norm of the family, whatever the layer.
[[nodiscard]] bool excludes_every_site(const HfConfig& config, const Family& family);

}  // namespace normcert
