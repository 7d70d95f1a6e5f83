#include "cli/subject_model.hpp"

#include <filesystem>
#include <set>

#include "catalogue/families.hpp"
#include "formats/file_bytes.hpp"
#include "formats/hf_config.hpp"
#include "formats/sha256.hpp"
#include "problem/error.hpp"

namespace normcert {
namespace {

namespace fs = std::filesystem;

InputError missing_option(const std::string& found, const std::string& expected) {
  return InputError({.code = "usage",
                     .file = "",
                     .place = "",
                     .found = found,
                     .expected = expected,
                     .nearest = ""});
}

void replace_epsilon(const Epsilon& epsilon, SubjectModel& subject) {
  std::set<std::string> replaced;
  for (NormSite& site : subject.model->sites) {
    if (site.epsilon_from != "option --epsilon") replaced.insert(site.epsilon.text);
    site.epsilon = epsilon;
    site.epsilon_from = "option --epsilon";
  }
  std::optional<std::string> text;
  if (!replaced.empty()) text = *replaced.begin();
  for (auto it = replaced.begin(); it != replaced.end(); ++it) {
    if (it != replaced.begin()) *text += ", " + *it;
  }
  subject.overrides.push_back({"--epsilon", epsilon.text, text, subject.model->source});
}

void read_config(const SubjectOptions& options, SubjectModel& subject) {
  const HfConfig config = HfConfig::read(*options.config);
  std::optional<EpsilonFromElsewhere> elsewhere;
  if (options.epsilon) elsewhere = EpsilonFromElsewhere{*options.epsilon, "option --epsilon"};
  subject.model = resolve_model(config, elsewhere);
  constexpr std::size_t kConfigLimit = std::size_t{1} << 28;
  subject.sha256 = sha256_hex(read_file_bytes(config.file(), kConfigLimit));
  subject.inputs.push_back({config.file(), subject.sha256, "file"});
  if (options.epsilon) replace_epsilon(*options.epsilon, subject);
  if (options.weight_offset) {
    for (NormSite& site : subject.model->sites) site.weight_offset = options.weight_offset;
    subject.overrides.push_back(
        {"--weight-offset", options.weight_offset->text, std::nullopt, std::nullopt});
  }
  if (options.dtype != nullptr) {
    std::optional<std::string> stated;
    if (subject.model->dtype != nullptr) stated = std::string(subject.model->dtype->name);
    subject.overrides.push_back(
        {"--dtype", std::string(options.dtype->name), stated, std::nullopt});
    subject.model->dtype = options.dtype;
  }
  if (options.dim) {
    subject.overrides.push_back(
        {"--dim", std::to_string(*options.dim), std::nullopt, std::nullopt});
    for (NormSite& site : subject.model->sites) site.dim = *options.dim;
  }
}

}  // namespace

SubjectModel read_subject_model(const SubjectOptions& options) {
  SubjectModel subject;
  if (options.config) {
    read_config(options, subject);
    if (!options.weights && fs::is_directory(*options.config)) {
      subject.checkpoint = Checkpoint::open(*options.config);
    }
  } else if (options.dim) {
    if (!options.epsilon || options.dtype == nullptr) {
      throw missing_option("--dim without --config",
                           "--dim, --dtype and --epsilon together, or a --config");
    }
    subject.model = model_of_one_norm(*options.dim, *options.dtype, *options.epsilon);
    if (options.weight_offset) subject.model->sites.front().weight_offset = options.weight_offset;
  }
  if (options.weights) {
    subject.checkpoint = Checkpoint::open(*options.weights);
    if (!subject.checkpoint) {
      throw InputError({.code = "empty",
                        .file = *options.weights,
                        .place = "--weights",
                        .found = "a folder without weights",
                        .expected = "a .safetensors file, or an index and its shards",
                        .nearest = ""});
    }
  }
  return subject;
}

std::optional<TensorView> site_weight(SubjectModel& model, const std::string& site) {
  if (!model.checkpoint || site.empty()) return std::nullopt;
  auto weight = model.checkpoint->norm_weight(site);
  if (weight) model.weight_files.insert(model.checkpoint->file_of(site + ".weight"));
  return weight;
}

}  // namespace normcert
