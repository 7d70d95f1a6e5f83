// From paths and options to the list of cases that a run judges, each with its epsilon, offset,
// weight and, where there is one, the port's output. Precedence: interface rule 5.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/subject_model.hpp"
#include "cli/subject_options.hpp"
#include "formats/capture.hpp"
#include "formats/file_bytes.hpp"
#include "generate/standard_set.hpp"
#include "judge/verify_types.hpp"
#include "report/claim_outcome.hpp"
#include "report/envelope.hpp"

namespace normcert {

struct CaseList {
  std::vector<JudgedCase> cases;
  std::vector<RefusedCase> refused;  // as their case files expect
  std::vector<ClaimOutcome> claims;
  std::vector<ReportInput> inputs;
  // Inputs without a hash so far, by their number.
  std::map<std::size_t, std::shared_ptr<const MappedFile>> unhashed;
  std::vector<ReportFinding> findings;
  std::vector<std::string> not_tested;
  // Of files that normcert cases wrote: path -> metadata normcert_cases.
  std::map<std::string, std::string> digests;
};

// The cases have no sha256 yet. `source` replaces every case's source recipe where it is not empty.
// `recipe` is what the port is held to, if anything is. `standard` adds the standard cases although
// no path names them. Throws InputError.
[[nodiscard]] CaseList read_cases(const SubjectOptions& options, SubjectModel& model,
                                  std::uint64_t seed, const std::string& source,
                                  const Recipe* recipe, bool standard);

// The files that a path stands for: itself, or the entries of a folder, sorted by name.
[[nodiscard]] std::vector<std::string> files_of(const std::string& path, const std::string& option);

// Hash over dtype, shape and bytes of x, weight and residual.
[[nodiscard]] std::string case_sha256(const Case& value);

// One site of a capture as a case. Adds findings where declarations disagree.
[[nodiscard]] JudgedCase case_of_site(const Capture& capture, const CaptureSite& site,
                                      const SubjectOptions& options, SubjectModel& model,
                                      std::vector<ReportFinding>& findings);

// The standard cases of the model, one set for each distinct group of sites. `classes` selects some
// of them by class; none: all. Cases of a gated norm have a gate: of sites whose own recipe, or
// else `recipe`, has one.
void add_standard_cases(const SubjectOptions& options, SubjectModel& model, std::uint64_t seed,
                        CaseList& list, const Recipe* recipe,
                        const std::vector<std::string>& classes = {});

// Sites of one group, and what cases are generated for them.
struct SiteCases {
  const NormSite* site = nullptr;  // the first of the group
  std::vector<std::string> names;  // of all of them
  StandardSpec spec;
};

// One for each distinct group of sites. Throws InputError where there is no model, or something of
// a site is not known.
[[nodiscard]] std::vector<SiteCases> sites_to_generate(const SubjectOptions& options,
                                                       SubjectModel& model, std::uint64_t seed);

// The sites for which the standard cases of `site` stand: same width, epsilon, offset and recipe.
[[nodiscard]] std::vector<std::string> sites_alike(const Model& model, const NormSite& site);

}  // namespace normcert
