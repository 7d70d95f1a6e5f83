// How often elimination accuses a port of what it did not do, or believes one that is wrong:
//
//   elimination_evidence PORTS MOST_WIDTH
//
// PORTS ports of the conforming set, then as many with one mistake each, on rows from a hundredth
// of epsilon up; a Markdown table and every port that breaks a law, by number. The same numbers
// give the same ports. Exit status 1 where a law is broken.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "inference/synthetic_ports.hpp"

namespace normcert {
namespace {

struct Tally {
  std::size_t ports = 0;
  std::size_t fits = 0;
  std::size_t undecided = 0;
  std::size_t impossible = 0;
  std::size_t explained = 0;
  std::size_t truth_implausible = 0;
  std::size_t truth_refuted = 0;
  double greatest_slack = 0;  // of truths that are not refuted
};

bool run(std::uint64_t ports, std::size_t most_width, bool defective) {
  std::map<std::string, Tally> tallies;
  bool law_holds = true;
  for (std::uint64_t i = 0; i < ports; ++i) {
    const SyntheticPort port = synthetic_port(i, most_width, defective);
    const PortVerdict verdict = judged(port);
    Tally& tally = tallies[defective ? port.defect : std::string(port.value.x.format->name)];
    ++tally.ports;
    tally.fits += verdict.declared == DeclaredOutcome::kFits ? 1 : 0;
    tally.undecided += verdict.declared == DeclaredOutcome::kUndecided ? 1 : 0;
    tally.impossible += verdict.declared == DeclaredOutcome::kImpossible ? 1 : 0;
    tally.explained += verdict.outcome == EliminationOutcome::kExplained ? 1 : 0;
    const bool refuted = verdict.truth == HypothesisStatus::kRefuted;
    tally.truth_refuted += refuted ? 1 : 0;
    tally.truth_implausible += verdict.truth == HypothesisStatus::kImplausible ? 1 : 0;
    if (verdict.truth && !refuted) {
      tally.greatest_slack = std::max(tally.greatest_slack, verdict.slack_of_truth);
    }
    const DeclaredOutcome wrong = defective ? DeclaredOutcome::kFits : DeclaredOutcome::kImpossible;
    if (verdict.declared != wrong && !refuted) continue;
    law_holds = false;
    std::printf("BROKEN %s\n", described(i, port).c_str());
  }
  std::printf(
      "\n| %s | ports | declared fits | undecided | impossible | explained | truth "
      "implausible | truth refuted | greatest slack of a truth |\n"
      "|---|---|---|---|---|---|---|---|---|\n",
      defective ? "defect" : "format");
  for (const auto& [name, tally] : tallies) {
    std::printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu | %zu | %.1f u |\n", name.c_str(),
                tally.ports, tally.fits, tally.undecided, tally.impossible, tally.explained,
                tally.truth_implausible, tally.truth_refuted, tally.greatest_slack);
  }
  return law_holds;
}

}  // namespace
}  // namespace normcert

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: elimination_evidence PORTS MOST_WIDTH\n", stderr);
    return 2;
  }
  const auto ports = static_cast<std::uint64_t>(std::strtoull(argv[1], nullptr, 10));
  const std::size_t width = std::max<std::size_t>(32, std::strtoul(argv[2], nullptr, 10));
  const bool right = normcert::run(ports, width, false);
  const bool wrong = normcert::run(ports, width, true);
  return right && wrong ? 0 : 1;
}
