// The eleven norms of a trained model as elimination takes them, with the epsilon 1e-5 that the
// model declares.
#pragma once

#include <string>
#include <vector>

#include "formats/safetensors.hpp"
#include "inference/elimination.hpp"

namespace normcert {

struct TrainedNorms {
  SafetensorsFile file;
  std::vector<Case> cases;
  std::vector<ObservedNorm> norms;  // of `cases`, which may be moved but not copied
};

// "right", or "wrong_epsilon": a port that ran with 1e-6.
[[nodiscard]] TrainedNorms trained_norms(const std::string& name);

}  // namespace normcert
