#include "captures/trained_norms.hpp"

#include <filesystem>

namespace normcert {

TrainedNorms trained_norms(const std::string& name) {
  TrainedNorms model{read_safetensors(std::filesystem::path(NORMCERT_SOURCE_DIR) /
                                      ("cases/captures/stories260K/" + name + ".safetensors")),
                     {},
                     {}};
  const SafetensorsFile& file = model.file;
  model.cases.reserve(file.tensors.size());
  for (const SafetensorsTensor& tensor : file.tensors) {
    if (!tensor.name.ends_with(".x")) continue;
    const std::string site = tensor.name.substr(0, tensor.name.size() - 2);
    Case value;
    value.x = file.view(tensor);
    value.weight = file.view(*file.find(site + ".weight"));
    value.epsilon = {"1e-5", 1e-5};
    model.cases.push_back(value);
    model.norms.push_back({site, &model.cases.back(), file.view(*file.find(site + ".y"))});
  }
  return model;
}

}  // namespace normcert
