#include "judge/rounding_search.hpp"

#include <algorithm>
#include <utility>

#include "judge/block_plan.hpp"
#include "judge/conformity.hpp"

namespace normcert {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::size_t rows_searched(std::size_t width) {
  constexpr std::size_t kMost = 256;
  return std::min(kMost, block_rows(width));
}

void RoundingTotals::merge(const RoundingTotals& other) {
  rows += other.rows;
  if (source_class.empty()) source_class = other.source_class;
  if (classes.empty()) {
    classes = other.classes;
    return;
  }
  for (const ClassOutcome& theirs : other.classes) {
    const auto own = std::ranges::find(classes, theirs.name, &ClassOutcome::name);
    if (own == classes.end()) continue;  // of one case all have the same classes
    own->reproduced = own->reproduced || theirs.reproduced;
    own->refuted = own->refuted || theirs.refuted;
  }
}

std::vector<const ClassOutcome*> RoundingTotals::surviving() const {
  std::vector<const ClassOutcome*> list;
  if (rows == 0) return list;
  for (const ClassOutcome& one : classes) {
    if (one.reproduced && !one.refuted) list.push_back(&one);
  }
  return list;
}

const ClassOutcome* RoundingTotals::nearest() const {
  const std::vector<const ClassOutcome*> list = surviving();
  const auto effort = [](const ClassOutcome* one) {
    return std::pair(std::ranges::count(one->differs, ','), one->recipe.empty());
  };
  return list.empty() ? nullptr : *std::ranges::min_element(list, {}, effort);
}

RoundingSearch::RoundingSearch(const Case& value, const TensorView& got, const Recipe* source)
    : value_(value), got_(got), setting_(rounding_setting(value, *got.format)) {
  if (source != nullptr && has_binary32_statistic(*source)) {
    source_ = rounding_class_of(*source, setting_);
  }
  if (source_) totals_.source_class = source_->name;
}

void RoundingSearch::form_classes() {
  if (!totals_.classes.empty()) return;
  classes_ = conforming_set(setting_);
  fitters_.resize(classes_.size());
  const RoundingClass* const source = source_ ? &*source_ : nullptr;
  for (const RoundingClass& one : classes_) {
    totals_.classes.push_back({.name = one.name,
                               .recipe = "",
                               .differs = joined(distinguishing(one, source, setting_)),
                               .is_source = source != nullptr && one.name == source->name});
  }
}

void RoundingSearch::ask_first(std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) ask(row);
  totals_.rows = rows;
}

void RoundingSearch::ask(std::size_t row) {
  form_classes();
  RowConformity of_row(value_, row);
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    ClassOutcome& outcome = totals_.classes[i];
    if (outcome.refuted) continue;
    const Tristate conforms = of_row.conforms(classes_[i].recipe, got_, fitters_[i]);
    outcome.reproduced = outcome.reproduced || conforms == Tristate::kSame;
    outcome.refuted = conforms == Tristate::kDiffers;
    if (outcome.refuted) fitters_[i].reset();
  }
}

void RoundingSearch::name_recipes(const std::vector<const Recipe*>& known) {
  if (totals_.classes.empty()) return;
  for (const Recipe* recipe : known) {
    if (!has_binary32_statistic(*recipe)) continue;
    const auto of_recipe = rounding_class_of(*recipe, setting_);
    if (!of_recipe) continue;
    const auto found = std::ranges::find(totals_.classes, of_recipe->name, &ClassOutcome::name);
    if (found != totals_.classes.end() && found->recipe.empty()) found->recipe = recipe->name;
  }
}

}  // namespace normcert
