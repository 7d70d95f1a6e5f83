// How often `normcert verify --require function` accuses a port of what it did not do, or believes
// one that is wrong:
//
//   elimination_evidence PORTS DEFECTIVE [MOST_WIDTH [FIRST]]
//
// PORTS ports of the conforming set on rows that look real, then DEFECTIVE ones with one required
// mutant each on the standard cases; widths from 32 to MOST_WIDTH (8192), numbers from FIRST (0)
// on. Writes the page reports/evidence.md to stdout, with every port that breaks a law by its
// number. The same numbers give the same page, on any number of threads. Exit status 1 where a law
// is broken.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "blocks/for_each_block.hpp"
#include "search/port_evidence.hpp"

namespace normcert {
namespace {

struct Tally {
  std::size_t ports = 0;
  std::size_t same = 0;
  std::size_t undecided = 0;
  std::size_t differs = 0;
  std::size_t impossible = 0;
  std::size_t truth_refuted = 0;
  std::size_t cases = 0;
  std::size_t cases_same = 0;
  std::size_t cases_differ = 0;
  double greatest_slack = 0;

  void add(const PortEvidence& one) {
    ++ports;
    same += one.verdict == VerdictValue::kAccepted ? 1 : 0;
    undecided += one.verdict == VerdictValue::kInconclusive ? 1 : 0;
    differs += one.verdict == VerdictValue::kRejected ? 1 : 0;
    impossible += one.declared_impossible ? 1 : 0;
    truth_refuted += one.truth_refuted ? 1 : 0;
    cases += one.cases;
    cases_same += one.cases_same;
    cases_differ += one.cases_differ;
    greatest_slack = std::max(greatest_slack, one.slack_of_truth);
  }
};

std::string width_class(std::size_t width) {
  if (width < 128) return "32 to 127";
  return width < 1024 ? "128 to 1023" : "1024 and more";
}

// In the order of their first letter: bf16, fp16, fp32; narrow widths first.
std::string kind_of(const PortEvidence& one) {
  const std::string order = one.width < 128 ? "a" : one.width < 1024 ? "b" : "c";
  return one.dtype + order + one.dtype + " | " + width_class(one.width);
}

using Tallies = std::map<std::string, Tally>;

bool breaks_law(const PortEvidence& one) {
  if (!one.defect.empty()) return one.verdict == VerdictValue::kAccepted;
  return one.declared_impossible || one.truth_refuted || one.cases_differ > 0 ||
         one.verdict == VerdictValue::kRejected;
}

struct Evidence {
  Tallies by_kind;
  Tallies by_defect;
  Tally all;
  std::vector<std::string> broken;

  void add(const PortEvidence& one) {
    by_kind[kind_of(one)].add(one);
    if (!one.defect.empty()) by_defect[one.defect].add(one);
    all.add(one);
    if (breaks_law(one)) broken.push_back(one.described + ": " + one.reason);
  }
};

template <typename Judge>
Evidence gather(std::uint64_t first, std::size_t count, Judge judge) {
  Evidence evidence;
  for_each_block(
      count, available_threads(), [&](std::size_t i) { return judge(first + i); },
      [&](std::size_t, PortEvidence one) { evidence.add(one); });
  return evidence;
}

std::string kind_text(const std::string& key) {
  return key.substr(key.find_first_of("abc", 4) + 1);
}

void print_right(const Evidence& right) {
  std::printf(
      "| dtype of x | width | ports | same | undecided | differs | declared epsilon impossible | "
      "truth refuted | greatest slack of the truth |\n|---|---|---|---|---|---|---|---|---|\n");
  const auto row = [](const std::string& name, const Tally& tally) {
    std::printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu | %.1f u |\n", name.c_str(), tally.ports,
                tally.same, tally.undecided, tally.differs, tally.impossible, tally.truth_refuted,
                tally.greatest_slack);
  };
  for (const auto& [key, tally] : right.by_kind) row(kind_text(key), tally);
  row("all | ", right.all);
}

void print_wrong(const Tallies& tallies, const Tally& all, const std::string& head, bool kinds) {
  std::printf("| %s | ports | same | undecided | differs | cases that differ, of | cases same |\n",
              head.c_str());
  std::printf("%s---|---|---|---|---|---|---|\n", kinds ? "|---|" : "|");
  const auto row = [](const std::string& name, const Tally& tally) {
    std::printf("| %s | %zu | %zu | %zu | %zu | %zu of %zu | %zu |\n", name.c_str(), tally.ports,
                tally.same, tally.undecided, tally.differs, tally.cases_differ, tally.cases,
                tally.cases_same);
  };
  for (const auto& [key, tally] : tallies) {
    row(kinds ? kind_text(key) : "`" + key + "`", tally);
  }
  row(kinds ? "all | " : "all", all);
}

void print_broken(const Evidence& evidence) {
  for (const std::string& one : evidence.broken) std::printf("- %s\n", one.c_str());
}

void print_page(const Evidence& right, const Evidence& wrong, std::size_t most_width) {
  std::printf(
      "# Evidence\n\n"
      "`scripts/measure-evidence %zu %zu %zu` wrote this page. It holds no times and nothing of "
      "the "
      "machine: the\nsame command gives the same bytes anywhere, on any number of threads.\n\n"
      "Every port below never was: its outputs are emulated, so what it computes is known. Each is "
      "judged as\n`normcert verify --require function` judges a port. *Same* is accepted, "
      "*differs* "
      "rejected, *undecided* exit 3.\n\n",
      right.all.ports, wrong.all.ports, most_width);
  std::printf(
      "## No false accusation\n\n"
      "%zu ports of the conforming set: a random cast, association, form of the offset and way to "
      "add "
      "a residual; a\nrandom order of the sum, root and mean; x in bf16, fp16 or fp32, width 32 to "
      "%zu, epsilon 1e-3 to 1e-6, a weight\nof the same format, of fp32 or none; 6 to 15 rows with "
      "q "
      "from a thirtieth of epsilon to some thousands, one\nchannel far greater. None may be called "
      "*differs*, at none may the declared epsilon be *impossible*, and what the\nport computes "
      "may "
      "not be refuted. Broken: %zu.\n\n",
      right.all.ports, most_width, right.broken.size());
  print_broken(right);
  print_right(right);
  std::printf(
      "\nThe slack is what the function that the port computes needed, in units of 2^-24; the "
      "proven "
      "bound for every known\norder is 17 at width 64, for any order 38.\n\n"
      "## No false trust\n\n"
      "%zu ports of the same set, each with one required mutant, on the standard cases "
      "(`--cases standard`) of a width\nup to %zu. None may be called *same*. Broken: %zu. "
      "A *case* is one class of standard cases; a class of rows that cannot show\na mutant (zeros, "
      "rows of ordinary size) may be same by itself.\n\n",
      wrong.all.ports, most_width, wrong.broken.size());
  print_broken(wrong);
  print_wrong(wrong.by_defect, wrong.all, "mutant", false);
  std::printf("\n");
  print_wrong(wrong.by_kind, wrong.all, "dtype of x | width", true);
}

std::size_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace
}  // namespace normcert

int main(int argc, char** argv) {
  using namespace normcert;
  if (argc < 3 || argc > 5) {
    std::fputs("usage: elimination_evidence PORTS DEFECTIVE [MOST_WIDTH [FIRST]]\n", stderr);
    return 2;
  }
  const std::size_t most_width = argc > 3 ? std::max<std::size_t>(32, number(argv[3])) : 8192;
  const std::uint64_t first = argc > 4 ? number(argv[4]) : 0;
  const Evidence right = gather(first, number(argv[1]),
                                [&](std::uint64_t i) { return evidence_of_port(i, most_width); });
  const Evidence wrong = gather(first, number(argv[2]),
                                [&](std::uint64_t i) { return evidence_of_defect(i, most_width); });
  print_page(right, wrong, most_width);
  return right.broken.empty() && wrong.broken.empty() ? 0 : 1;
}
