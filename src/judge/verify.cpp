#include "judge/verify.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "blocks/for_each_block.hpp"
#include "judge/block_judge.hpp"
#include "judge/case_summary.hpp"
#include "judge/maxima.hpp"

namespace normcert {
namespace {

struct BlockOutcome {
  RowScan scan;
  std::optional<ExpectationOutcome> expectation;
  std::vector<ResultTotals> results;
};

std::vector<CaseExtent> extents_of(const VerifyRequest& request) {
  std::vector<CaseExtent> extents;
  for (const JudgedCase& judged : request.cases) {
    extents.push_back({rows_judged(judged), judged.value.x.width});
  }
  return extents;
}

// Looked up before any thread asks for them, and only where something is compared.
SourceRecipes sources_of(const VerifyRequest& request) {
  const bool any_recipe = !request.candidates.empty() || !request.mutants.empty();
  SourceRecipes sources;
  for (const JudgedCase& judged : request.cases) {
    const std::string name = source_name(judged);
    if ((!any_recipe && !judged.observed) || sources.contains(name)) continue;
    sources.emplace(name, request.find_implementation(name));
  }
  return sources;
}

// What blocks of a case have reached, in whatever order they were compared, for those that follow,
// and what is formed once for all its blocks. Of one case at a time: the last that was asked for.
class KnownSoFar {
 public:
  explicit KnownSoFar(const VerifyRequest& request) : request_(request) {}

  void raise(std::size_t case_index, const std::vector<ResultTotals>& results) {
    const std::scoped_lock lock(mutex_);
    if (case_index_ != case_index) return;
    std::vector<KnownErrors>& errors = known_.errors;
    errors.resize(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) errors[i].raise(results[i].comparison);
  }
  [[nodiscard]] KnownOfCase of(std::size_t case_index) {
    const std::scoped_lock lock(mutex_);
    if (case_index_ && case_index < *case_index_) return {};
    if (case_index_ != case_index) {
      case_index_ = case_index;
      known_ = {};
      const Case& value = request_.cases[case_index].value;
      if (RowOperands::can_take(value)) {
        known_.gains = std::make_shared<const RowGains>(value, OutputTensor::kY);
        known_.precisely = std::make_shared<std::atomic<bool>>(false);
      }
    }
    return known_;
  }

 private:
  const VerifyRequest& request_;
  std::mutex mutex_;
  std::optional<std::size_t> case_index_;
  KnownOfCase known_;
};

// Takes the blocks in order; of the case under way it keeps what describes its rows.
class TotalsBuilder {
 public:
  TotalsBuilder(const VerifyRequest& request, VerifyTotals& totals)
      : request_(request), totals_(totals) {}

  void add(const RowBlock& block, BlockOutcome outcome) {
    if (block.case_index != case_index_) {
      finish();
      case_index_ = block.case_index;
      rows_.emplace(request_.cases[block.case_index]);
    }
    rows_->add(block.first, outcome.scan);
    CaseTotals of_block;
    of_block.expectation = std::move(outcome.expectation);
    of_block.results = std::move(outcome.results);
    totals_[block.case_index].merge(of_block);
    for (ResultTotals& result : totals_[block.case_index].results) {
      settle_if_many(request_.cases[case_index_].value, result.tensor, result.comparison);
    }
  }

  // After the last block.
  void finish() {
    if (!rows_) return;
    totals_[case_index_].rows = rows_->finish();
    rows_.reset();
    for (ResultTotals& result : totals_[case_index_].results) {
      settle_maxima(request_.cases[case_index_].value, result.tensor, result.comparison);
    }
  }

 private:
  const VerifyRequest& request_;
  VerifyTotals& totals_;
  std::size_t case_index_ = static_cast<std::size_t>(-1);
  std::optional<RowStatisticsBuilder> rows_;
};

BlockOutcome outcome_of(const VerifyRequest& request, const SourceRecipes& sources,
                        const RowBlock& block, KnownSoFar& known) {
  const JudgedCase& judged = request.cases[block.case_index];
  // A row that repeats the last one of the block before need not be measured again; every run that
  // judges this block judges the one before too, if both are of one unit.
  const bool follows = judged.observed && !judged.chosen_rows && block.first % kUnitRows != 0;
  const CaseRows rows = follows ? rows_after_another(judged, block.first, block.count)
                                : rows_of(judged, block.first, block.count);
  BlockOutcome outcome;
  outcome.scan = scan_rows(rows.value, RowStatisticsBuilder::needs_histogram(judged));
  // What a case file expects is about the whole case; one block sees to it.
  if (block.first == 0 && !judged.value.expect.empty()) {
    outcome.expectation = check_expectation(judged.value, judged.file);
  }
  outcome.results =
      judge_block(request, sources, block, rows, outcome.scan.sums, known.of(block.case_index));
  known.raise(block.case_index, outcome.results);
  return outcome;
}

}  // namespace

VerifyTotals measure(const VerifyRequest& request, const Progress& progress,
                     BackgroundTasks* beside) {
  const BlockPlan plan(extents_of(request), request.part);
  const SourceRecipes sources = sources_of(request);
  VerifyTotals totals(request.cases.size());
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i].summary = describe(request.cases[i]);
  KnownSoFar known(request);
  TotalsBuilder builder(request, totals);
  std::uint64_t done = 0;
  for_each_block(
      plan.size(), request.threads,
      [&](std::size_t index) { return outcome_of(request, sources, plan[index], known); },
      [&](std::size_t index, BlockOutcome outcome) {
        const RowBlock block = plan[index];
        builder.add(block, std::move(outcome));
        done += block.count * request.cases[block.case_index].value.x.width;
        if (progress) progress(done, plan.elements());
      },
      beside);
  builder.finish();
  return totals;
}

VerifyOutcome verify(const VerifyRequest& request, const Progress& progress) {
  const VerifyTotals totals = measure(request, progress);
  if (request.level != Level::kFunction || !can_judge_function(request)) {
    return conclude(request, totals);
  }
  const FunctionLevel function = judge_function(request, totals);
  return conclude(request, totals, &function);
}

}  // namespace normcert
